"""Coding agents started by an agent: a new client, which may be told to call no hook or to ask nobody."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from toolgate.model.effect import Carrier, Operation, PrintedOutput, ReportedEffect, Run, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Maybe, Word, join_words, known_word, maybe_any
from toolgate.programs.argv.program import Program, combine_programs
from toolgate.programs.databases.frameworks import GOOSE
from toolgate.programs.infrastructure.clusters import AWS_COPILOT


@dataclass(frozen=True, slots=True)
class Agent:
    """`unhooked`: options with which it calls no hook. `variables`: those with the same effect. `places`: variables that name
    the folder of its settings. `unasked`: options, perhaps with a value, and assignments of variables, with which it asks
    nobody. `verbs`: the words that start a session, if not every call does. `hooked`: it calls hooks that the gate can be
    registered for."""

    unasked: tuple[str, ...]
    unhooked: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    places: tuple[str, ...] = ("HOME",)
    verbs: tuple[str, ...] = ()
    hooked: bool = True

    def is_started_by(self, texts: list[str]) -> bool:
        """Returns whether these arguments start a session."""
        return not self.verbs or not set(self.verbs).isdisjoint(texts)


CLAUDE = Agent(
    ("--dangerously-skip-permissions", "--allow-dangerously-skip-permissions", "--permission-mode bypassPermissions"),
    ("--bare", "--safe-mode"),
    ("CLAUDE_CODE_SIMPLE",),
    ("HOME", "CLAUDE_CONFIG_DIR"),
)
CODEX = Agent(
    ("--dangerously-bypass-approvals-and-sandbox", "--yolo", "--ask-for-approval never", "-a never", "--full-auto"),
    places=("HOME", "CODEX_HOME"),
)
_APPROVE_ALL = ("--yolo", "-y", "--approval-mode yolo")
GEMINI = Agent(_APPROVE_ALL, places=("HOME", "GEMINI_CLI_HOME"))
QWEN = Agent(_APPROVE_ALL, ("--bare", "--safe-mode"), places=("HOME", "QWEN_HOME"))
CLINE = Agent(_APPROVE_ALL, ("--config",), places=("HOME", "CLINE_DIR"))
COPILOT = Agent(
    (
        "COPILOT_ALLOW_ALL=true",
        "COPILOT_ALLOW_ALL=1",
        "--allow-all-tools",
        "--allow-all",
        "--yolo",
        "--no-ask-user",
        "--allow-tool shell",
    ),
    places=("HOME", "COPILOT_HOME", "XDG_CONFIG_HOME"),
)
AGENT_WITHOUT_HOOKS = Agent((), hooked=False)
_OTHER_APPROVALS = ("--yolo", "--dangerously-skip-permissions", "--dangerously-allow-all", "--yes-always", "--force")
OTHER_AGENTS = Agent(_OTHER_APPROVALS)
GOOSE_AGENT = Agent(("GOOSE_MODE=auto", *_OTHER_APPROVALS))
OPENCODE, KILO = (
    Agent(
        ("--auto", *_OTHER_APPROVALS),
        ("--pure",),
        (f"{prefix}_PURE",),
        ("HOME", "XDG_CONFIG_HOME", f"{prefix}_CONFIG", f"{prefix}_CONFIG_DIR"),
    )
    for prefix in ("OPENCODE", "KILO")
)
KIMI = Agent(_OTHER_APPROVALS, places=("HOME", "KIMI_CODE_HOME"))

AGENTS = {
    "claude": CLAUDE,
    "claude-code": CLAUDE,
    "codex": CODEX,
    "gemini": GEMINI,
    "gemini-cli": GEMINI,
    "copilot": COPILOT,
    "qwen": QWEN,
    "cline": CLINE,
    "opencode": OPENCODE,
    **dict.fromkeys(("kilo", "kilocode"), KILO),
    "kimi": KIMI,
    **dict.fromkeys(("cursor-agent", "amp"), OTHER_AGENTS),
    "goose": GOOSE_AGENT,
    **dict.fromkeys(
        ("aider", "openhands", "crush", "codebuff", "auggie", "gptme", "sweagent", "swe-agent", "plandex"), AGENT_WITHOUT_HOOKS
    ),
    "interpreter": Agent(("-y", "--auto_run"), hooked=False),
    **dict.fromkeys(("q", "kiro", "kiro-cli", "cody"), Agent((), verbs=("chat", "agent"), hooked=False)),
    "droid": Agent((), verbs=("exec", "chat"), hooked=False),
}
_GUARD_SETTINGS = frozenset(("hooks", "disableAllHooks", "permissions"))
INFORMATION = frozenset(("--version", "-v", "--help", "-h"))


def start_agent(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    name = argv[0].file_name.partition("@")[0]
    agent = AGENTS.get(name, OTHER_AGENTS)
    words = argv[1:]
    texts = [word.text or "" for word in words]
    if texts[:2] == ["mcp", "add"] or texts[:2] == ["mcp", "add-json"]:
        yield from _add_mcp_server(words, context)
    if agent is CLAUDE and texts[:1] == ["config"] and texts[1:2] != ["get"] and not _GUARD_SETTINGS.isdisjoint(texts[2:]):
        settings = known_word(f"{context.home}/.claude/settings.json")
        yield Write(context.resolve_place(settings), None, None, context.origin)
    if not INFORMATION & set(texts[:1]) and agent.is_started_by(texts):
        unasked = any(_is_given(option, texts) or _is_assigned(option, context) for option in agent.unasked)
        flags: tuple[tuple[str, Maybe], ...] = (
            ("unguarded", _runs_without_hooks(agent, words, texts, context)),
            ("unasked", unasked),
        )
        yield Operation("agent.start", context.origin, argv[0], flags)
    yield PrintedOutput(context.unknown_output(name))


_SERVER_ADDRESS = re.compile(r'"url"\s*:\s*"(https?://[^"]+)"')


def _add_mcp_server(words: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`claude mcp add NAME -- COMMAND`: every later session starts the command, or asks the server at an address."""
    texts = [word.text for word in words]
    at = texts.index("--") + 1 if "--" in texts else 3
    for before, word in pairwise(words):
        is_address = word.starts_with("https://") is True or word.starts_with("http://") is True
        if is_address and before.starts_with("-") is not True:
            yield Operation("setting.server", context.origin, word)
    for address in _SERVER_ADDRESS.findall(texts[-1] or "") if texts[:2] == ["mcp", "add-json"] else ():
        yield Operation("setting.server", context.origin, known_word(address))
    command = words[at:]
    if command and (command[0].contains("://") is not True or command[0].starts_with("{") is True):
        yield Operation("setting.runs", context.origin, join_words(list(command)))
        yield Run(tuple(command), context.origin, Carrier("mcp", "add"), sure=None)


def _runs_without_hooks(agent: Agent, words: tuple[Word, ...], texts: list[str], context: ExecutionContext) -> Maybe:
    """Returns whether the client would call no hook, or other hooks than here."""
    if any(_is_given(option, texts) for option in agent.unhooked):
        return True
    if any(_is_truthy(context.get_variable(name)) for name in agent.variables) or any(
        context.get_variable(name) for name in agent.places
    ):
        return True
    if not agent.hooked:
        return None
    if agent is not CLAUDE:
        return False
    if _option_values("--setting-sources", words):
        return True
    return maybe_any(_disables_hooks(word, context) for word in _option_values("--settings", words))


def _disables_hooks(settings: Word, context: ExecutionContext) -> Maybe:
    """Returns whether settings, given as JSON or as a file, disable hooks; None if they cannot be read."""
    if (settings.text or "").lstrip().startswith("{"):
        return _has_disable_switch(settings)
    return maybe_any(map(_has_disable_switch, context.read_alternatives(settings))) if settings.text else None


def _has_disable_switch(settings: Word) -> Maybe:
    try:
        settings_file = json.loads(settings.text or "")
    except (ValueError, RecursionError):
        return None if settings.text is None else False  # the client ignores settings that do not parse
    return isinstance(settings_file, dict) and settings_file.get("disableAllHooks") is True


def _option_values(option: str, words: tuple[Word, ...]) -> list[Word]:
    """Returns the values of an option: the next word, or the text after `=`."""
    found: list[Word] = []
    for n, word in enumerate(words):
        name, joined, value = word.partition("=")
        if word.text == option:
            found += words[n + 1 : n + 2]
        elif joined and name.text == option:
            found.append(value)
    return found


def _is_given(option: str, texts: list[str]) -> bool:
    name, _, value = option.partition(" ")
    if not value:
        return name in texts
    return f"{name}={value}" in texts or (name, value) in pairwise(texts)


def _is_assigned(assignment: str, context: ExecutionContext) -> bool:
    """Returns whether a variable has this value: `GOOSE_MODE=auto`."""
    name, _, value = assignment.partition("=")
    return not name.startswith("-") and (found := context.get_variable(name)) is not None and found.text == value


def _is_truthy(value: Word | None) -> bool:
    return value is not None and value.text not in ("", "0", "false")


ROWS: dict[str, Program] = {
    **dict.fromkeys(AGENTS, Program(does=start_agent)),
    "goose": combine_programs(Program(does=start_agent), GOOSE),
    "copilot": combine_programs(Program(does=start_agent), AWS_COPILOT),
}
