"""Tests how findings become a decision."""

import pytest

from toolgate.judge import decide, explain_findings
from toolgate.model.decision import Finding, Match, Verdict
from toolgate.model.effect import DEFAULT_ORIGIN, Opaque
from toolgate.model.rule import Policy

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
