"""How findings become a decision."""

import pytest

from toolgate.judge import decide
from toolgate.model.decision import Finding, Match, Verdict
from toolgate.model.effect import DEFAULT_ORIGIN, Opaque
from toolgate.model.rule import Policy

POLICY = Policy()


def finding(verdict: Verdict, floor: Verdict = Verdict.PASS, rule: str = "git.clean") -> Finding:
    return Finding(rule, verdict, Match(Opaque("", DEFAULT_ORIGIN), "A reason."), floor)


def test_a_waived_finding_counts_for_nothing() -> None:
    asked = finding(Verdict.ASK)
    assert decide((asked,), POLICY, (asked,)).verdict is Verdict.PASS


def test_a_waived_finding_with_a_floor_counts() -> None:
    floor = finding(Verdict.DENY, Verdict.DENY)
    assert decide((floor,), POLICY, (floor,)).verdict is Verdict.DENY


@pytest.mark.parametrize("floor", [Verdict.WARN, Verdict.ASK])
def test_a_waived_finding_never_falls_below_its_floor(floor: Verdict) -> None:
    found = finding(Verdict.DENY, floor)
    assert decide((found,), POLICY, (found,)).verdict >= floor


def test_a_waiver_leaves_other_findings() -> None:
    waived, other = finding(Verdict.DENY), finding(Verdict.ASK, rule="git.discard")
    assert decide((waived, other), POLICY, (waived,)).verdict is Verdict.ASK
