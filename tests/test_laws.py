"""Tests the laws of the design as properties, over every shipped case and over what Hypothesis generates."""

import json
import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judged import PASSES, SHELL, STOPS, answer, answer_under, scene, text
from toolgate import hosts, rules
from toolgate.app import App
from toolgate.cases import Case
from toolgate.judge import Evidence, decide, iter_findings, judge
from toolgate.locate import locate
from toolgate.machine.simulated_world import SimulatedWorld
from toolgate.machine.world import MachineWorld, RecordedWorld
from toolgate.model.decision import Finding, Match, Verdict
from toolgate.model.effect import DEFAULT_ORIGIN, Opaque
from toolgate.model.event import ToolCall
from toolgate.model.request import Request
from toolgate.model.rule import Policy, Ruling
from toolgate.programs import FAMILY_OF
from toolgate.programs.tasks import MODULE_OF_PROGRAM
from toolgate.session_places import find_session_places
from toolgate.understand import understand


def evidence(case: Case) -> Evidence:
    where = scene(case)
    effects = locate(understand(case.action, where, case.world), find_session_places(where), case.world)
    return Evidence(effects, where, case.world)


# ---- 1. The strictest answer wins, in any order.

verdicts = st.sampled_from(Verdict)
made_up = st.lists(
    st.builds(
        lambda rule, verdict, floor: Finding(
            rule, max(verdict, floor), Match(Opaque("made up", DEFAULT_ORIGIN), "made up"), floor
        ),
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
        other = Evidence(replace(given_.effects, all=tuple(shuffled)), given_.scene, given_.world)
        assert judge(other, Policy()).verdict == judge(given_, Policy()).verdict, text(case)


def test_only_rules_whose_trigger_occurs_are_asked_and_that_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compares the index with the table itself, row by row."""
    by_index = {case.id + case.file: set(iter_findings(evidence(case), Policy())) for case in SHELL[::3]}
    slow: dict[str, tuple[str, ...]] = {}
    for rule, row in reversed(rules.TABLE.items()):
        for kind in row.triggers:
            slow[kind] = (rule, *slow.get(kind, ()))
    monkeypatch.setattr(rules, "RULES_BY_TRIGGER", slow)
    for case in SHELL[::3]:
        assert set(iter_findings(evidence(case), Policy(digest="row by row"))) == by_index[case.id + case.file]


def test_a_rule_that_could_come_to_nothing_is_not_asked_and_that_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule may be switched off by its row or by the policy; a rule with a floor is always checked."""
    off = Policy(rulings=dict.fromkeys(rules.TABLE, Ruling(Verdict.PASS, Verdict.PASS)))
    loaded_rules: set[str] = set()
    check = rules.load_check

    def record_rule(rule: str) -> rules.Check:
        loaded_rules.add(rule)
        return check(rule)

    monkeypatch.setattr(rules, "load_check", record_rule)
    for policy in (Policy(), off):
        loaded_rules.clear()
        found = {finding.rule for case in SHELL[::3] for finding in iter_findings(evidence(case), policy)}
        silent = {
            rule
            for rule, row in rules.TABLE.items()
            if (policy.ruling_for(rule, row).verdict, policy.ruling_for(rule, row).unsure, *row.floor) == (Verdict.PASS,) * 4
        }
        assert silent
        assert found <= loaded_rules
        assert loaded_rules.isdisjoint(silent)
        assert loaded_rules


# ---- 2. PASS is silence, as long as nobody opted in (tests/test_prompts.py: what holds where somebody did).


def test_pass_is_silence_and_nothing_ever_says_allow() -> None:
    host = hosts.load_host("claude-code")
    for case in SHELL:
        decision = answer(case, text(case))
        event = ToolCall(scene(case), "Bash", "t", case.action)
        given_ = host.answer(decision, event)
        assert '"allow"' not in given_.stdout
        if decision.verdict is Verdict.PASS:
            assert (given_.stdout, given_.stderr, given_.exit_code) == ("", "", 0)


# ---- 5. App.handle is total and closed.

PAYLOAD = {
    "session_id": "s", "transcript_path": "/x", "cwd": "/home/u/project", "hook_event_name": "PreToolUse", "tool_name": "Bash",
    "tool_input": {"command": "rm -rf /"}, "tool_use_id": "t",
}  # fmt: skip


def ask_gate(payload: bytes, event: str = "PreToolUse") -> object:
    request = Request("claude-code", event, payload, {"HOME": "/home/u", "TOOLGATE_HOME": "/dev/null/toolgate"}, "/", 1000, 0.0)
    return App(SimulatedWorld).handle(request)


def well_formed(given_: object) -> bool:
    from toolgate.model.request import Answer

    assert isinstance(given_, Answer)
    if given_.stdout:
        table = json.loads(given_.stdout)
        assert isinstance(table, dict)
        assert "allow" not in table.get("hookSpecificOutput", {}).get("permissionDecision", "")
    return given_.exit_code in (0, 2)


def is_object(payload: bytes) -> bool:
    """Returns whether the output is an object; an empty one is enough for some events."""
    try:
        return isinstance(json.loads(payload), dict)
    except ValueError:
        return False


@settings(max_examples=300)
@given(st.binary(max_size=300), st.sampled_from(hosts.load_host("claude-code").EVENTS))
def test_any_bytes_get_an_answer_and_never_silence(payload: bytes, event: str) -> None:
    given_ = ask_gate(payload, event)
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
    assert well_formed(ask_gate(json.dumps({**PAYLOAD, "tool_name": tool, "tool_input": fields}).encode()))


@settings(max_examples=400)
@given(
    st.sampled_from(SHELL),
    st.lists(st.tuples(st.integers(0, 400), st.sampled_from("$`\"'\\(){}|;&<>\n *~!#=ab[]?")), min_size=1, max_size=5),
)
def test_a_mutated_command_gets_an_answer(case: Case, changes: list[tuple[int, str]]) -> None:
    letters = list(text(case))
    for at, letter in changes:
        letters.insert(at % (len(letters) + 1), letter)
    given_ = ask_gate(json.dumps({**PAYLOAD, "tool_input": {"command": "".join(letters)}}).encode())
    assert well_formed(given_)
    assert "could not judge" not in given_.stderr, given_  # type: ignore[attr-defined]


def test_a_rule_that_raises_is_a_finding_that_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def raise_error(*_: object) -> Iterator[Match]:
        raise ZeroDivisionError

    monkeypatch.setattr(rules, "load_check", lambda rule: raise_error)
    decision = answer(PASSES[0], "rm x")
    assert decision.verdict >= Verdict.ASK
    assert any("failed (ZeroDivisionError)" in finding.match.reason for finding in decision.findings)


@pytest.mark.parametrize("arguments", ["", " -", " --", " run", ' "$x"', ' "$(cat q)" rm'])
def test_no_rule_fails_on_a_program_with_odd_arguments(arguments: str) -> None:
    for program in sorted({*FAMILY_OF, *MODULE_OF_PROGRAM}):
        reasons = [finding.match.reason for finding in answer(PASSES[0], program + arguments).findings]
        assert not [reason for reason in reasons if "failed (" in reason], program + arguments


# ---- 8. Same request, same policy, same world: same answer. And judged again from the record.


def test_a_decision_can_be_judged_again_from_what_was_recorded() -> None:
    for case in SHELL[::5]:
        where = scene(case)
        first = MachineWorld()
        effects = locate(understand(case.action, where, first), find_session_places(where), first)
        decision = judge(Evidence(effects, where, first), Policy())
        again = RecordedWorld(first.answers, folds_case=first.folds_case)
        effects_again = locate(understand(case.action, where, again), find_session_places(where), again)
        assert judge(Evidence(effects_again, where, again), Policy()) == decision, text(case)


def test_what_was_judged_before_is_judged_the_same_in_this_world_alone() -> None:
    for case, other in zip(SHELL[::9], SHELL[1::9], strict=False):
        worlds = [case.world, case.world, other.world, case.world]
        current = [case.world]
        app = App(lambda: current[0])  # noqa: B023
        for world in worlds:
            current[0] = world
            decision = app.judge(case.action, case.scene, Policy()).decision
            assert decision == App(lambda: world).judge(case.action, case.scene, Policy()).decision, text(case)  # noqa: B023


# ---- 10. Floors hold.

LOWERED = {rule: Ruling(Verdict.PASS, Verdict.PASS) for rule in rules.TABLE}


def test_floors_hold_under_every_cap_and_with_every_rule_lowered() -> None:
    policies = [Policy(rulings=LOWERED, cap=cap, human=human) for cap in Verdict for human in (True, False)]
    for case in STOPS:
        floors = [finding.floor for finding in answer(case, text(case)).findings]
        found = evidence(case)
        for policy in policies:
            assert judge(found, policy).verdict >= max(floors, default=Verdict.PASS), text(case)


def test_an_observer_warns_and_the_agent_is_not_told() -> None:
    for case in STOPS:
        decision = answer_under(Policy(cap=Verdict.WARN), case, text(case))
        if not any(finding.floor for finding in decision.findings):
            assert decision.verdict <= Verdict.WARN
            assert not decision.tell_agent
