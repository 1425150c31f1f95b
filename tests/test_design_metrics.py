"""The designs' own metrics, under each design's profile: how much everyday work is stopped, and where a denial leads an agent."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from toolgate import cases, programs
from toolgate.app import App
from toolgate.cases import Case
from toolgate.cli.test import build_case_policy
from toolgate.designs import PROFILES
from toolgate.model.action import RunShell
from toolgate.model.decision import Verdict

ACCEPTANCE = Path(__file__).parent / "acceptance"
EVERYDAY = [
    case
    for path in cases.iter_shipped_files()
    for case in cases.load_cases(path)
    if case.tool == "Bash" and case.expect == {Verdict.PASS} and not case.profile and not case.spawn.agent and not case.is_skipped
][::5]
"""Every fifth call that the default profile leaves alone: look-alikes of what rules stop, so harder than a day's work."""
DEMANDED = {
    "failover": {"privilege.escalate"},
    "guardrail-confirm": {
        *("filesystem.delete-outside-project", "filesystem.write-outside-project", "filesystem.delete-project"),
        *("filesystem.blocked", "containers.remove"),
    },
    "nous-plan": set[str](),
    "squad": {"filesystem.delete-recursive", "git.rebase", "secrets.git-identity"},
}
"""Rules that stop what the design itself says it stops, and `default` does not."""


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_hardly_any_everyday_call_is_stopped_beside_what_the_design_demands(profile: str) -> None:
    stopped: Counter[str] = Counter()
    for case in EVERYDAY:
        mine = replace(case, rule="", profile=profile)
        outcome = cases.run_case(mine, build_case_policy(mine))
        if outcome.verdict >= Verdict.ASK and not DEMANDED[profile] & set(outcome.rules):
            stopped.update(outcome.rules)
    assert len(EVERYDAY) > 400
    assert stopped.total() < len(EVERYDAY) / 100, stopped


def iter_denied(profile: str) -> Iterator[Case]:
    answered = set(json.loads((ACCEPTANCE / "answered.json").read_text())["answered"])
    for case in cases.load_acceptance_cases(ACCEPTANCE / "cases.jsonl"):
        if case.id in answered and case.profile == profile and case.tool == "Bash" and case.expect == {Verdict.DENY}:
            yield case


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_an_agent_that_follows_a_denial_goes_on_without_a_person(profile: str) -> None:
    """A scripted agent runs what `instead` advises; where nothing is advised it leaves the call out, as the reason says."""
    denied, corrected = 0, 0
    for case in iter_denied(profile):
        world, policy = case.world, build_case_policy(case)
        app = App(lambda world=world: world)  # type: ignore[misc]
        decision = app.judge(case.action, case.scene, policy).decision
        advised = [each.match.instead for each in decision.findings if each.match.instead]
        commands = [each for each in advised if programs.find_row(each.partition(" ")[0]) is not None]
        verdicts = [app.judge(RunShell(each), case.scene, policy).decision.verdict for each in commands]
        denied += 1
        corrected += bool(decision.tell_agent) and all(each < Verdict.ASK for each in verdicts)
    assert denied > 5
    assert corrected >= 0.9 * denied, (corrected, denied)
