"""Cases: a call, the world it is made in, and the expected verdict. They ship, and run on the user's machine.

Beside a rule or a program they are TOML:

    [[case]]
    shell = 'rm -rf ~'        # or: tool = "Write", input = {file_path = "...", content = "..."}; tool = "@stop": the turn ends
    expect = "deny"           # pass, warn, ask, deny
    rule = "filesystem.delete-protected"   # must be among the findings
    why = "..."
    known_gap = "..."         # a strict exception: the case must fail, and says why
    world = {files = {"~/x" = "text"}, links = {"./l" = "/"}, folders = ["./build"], git = ["."], committed = ["./x"],
             lost = {"refs/heads/x" = 2}, worktrees = ["../other"], cwd = ".", home = "/home/u"}
    world.spawn = {agent = "ann", role = "reviewer"}     # what the program that started the agent says of it (model.event)
    world.caller = {agent = "a1b2", kind = "ann"}        # what the host says of a subagent
    world.lockouts = {"src/a.py" = ["ann"]}              # what the store holds of the team's lockouts

`needs = "module"`, in a case or above all cases of a file, names a grammar that judging them takes: where it is not installed
they are skipped, and `toolgate test` says so. In a world `~` is the home folder and `./` the project.
"""

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from importlib.resources import files as package_files
from pathlib import Path
from typing import Any

from . import designs, hosts, stores
from .app import App
from .consent.lockouts import LOCKOUTS_DOCUMENT
from .judge import decide
from .machine.simulated_world import SimulatedWorld
from .model.action import Action, AskUser, OtherTool, RunShell
from .model.decision import Decision, Verdict
from .model.errors import BadPayload, ToolgateError
from .model.event import NO_SPAWN, Caller, Scene, Spawn, ToolCall
from .model.rule import Policy
from .model.store import Document, Key, Scope, Store, ledger_key
from .model.world import GitState
from .provenance import build_ledger
from .sessions import Stores

HOME = "/home/u"
PROJECT = "/home/u/project"
END_OF_TURN = "@stop"
"""Used instead of a tool: the agent ends its turn. No validator runs here."""
KEYS = frozenset(("shell", "tool", "input", "expect", "rule", "why", "known_gap", "world", "profile", "needs"))
WORLD_KEYS = frozenset(
    (
        *("files", "links", "folders", "git", "committed", "lost", "worktrees"),
        *("cwd", "home", "project", "environ", "caller", "spawn", "lockouts", "heard", "named", "fetched", "written"),
    )
)


class CaseError(ToolgateError):
    """A case file cannot be used: names the file and the case."""


@dataclass(frozen=True, slots=True)
class Case:
    """`expect` holds every accepted verdict; usually one."""

    id: str
    file: str
    host: str
    tool: str
    input: Mapping[str, object]
    expect: frozenset[Verdict]
    rule: str = ""
    why: str = ""
    known_gap: str = ""
    needs: str = ""
    profile: str = ""
    world: SimulatedWorld = field(default_factory=SimulatedWorld)
    cwd: str = PROJECT
    project: str = PROJECT
    home: str = HOME
    environ: Mapping[str, str] = field(default_factory=dict)
    caller: Mapping[str, str] = field(default_factory=dict)
    spawn: Spawn = NO_SPAWN
    lockouts: Document = field(default_factory=dict)
    ledger: Mapping[str, Document] = field(default_factory=dict)  # by the name of its part
    calls: int = 1
    config: Mapping[str, Any] = field(default_factory=dict)  # for acceptance cases: settings in their own design's terms

    @property
    def scene(self) -> Scene:
        environ = {"HOME": self.home, **self.environ}
        caller = Caller(self.host, "cases", self.caller.get("agent", ""), self.caller.get("kind", ""))
        return Scene(caller, self.cwd, self.project, self.home, environ, "u", spawn=self.spawn)

    @property
    def action(self) -> Action:
        if self.tool == "Bash":
            return RunShell(str(self.input.get("command", "")))
        return hosts.load_host(self.host).parse_action(self.tool, self.input, self.cwd)

    @property
    def is_skipped(self) -> bool:
        """Whether the grammar that this case needs is not installed here."""
        return bool(self.needs) and not _is_installed(self.needs)

    @property
    def display_text(self) -> str:
        return str(self.input.get("command") or f"{self.tool} {dict(self.input)}")


@dataclass(frozen=True, slots=True)
class Outcome:
    case: Case
    verdict: Verdict
    rules: tuple[str, ...]
    reason: str = ""
    judged: Verdict | None = None  # if nobody can be asked: the verdict before that

    @property
    def is_right(self) -> bool:
        if self.case.expect.isdisjoint((self.verdict, self.verdict if self.judged is None else self.judged)):
            return False
        return not self.case.rule or self.case.rule in self.rules

    @property
    def has_passed(self) -> bool:
        """Whether the case passes: one marked as a known gap must fail."""
        return self.is_right != bool(self.case.known_gap)


def run_case(case: Case, policy: Policy) -> Outcome:
    """Judges a case in its own world, without access to the machine."""
    try:
        decision = decide_case(case, policy)
    except BadPayload as problem:
        return Outcome(case, Verdict.DENY, ("unreadable",), str(problem))
    rules = tuple(dict.fromkeys(f.rule for f in decision.findings))
    return Outcome(case, decision.verdict, rules, decision.tell_user, None if policy.human else decision.judged)


def decide_case(case: Case, policy: Policy) -> Decision:
    """Returns the decision on a case, in its own world."""
    if case.tool != END_OF_TURN:
        decision = App(lambda: case.world, CaseStores(case)).judge(case.action, case.scene, policy).decision
        return _ask_questions(case, policy, decision) if isinstance(case.action, AskUser) else decision
    from .sessions import turn_end

    return turn_end.judge_turn_end(case.scene, policy, case.world)[0]


def _ask_questions(case: Case, policy: Policy, decision: Decision) -> Decision:
    """Asks all questions of the case and returns the last decision: they are counted."""
    from .sessions import counters

    event, store = ToolCall(case.scene, case.tool, "", case.action), stores.find_store("memory:", "")
    over = [counters.check_question_budget(event, policy, 0.0, lambda: store) for _ in range(case.calls)][-1]
    return decision if over is None else decide((*decision.findings, over), policy)


class CaseStores(Stores):
    """A store in memory with the case's documents, instead of this machine's."""

    def __init__(self, case: Case) -> None:
        super().__init__()
        self._case = case

    def find_store(self, scene: Scene, policy: Policy) -> Store:  # noqa: ARG002
        store = stores.find_store("memory:", "")
        documents = {ledger_key(scene.caller.host, scene.caller.session, name): each for name, each in self._case.ledger.items()}
        documents[Key(Scope("team", scene.project), LOCKOUTS_DOCUMENT)] = self._case.lockouts
        for key, document in documents.items():
            store.update(key, lambda _before: (document, None), 0.0)  # noqa: B023  (called at once)
        return store

    def has_document(self, scene: Scene, name: str) -> bool:  # noqa: ARG002
        return bool(self._case.ledger.get(name))


def iter_shipped_files() -> Iterator[Path]:
    """Yields every case file in the package."""
    return iter(sorted(Path(str(package_files("toolgate"))).rglob("*.cases.toml")))


def load_cases(path: Path) -> list[Case]:
    """Loads a TOML case file. Raises CaseError."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise CaseError(f"{path}: {problem}") from None
    rows = table.get("case")
    if not isinstance(rows, list) or not set(table) <= {"case", "needs"}:
        raise CaseError(f"{path}: a case file holds [[case]] tables, and `needs` where a grammar is needed")
    name, needs = path.name.removesuffix(".cases.toml"), table.get("needs", "")
    return [parse_case({"needs": needs, **row}, f"{name}:{n}", path) for n, row in enumerate(rows, 1)]


def describe_skipped(needs: str, count: int) -> str:
    """Returns the message on how many cases are skipped, and why."""
    return f"{count} cases are skipped: they need {needs}, which is not installed here"


@lru_cache(8)
def _is_installed(module: str) -> bool:
    try:
        import_module(module)
    except ImportError:
        return False
    return True


SCRATCH = "/tmp/case"
_DECISIONS = {"allow": Verdict.PASS, "warn": Verdict.WARN, "ask": Verdict.ASK, "block": Verdict.DENY}


def load_acceptance_cases(path: Path) -> list[Case]:
    """Loads acceptance cases, one JSON object a line, for tool calls before they run. Raises CaseError."""
    found: list[Case] = []
    for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = json.loads(line.replace("$TMP", SCRATCH))
            context, expect = row.get("context", {}), row["expect"]
        except (ValueError, KeyError, AttributeError) as problem:
            raise CaseError(f"{path}:{n}: no case: {problem}") from None
        if context.get("hook") == "pre" and not row["tool"].startswith("@") and expect.get("decision") in _DECISIONS:
            found.append(_parse_acceptance_case(row, context, expect, path))
    return found


def _parse_acceptance_case(row: Mapping[str, Any], context: Mapping[str, Any], expect: Mapping[str, Any], path: Path) -> Case:
    home, cwd = context.get("home", HOME), context.get("cwd", SCRATCH)
    tool_input, before = _split_edit(row["tool"], row["input"], context)
    texts = {
        **{
            name: content if isinstance(content, str) else json.dumps(content)
            for name, content in context.get("files", {}).items()
        },
        **{f"{cwd}/{name}": content for name, content in before.items()},
    }
    folders = frozenset((home, cwd, SCRATCH, *(name for name, content in texts.items() if name.endswith("/"))))
    return Case(
        id=row["id"],
        file=str(path),
        host=_guess_host(row["tool"], tool_input),
        tool=row["tool"],
        input=_fill_arguments(row["tool"], tool_input),
        expect=_expected_verdicts(expect["decision"], context),
        profile=context.get("profile", ""),
        world=SimulatedWorld(
            files={expand_case_path(name, home, cwd): content for name, content in texts.items() if not name.endswith("/")},
            links={
                expand_case_path(name, home, cwd): expand_case_path(target, home, cwd)
                for name, target in (context.get("symlinks") or {}).items()
            },
            folders=folders,
            git_tops={
                expand_case_path(name, home, cwd): GitState(expand_case_path(name, home, cwd))
                for name in context.get("git_repos", (cwd,))
            },
        ),
        cwd=cwd,
        project=cwd,
        home=home,
        environ=context.get("env", {}),
        spawn=_parse_acceptance_spawn(context),
        lockouts=_merge_lockouts(context),
        calls=max(int(context.get("call_number", 1)), 1),
        config=context.get("config", {}),
    )


def _guess_host(tool: str, payload: Mapping[str, object]) -> str:
    """Returns the host of a case, which names none: Copilot's for a tool that Claude Code does not have."""
    try:
        action = hosts.load_host("claude-code").parse_action(tool, payload, SCRATCH)
        is_claude_code = not isinstance(action, OtherTool) or action.role != "unknown"
    except BadPayload:
        is_claude_code = True
    return "claude-code" if is_claude_code or "copilot" not in hosts.HOSTS else "copilot"


def _parse_acceptance_spawn(context: Mapping[str, Any]) -> Spawn:
    return Spawn(
        agent=context.get("agent", ""),
        role=context.get("role", ""),
        phase=context.get("phase", ""),
        writes=tuple(context.get("config", {}).get("allowedWritePaths", ())),
        reads=tuple(context.get("spawn_artifacts", ())),
    )


def _expected_verdicts(decision: str, context: Mapping[str, Any]) -> frozenset[Verdict]:
    """Returns the accepted verdicts. Where a plan is enforced by warnings, an allowed call may be warned of."""
    found = {_DECISIONS[decision]}
    strict = context.get("env", {}).get(designs.ENFORCEMENT_VARIABLE, "").lower() == "strict"
    if context.get("profile") == designs.PLAN_PROFILE and not strict and decision == "allow":
        found.add(Verdict.WARN)
    return frozenset(found)


def _merge_lockouts(context: Mapping[str, Any]) -> Document:
    state: Mapping[str, Any] = context.get("state") or {}
    return {**state.get("lockouts", {}), **state.get("lockouts_by_other_process", {})}


def _split_edit(tool: str, fields: Mapping[str, Any], context: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, str]]:
    """Returns the call's input, and the content of its file before. A case may give an edit as the file before and after."""
    path = str(fields.get("path", fields.get("file_path", "")))
    if "after" in fields:
        old, new = (each if isinstance(each, str) else json.dumps(each) for each in (fields.get("before", ""), fields["after"]))
        return {"path": path, "old_str": old, "new_str": new}, {path: old}
    if tool == "create" and "content" in fields:
        fields = {"path": path, "file_text": fields["content"]}
    return fields, {path: context["file"]} if "file" in context else {}


_DEFAULT_ARGUMENTS: Mapping[str, Mapping[str, object]] = {
    "Write": {"content": ""},
    "Edit": {"old_string": "", "new_string": ""},
    "MultiEdit": {"edits": [{"old_string": "", "new_string": ""}]},
    "NotebookEdit": {"new_source": ""},
    "edit": {"old_str": "", "new_str": ""},
    "create": {"file_text": ""},
}


def _fill_arguments(tool: str, payload: Mapping[str, object]) -> Mapping[str, object]:
    """Adds required arguments that acceptance cases omit and a real client always sends."""
    return {**_DEFAULT_ARGUMENTS.get(tool, {}), **payload}


def parse_case(row: Mapping[str, Any], id_: str, path: Path) -> Case:
    """Parses one `[[case]]`. Raises CaseError."""
    unknown = set(row) - KEYS
    if unknown:
        raise CaseError(f"{path}: case {id_}: unknown key {sorted(unknown)[0]!r}; there are {', '.join(sorted(KEYS))}")
    if ("shell" in row) == ("tool" in row):
        raise CaseError(f"{path}: case {id_}: give `shell`, or `tool` and `input`")
    try:
        expect = frozenset(Verdict[word.upper()] for word in row["expect"].split("|"))
    except (KeyError, AttributeError):
        raise CaseError(f"{path}: case {id_}: expect is one of pass, warn, ask, deny") from None
    world = row.get("world", {})
    if set(world) - WORLD_KEYS:
        raise CaseError(f"{path}: case {id_}: a world has {', '.join(sorted(WORLD_KEYS))}")
    home, project = world.get("home", HOME), world.get("project", PROJECT)

    def expand_path(name: str) -> str:
        return expand_case_path(name, home, project)

    return Case(
        id=id_,
        file=str(path),
        host="claude-code",
        tool=row.get("tool", "Bash"),
        input=row.get("input", {"command": row.get("shell", "")}),
        expect=expect,
        rule=row.get("rule", ""),
        why=row.get("why", ""),
        known_gap=row.get("known_gap", ""),
        needs=row.get("needs", ""),
        profile=row.get("profile", ""),
        world=SimulatedWorld(
            files={expand_path(name): text for name, text in world.get("files", {}).items()},
            links={expand_path(name): expand_case_path(target, home, project) for name, target in world.get("links", {}).items()},
            folders=frozenset((home, project, "/tmp", *(expand_path(name) for name in world.get("folders", ())))),
            git_tops={expand_path(name): GitState(expand_path(name), "main") for name in world.get("git", (".",))},
            committed=frozenset(expand_path(name) for name in world.get("committed", ())),
            lost=world.get("lost", {}),
            working_trees={project: (project, *(expand_path(name) for name in world.get("worktrees", ())))},
        ),
        cwd=expand_path(world.get("cwd", ".")),
        project=project,
        home=home,
        environ=world.get("environ", {}),
        caller=world.get("caller", {}),
        spawn=_parse_spawn(world.get("spawn", {}), f"{path}: case {id_}"),
        lockouts=world.get("lockouts", {}),
        ledger=build_ledger(
            world.get("named", ""),
            world.get("heard", ""),
            {expand_path(name): place for name, place in world.get("fetched", {}).items()},
            tuple(expand_path(name) for name in world.get("written", ())),
        ),
    )


def _parse_spawn(spawn: Mapping[str, Any], location: str) -> Spawn:
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in spawn.items()}
    try:
        return Spawn(**fields)
    except TypeError:
        raise CaseError(f"{location}: `spawn` has {', '.join(Spawn._fields)}") from None


def expand_case_path(name: str, home: str, project: str) -> str:
    if name == "." or name.startswith("./"):
        return project + name[1:]
    return home + name[1:] if name == "~" or name.startswith("~/") else name
