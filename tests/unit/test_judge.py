"""Tests how findings become a decision."""

from dataclasses import replace

import pytest

from toolgate.app import local_scene
from toolgate.judge import (
    Evidence,
    blocking_findings,
    decide,
    describe_operand,
    explain_findings,
    heaviest_finding,
    iter_findings,
    sort_by_weight,
)
from toolgate.machine.simulated_world import SimulatedWorld
from toolgate.model.decision import Finding, Match, Verdict
from toolgate.model.effect import DEFAULT_ORIGIN, Delete, Effect, Effects, Opaque, Operation, Read, Run, kind_of
from toolgate.model.place import Place
from toolgate.model.rule import Policy
from toolgate.model.stakes import Stakes
from toolgate.model.word import known_word

POLICY = Policy()


def build_finding(verdict: Verdict, floor: Verdict = Verdict.PASS, rule: str = "git.clean") -> Finding:
    return Finding(rule, verdict, Match(Opaque("", DEFAULT_ORIGIN), "A reason."), floor)


def test_a_waived_finding_counts_for_nothing() -> None:
    asking_call = build_finding(Verdict.ASK)
    assert decide((asking_call,), POLICY, (asking_call,)).verdict is Verdict.PASS


def test_a_waived_finding_with_a_floor_counts() -> None:
    floor = build_finding(Verdict.DENY, Verdict.DENY)
    assert decide((floor,), POLICY, (floor,)).verdict is Verdict.DENY


@pytest.mark.parametrize("floor", [Verdict.WARN, Verdict.ASK])
def test_a_waived_finding_never_falls_below_its_floor(floor: Verdict) -> None:
    found = build_finding(Verdict.DENY, floor)
    assert decide((found,), POLICY, (found,)).verdict >= floor


def test_a_waiver_leaves_other_findings() -> None:
    waived, other = build_finding(Verdict.DENY), build_finding(Verdict.ASK, rule="git.discard")
    assert decide((waived, other), POLICY, (waived,)).verdict is Verdict.ASK


def explain(*texts: tuple[str, str, str]) -> str:
    """Returns the message about findings, each with a rule, a reason and an alternative."""
    found = [Finding(rule, Verdict.DENY, Match(Opaque("", DEFAULT_ORIGIN), text, instead)) for rule, text, instead in texts]
    return explain_findings(found, POLICY)


def test_an_alternative_and_a_rule_that_findings_share_are_told_once() -> None:
    wait = "wait for the user."
    assert explain(("gate.self-approval", "Names a code.", wait), ("gate.self-approval", "Answers a request.", wait)) == (
        "Names a code. Answers a request. Instead: wait for the user. [gate.self-approval]"
    )


def test_rules_that_share_an_alternative_keep_their_names() -> None:
    assert explain(("git.clean", "Deletes a.", "list them."), ("git.discard", "Discards b.", "list them.")) == (
        "Deletes a. [git.clean] Discards b. Instead: list them. [git.discard]"
    )


def test_findings_with_alternatives_of_their_own_are_told_apart() -> None:
    assert explain(
        ("git.clean", "Deletes a.", "list a."), ("git.clean", "Deletes b.", ""), ("git.clean", "Deletes a.", "list a.")
    ) == ("Deletes a. Instead: list a. [git.clean] Deletes b. [git.clean]")


def decided(verdict: Verdict, floor: Verdict = Verdict.PASS, **policy: object) -> tuple[Verdict, bool]:
    """Returns the verdict on one finding, and whether the agent is told."""
    decision = decide((build_finding(verdict, floor),), replace(POLICY, **policy))  # type: ignore[arg-type]
    assert decision.judged is verdict
    assert decision.tell_user == "A reason. [git.clean]"
    return decision.verdict, bool(decision.tell_agent)


def test_a_cap_lowers_verdicts_down_to_their_floors() -> None:
    assert decided(Verdict.DENY) == (Verdict.DENY, True)
    assert decided(Verdict.DENY, cap=Verdict.WARN) == (Verdict.WARN, False)
    assert decided(Verdict.DENY, Verdict.ASK, cap=Verdict.WARN) == (Verdict.ASK, True)
    assert decided(Verdict.ASK, cap=Verdict.ASK) == (Verdict.ASK, False)


def test_the_agent_is_told_what_it_may_not_do() -> None:
    assert decided(Verdict.ASK) == (Verdict.ASK, True)
    assert decided(Verdict.WARN) == (Verdict.WARN, False)


def test_where_nobody_can_be_asked_the_call_is_denied() -> None:
    assert decided(Verdict.ASK, human=False) == (Verdict.DENY, True)
    assert decided(Verdict.WARN, human=False) == (Verdict.WARN, False)


def test_findings_that_ask_or_deny_stop_a_call() -> None:
    warned, asked, fixed = build_finding(Verdict.WARN), build_finding(Verdict.ASK), build_finding(Verdict.DENY, Verdict.ASK)
    assert blocking_findings((warned, asked, fixed), POLICY) == (asked, fixed)
    assert blocking_findings((warned, asked, fixed), replace(POLICY, cap=Verdict.WARN)) == (fixed,)


def test_what_says_most_about_a_call_is_told_first() -> None:
    general = [build_finding(Verdict.ASK, rule=rule) for rule in ("shell.opaque", "privilege.escalate", "credentials.read")]
    special, fixed = build_finding(Verdict.ASK), build_finding(Verdict.ASK, Verdict.ASK)
    unsure = special._replace(match=special.match._replace(sure=None))
    strict = build_finding(Verdict.DENY, rule="shell.opaque")
    found = [*general, unsure, special, fixed, strict]
    assert sort_by_weight(found) == [strict, fixed, special, general[2], general[1], general[0], unsure]
    assert heaviest_finding(found) == strict
    assert heaviest_finding(()) is None


def test_only_what_decides_is_told_and_no_more_than_three_reasons() -> None:
    told = [(f"rule.{n}", f"Reason {n}.", "") for n in range(4)]
    assert explain(*told) == "Reason 0. [rule.0] Reason 1. [rule.1] Reason 2. [rule.2]"
    warned = build_finding(Verdict.WARN)._replace(match=Match(Opaque("", DEFAULT_ORIGIN), "Another reason."))
    assert explain_findings([warned, build_finding(Verdict.ASK, rule="git.push")], POLICY) == "A reason. [git.push]"
    assert explain_findings([], POLICY) == ""


def test_a_reason_is_followed_by_what_is_at_stake() -> None:
    found = build_finding(Verdict.ASK)
    found = found._replace(match=found.match._replace(stakes=Stakes(lines=3)))
    assert explain_findings([found], POLICY) == "A reason. It overwrites a file of which 3 lines would differ. [git.clean]"


PLACE = Place(known_word("/p/a"), path="/p/a")
HARMLESS: list[Effect] = [
    Read(PLACE, DEFAULT_ORIGIN),
    Run((known_word("ls"),), DEFAULT_ORIGIN),
    Opaque("unread", DEFAULT_ORIGIN),
    Operation("tool.other", DEFAULT_ORIGIN),
]


def check_without_policy(*effects: Effect) -> list[str]:
    """Returns the rules that match where no policy can be read."""
    evidence = Evidence(Effects(effects), local_scene("/p", "/home/u", {}), SimulatedWorld())
    return [each.rule for each in iter_findings(evidence, Policy(degraded=True))]


@pytest.mark.parametrize("effect", HARMLESS, ids=kind_of)
def test_without_a_policy_reading_is_left_alone(effect: Effect) -> None:
    assert "policy.broken" not in check_without_policy(effect)


@pytest.mark.parametrize("effect", [Delete(PLACE, False, DEFAULT_ORIGIN), Operation("git.push", DEFAULT_ORIGIN)], ids=kind_of)
def test_without_a_policy_whatever_does_more_asks_once(effect: Effect) -> None:
    assert check_without_policy(*HARMLESS, effect, effect).count("policy.broken") == 1


def test_the_operand_of_an_effect_is_what_it_names() -> None:
    assert describe_operand(Operation("git.push", DEFAULT_ORIGIN, known_word("main"))) == "main"
    assert describe_operand(Run((known_word("git"), known_word("push")), DEFAULT_ORIGIN)) == "git push"
    assert describe_operand(Operation("git.push", DEFAULT_ORIGIN)) == "Operation"
