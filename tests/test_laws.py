"""The laws of the design as properties, over every case that ships and over what Hypothesis makes up."""

import json
import random
import shlex
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgate import cases, hosts, programs, rules
from toolgate.app import App
from toolgate.cases import Case
from toolgate.consent.codes import mentioned
from toolgate.grounds import grounds
from toolgate.judge import Evidence, decide, findings, judge
from toolgate.locate import locate
from toolgate.machine.imagined import Imagined
from toolgate.machine.world import Machine, Recorded
from toolgate.model.action import RunShell
from toolgate.model.decision import Decision, Finding, Match, Verdict
from toolgate.model.effect import HERE_AND_NOW, Effects, Opaque
from toolgate.model.event import Caller, Scene, ToolCall
from toolgate.model.request import Request
from toolgate.model.rule import Policy, Ruling
from toolgate.understand import understand

SHIPPED = [case for path in cases.shipped() for case in cases.load(path)]
SHELL = [case for case in SHIPPED if case.tool == "Bash" and not case.known_gap]
ABOUT_TEXT = ("secrets.write", "secrets.write-likely", "secrets.placeholder")
"""Rules on what a text holds: whoever writes it down does it, whatever it is part of."""
MENTIONABLE = [
    case
    for case in SHELL
    if not mentioned(str(case.input["command"]))
    and case.rule not in ABOUT_TEXT
    and not any("hook" in path or ".husky" in path for path in case.world.files)
]
"""All but those with an approval's code: that is nothing an agent can have by chance, and naming it is what is stopped; and those
in whose repository a commit runs hooks."""
STOPS = [case for case in SHELL if Verdict.PASS not in case.expect]
PASSES = [case for case in SHELL if case.expect == {Verdict.PASS}]
SOUND = [case for case in STOPS if '"unterminated' not in str(case.input["command"])]


def scene(case: Case) -> Scene:
    return Scene(Caller("claude-code", "laws"), case.cwd, case.project, case.home, {"HOME": case.home, **case.environ}, "u")


def answer(case: Case, text: str, policy: Policy | None = None) -> Decision:
    return App(lambda: case.world).judge(RunShell(text), scene(case), policy or Policy()).decision


def text(case: Case) -> str:
    return str(case.input["command"])


def evidence(case: Case) -> Evidence:
    where = scene(case)
    effects = locate(understand(case.action, where, case.world), grounds(where), case.world)
    return Evidence(effects, where, case.world)


# ---- 1. The strictest answer wins, in any order.

verdicts = st.sampled_from(Verdict)
made_up = st.lists(
    st.builds(
        lambda rule, verdict, floor: Finding(rule, max(verdict, floor), Match(Opaque("made up", HERE_AND_NOW), "made up"), floor),
        st.sampled_from(sorted(rules.TABLE)),
        verdicts,
        verdicts,
    ),
    max_size=8,
)


@given(made_up, st.randoms(use_true_random=False), verdicts, st.booleans())
def test_order_of_findings_changes_nothing(found: list[Finding], chance: random.Random, cap: Verdict, human: bool) -> None:
    policy = Policy(cap=cap, human=human)
    shuffled = found[:]
    chance.shuffle(shuffled)
    one, other = decide(tuple(found), policy), decide(tuple(shuffled), policy)
    assert (one.judged, one.verdict) == (other.judged, other.verdict)


@given(made_up, made_up, verdicts, st.booleans())
def test_one_more_finding_never_loosens(found: list[Finding], more: list[Finding], cap: Verdict, human: bool) -> None:
    policy = Policy(cap=cap, human=human)
    assert decide((*found, *more), policy).verdict >= decide(tuple(found), policy).verdict


@pytest.mark.parametrize("seed", range(3))
def test_order_of_effects_changes_no_verdict(seed: int) -> None:
    chance = random.Random(seed)
    for case in chance.sample(SHELL, 120):
        given_ = evidence(case)
        shuffled = list(given_.effects.all)
        chance.shuffle(shuffled)
        other = Evidence(Effects(tuple(shuffled), given_.effects.flows), given_.scene, given_.world)
        assert judge(other, Policy()).verdict == judge(given_, Policy()).verdict, text(case)


def test_only_rules_whose_trigger_occurs_are_asked_and_that_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The index against the table itself, asked row by row."""
    by_index = {case.id + case.file: set(findings(evidence(case), Policy())) for case in SHELL[::3]}
    slow: dict[str, tuple[str, ...]] = {}
    for rule, row in reversed(rules.TABLE.items()):
        for kind in row.triggers:
            slow[kind] = (rule, *slow.get(kind, ()))
    monkeypatch.setattr(rules, "INDEX", slow)
    for case in SHELL[::3]:
        assert set(findings(evidence(case), Policy(digest="row by row"))) == by_index[case.id + case.file]


def test_a_rule_that_could_come_to_nothing_is_not_asked_and_that_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Off by its row, or by the policy; one with a floor is asked whatever the policy says."""
    off = Policy(rulings=dict.fromkeys(rules.TABLE, Ruling(Verdict.PASS, Verdict.PASS)))
    asked: set[str] = set()
    check = rules.check

    def noted(rule: str) -> rules.Check:
        asked.add(rule)
        return check(rule)

    monkeypatch.setattr(rules, "check", noted)
    for policy in (Policy(), off):
        asked.clear()
        found = {finding.rule for case in SHELL[::3] for finding in findings(evidence(case), policy)}
        silent = {
            rule
            for rule, row in rules.TABLE.items()
            if (policy.ruling(rule, row).verdict, policy.ruling(rule, row).unsure, *row.floor) == (Verdict.PASS,) * 4
        }
        assert silent
        assert found <= asked
        assert asked.isdisjoint(silent)
        assert asked


# ---- 2. PASS is silence.


def test_pass_is_silence_and_nothing_ever_says_allow() -> None:
    host = hosts.host("claude-code")
    for case in SHELL:
        decision = answer(case, text(case))
        event = ToolCall(scene(case), "Bash", "t", case.action)
        given_ = host.answer(decision, event)
        assert '"allow"' not in given_.stdout
        if decision.verdict is Verdict.PASS:
            assert (given_.stdout, given_.stderr, given_.exit_code) == ("", "", 0)


# ---- 3. Wrapping never loosens, and what may not run never relieves.


def carriers() -> Iterator[tuple[str, str]]:
    """Every row that runs the rest of its argv, on this machine, as the same user or a stronger one."""
    for names in programs.FAMILIES.values():
        for name in names.split():
            row = programs.row(name)
            if row is not None and "command" in row.operands.split():
                before = " ".join("1" for role in row.operands.split() if role == "data")
                yield name, f"{name} {before} {{}}"
    for form in (
        "sudo {}", "sudo -u bob -E {}", "sudo -- {}", "env A=b {}", "env -i {}", "env -u X {}", "xargs {} < /dev/null",
        "command {}", "exec {}", "builtin command {}", "busybox {}", "flock /tmp/lock {}", "watch -x {}", "noglob {}", "time {}",
        "find . -maxdepth 0 -exec {} \\;", "find . -maxdepth 0 -exec {} +", "unshare -r {}", "nsenter -t 1 {}",
        "sudo env nohup nice {}",
    ):  # fmt: skip
        yield form, form


Form = Callable[[str], str]
PROGRAM_FORMS: dict[str, Form] = {
    "sh -c": lambda c: f"sh -c {shlex.quote(c)}",
    "bash -c bash -c": lambda c: "bash -c " + shlex.quote("bash -c " + shlex.quote(c)),
    "sudo sh -c": lambda c: f"sudo sh -c {shlex.quote(c)}",
    "eval": lambda c: f"eval {shlex.quote(c)}",
    "trap": lambda c: f"trap {shlex.quote(c)} EXIT",
    "su -c": lambda c: f"su -c {shlex.quote(c)}",
    "script": lambda c: f"cat > zz.sh <<'EOX'\n{c}\nEOX\nsh zz.sh",
    "here-document": lambda c: f"bash <<'EOX'\n{c}\nEOX\n",
    "here-string": lambda c: f"bash <<< {shlex.quote(c)}",
    "pipe into a shell": lambda c: f"printf '%s\\n' {shlex.quote(c)} | sh",
    "process substitution": lambda c: f"source <(echo {shlex.quote(c)})",
    "python": lambda c: f"python3 -c {shlex.quote(f'import os; os.system({c!r})')}",
    "xargs sh -c": lambda c: f"echo 1 | xargs -n1 sh -c {shlex.quote(c)}",
    "find sh -c": lambda c: f"find . -maxdepth 0 -exec sh -c {shlex.quote(c)} \\;",
    "watch": lambda c: f"watch {shlex.quote(c)}",
    "git alias": lambda c: f"git -c alias.zz={shlex.quote('!' + c)} zz",
    "subshell": lambda c: f"( {c}\n)",
    "group": lambda c: f"{{ {c}\n}}",
    "not": lambda c: f"! {{ {c}\n}}",
    "if": lambda c: f"if true; then {c}\nfi",
    "else": lambda c: f"if false; then :; else {c}\nfi",
    "while": lambda c: f"while true; do {c}\nbreak; done",
    "for": lambda c: f"for i in 1; do {c}\ndone",
    "case": lambda c: f"case x in x) {c}\n;; esac",
    "function": lambda c: f"zz() {{ {c}\n}}; zz",
    "substitution": lambda c: f'echo "$({c}\n)"',
    "pipeline": lambda c: f"true | {{ {c}\n}}",
    "background": lambda c: f"{{ {c}\n}} &",
    "after failure": lambda c: f"false || {{ {c}\n}}",
    "after success": lambda c: f"true && {{ {c}\n}}",
}


def is_simple(command: str) -> bool:
    return (
        bool(command.strip())
        and not set(command) & set("\n|;&(){}<>`$#*?[~\\'\"")
        and "=" not in command.split()[0]
        and command.split()[0] not in SHELL_OWN
    )


SHELL_OWN = (
    "cd",
    "if",
    "for",
    "while",
    "!",
    "time",
    "[[",
    "pushd",
    "alias",
    "read",
    "eval",
    "export",
    "exec",
    "source",
    ".",
    "trap",
)
SIMPLE = [case for case in SOUND if is_simple(text(case))]


@pytest.mark.parametrize(("name", "form"), list(carriers()))
def test_a_carrier_never_loosens(name: str, form: str) -> None:
    for case in SIMPLE:
        base = answer(case, text(case)).verdict
        carried = answer(case, form.format(text(case)))
        assert carried.verdict >= base, (form.format(text(case)), carried)


@pytest.mark.parametrize("form", PROGRAM_FORMS)
def test_a_form_around_a_program_never_loosens(form: str) -> None:
    wrap = PROGRAM_FORMS[form]
    for case in SOUND:
        command = text(case)
        if command.rstrip().endswith("&") or "#" in command or (form == "find sh -c" and "{}" in command):
            continue
        base = answer(case, command).verdict
        wrapped = answer(case, wrap(command))
        assert wrapped.verdict >= base, (wrap(command), base, wrapped)


RELIEFS = (
    "X=/tmp/a", "rm() { :; }", "cd /tmp", "alias rm=echo", "exit", "return", "set -- x", "unset X", "export HOME=/tmp",
    "mkdir x && cd x", "D=build", "F=", "git() { :; }",
)  # fmt: skip


@pytest.mark.parametrize("relief", RELIEFS)
def test_what_may_not_run_never_relieves(relief: str) -> None:
    for case in SOUND:
        command = text(case)
        base = answer(case, command).verdict
        relieved = answer(case, f"false && {relief}; {command}")
        assert relieved.verdict >= base, (relief, command, base, relieved)


QUOTES: tuple[Form, ...] = (
    lambda w: w,
    shlex.quote,
    lambda w: f'"{w}"',
    lambda w: f"'{w}'",
    lambda w: w[0] + "''" + w[1:],
    lambda w: "\\" + w,
)


@pytest.mark.parametrize("chance", range(4))
def test_quoting_spacing_and_line_ends_change_nothing(chance: int) -> None:
    dice = random.Random(chance)
    for case in SIMPLE:
        words = text(case).split()
        quoted = [dice.choice(QUOTES)(word) for word in words]
        spaced = dice.choice(["  ", "\t", " \\\n "]).join(quoted)
        assert answer(case, spaced).verdict == answer(case, text(case)).verdict, spaced


def test_a_path_that_ends_in_the_name_is_judged_alike() -> None:
    for case in SIMPLE:
        head, _, rest = text(case).partition(" ")
        if "/" not in head:
            for folder in ("/bin/", "/usr/bin/", "/opt/x/"):
                assert answer(case, f"{folder}{head} {rest}").verdict >= answer(case, text(case)).verdict, text(case)


# ---- 4. Mentioning is not doing.

MENTIONS = {
    "echo": "echo {}",
    "commit": "git commit -m {}",
    "grep": "grep -rn {} .",
    "assignment": "X={}",
    "printf": "printf '%s' {}",
    "jq": "jq --arg x {} . f",
    "test": "[ {} = x ]",
    "to a file": "echo {} > notes.md",
    "body": "curl -d {} https://example.com",
    "issue": "gh issue create --title x --body {}",
    "log": "git log --grep={}",
    "logger": "logger {}",
}


@pytest.mark.parametrize("form", MENTIONS)
def test_a_mention_does_nothing(form: str) -> None:
    for case in MENTIONABLE:
        said = MENTIONS[form].format(shlex.quote(text(case)))
        decision = answer(case, said)
        assert decision.verdict is Verdict.PASS, (said, decision)


def test_a_comment_and_a_document_do_nothing() -> None:
    for case in MENTIONABLE:
        command = text(case)
        document = f"cat > notes.md <<'EOX'\n{command}\nEOX\n"
        assert answer(case, document).verdict is Verdict.PASS, document
        if "\n" not in command:
            assert answer(case, f"true # {command}").verdict is Verdict.PASS, command
        printed = "python3 -c " + shlex.quote(f"print({command!r})")
        assert answer(case, printed).verdict is Verdict.PASS, printed


def data_rows() -> list[str]:
    names = [name for family in programs.FAMILIES.values() for name in family.split()]
    rows = [(name, programs.row(name)) for name in names]
    return [name for name, row in rows if row is not None and row.does is None and row.operands == "data*" and not row.operation]


@pytest.mark.parametrize("name", data_rows())
def test_what_a_program_takes_as_text_does_nothing(name: str) -> None:
    for case in [case for case in MENTIONABLE if case in STOPS][::4]:
        said = f"{name} {shlex.quote(text(case))}"
        assert answer(case, said).verdict is Verdict.PASS, said


# ---- 5. App.handle is total and closed.

PAYLOAD = {
    "session_id": "s", "transcript_path": "/x", "cwd": "/home/u/project", "hook_event_name": "PreToolUse", "tool_name": "Bash",
    "tool_input": {"command": "rm -rf /"}, "tool_use_id": "t",
}  # fmt: skip


def asked(payload: bytes, event: str = "PreToolUse") -> object:
    request = Request(
        "claude-code", event, payload, {"HOME": "/home/u", "TOOLGATE_HOME": "/nonexistent/toolgate"}, "/", 1000, 0.0
    )
    return App(Imagined).handle(request)


def well_formed(given_: object) -> bool:
    from toolgate.model.request import Answer

    assert isinstance(given_, Answer)
    if given_.stdout:
        table = json.loads(given_.stdout)
        assert isinstance(table, dict)
        assert "allow" not in table.get("hookSpecificOutput", {}).get("permissionDecision", "")
    return given_.exit_code in (0, 2)


def is_object(payload: bytes) -> bool:
    """An empty object is all that some events need."""
    try:
        return isinstance(json.loads(payload), dict)
    except ValueError:
        return False


@settings(max_examples=300)
@given(st.binary(max_size=300), st.sampled_from(hosts.host("claude-code").EVENTS))
def test_any_bytes_get_an_answer_and_never_silence(payload: bytes, event: str) -> None:
    given_ = asked(payload, event)
    assert well_formed(given_)
    if event in ("PreToolUse", "PermissionRequest") or not is_object(payload):
        assert given_.stdout or given_.stderr  # type: ignore[attr-defined]


@settings(max_examples=300)
@given(
    st.text(alphabet=st.characters(codec="utf-8"), max_size=60),
    st.sampled_from(["Bash", "Write", "Edit", "Read", "mcp__a__b", "Monitor", "Agent"]),
)
def test_any_text_in_a_call_gets_an_answer(value: str, tool: str) -> None:
    fields = {"command": value, "file_path": value, "content": value, "old_string": value, "new_string": value}
    assert well_formed(asked(json.dumps({**PAYLOAD, "tool_name": tool, "tool_input": fields}).encode()))


@settings(max_examples=400)
@given(
    st.sampled_from(SHELL),
    st.lists(st.tuples(st.integers(0, 400), st.sampled_from("$`\"'\\(){}|;&<>\n *~!#=ab[]?")), min_size=1, max_size=5),
)
def test_a_mutated_command_gets_an_answer(case: Case, changes: list[tuple[int, str]]) -> None:
    letters = list(text(case))
    for at, letter in changes:
        letters.insert(at % (len(letters) + 1), letter)
    given_ = asked(json.dumps({**PAYLOAD, "tool_input": {"command": "".join(letters)}}).encode())
    assert well_formed(given_)
    assert "could not judge" not in given_.stderr, given_  # type: ignore[attr-defined]


def test_a_rule_that_raises_is_a_finding_that_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Iterator[Match]:
        raise ZeroDivisionError

    monkeypatch.setattr(rules, "check", lambda rule: broken)
    decision = answer(PASSES[0], "rm x")
    assert decision.verdict >= Verdict.ASK
    assert any("failed (ZeroDivisionError)" in finding.match.reason for finding in decision.findings)


# ---- 8. Same request, same policy, same world: same answer. And judged again from the record.


def test_a_decision_can_be_judged_again_from_what_was_recorded() -> None:
    for case in SHELL[::5]:
        where = scene(case)
        first = Machine()
        effects = locate(understand(case.action, where, first), grounds(where), first)
        decision = judge(Evidence(effects, where, first), Policy())
        again = Recorded(first.answers, folds_case=first.folds_case)
        effects_again = locate(understand(case.action, where, again), grounds(where), again)
        assert judge(Evidence(effects_again, where, again), Policy()) == decision, text(case)


def test_what_was_judged_before_is_judged_the_same_in_this_world_alone() -> None:
    for case, other in zip(SHELL[::3], SHELL[1::3], strict=False):
        worlds = [case.world, case.world, other.world, case.world]
        app = App(iter(worlds).__next__)
        for world in worlds:
            told = app.judge(case.action, case.scene, Policy()).decision
            assert told == App(lambda: world).judge(case.action, case.scene, Policy()).decision, text(case)  # noqa: B023


# ---- 10. Floors hold.

LOWERED = {rule: Ruling(Verdict.PASS, Verdict.PASS) for rule in rules.TABLE}


@pytest.mark.parametrize("cap", Verdict)
@pytest.mark.parametrize("human", [True, False])
def test_floors_hold_under_every_cap_and_with_every_rule_lowered(cap: Verdict, human: bool) -> None:
    for case in STOPS:
        floors = [finding.floor for finding in answer(case, text(case)).findings]
        lowered = answer(case, text(case), Policy(rulings=LOWERED, cap=cap, human=human))
        assert lowered.verdict >= max(floors, default=Verdict.PASS), text(case)


def test_an_observer_warns_and_the_agent_is_not_told() -> None:
    for case in STOPS:
        decision = answer(case, text(case), Policy(cap=Verdict.WARN))
        if not any(finding.floor for finding in decision.findings):
            assert decision.verdict <= Verdict.WARN
            assert not decision.tell_agent
