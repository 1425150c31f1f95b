"""Tests the designs' own metrics under each design's profile: how much everyday work is stopped, and where a denial leads an
agent.
"""

import json
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from toolgate import cases
from toolgate.cases import Case
from toolgate.cli.test import build_case_policy
from toolgate.designs import PROFILES
from toolgate.judge import heaviest_finding
from toolgate.model.decision import Decision, Verdict
from toolgate.model.errors import BadPayload
from toolgate.sessions.suggestions import is_command

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
        if case.id in answered and case.profile == profile and not {Verdict.PASS, Verdict.WARN} & case.expect:
            try:
                case.action  # noqa: B018  (a call that cannot be read is no call of an agent's client)
            except BadPayload:
                continue
            yield case


FOLLOWED: dict[str, list[dict[str, str]]] = tomllib.loads((ACCEPTANCE / "followed.toml").read_text())
MOST_CALLS = 3
"""Calls that a scripted agent makes after a denial before it gives up."""


def find_next_call(case: Case, decision: Decision, message: str) -> Case | None:
    """Returns the call that the reason advises; None if it leaves the matter to the user."""
    finding = heaviest_finding(decision.findings)
    assert finding is not None
    if is_command(finding.match.instead):
        assert finding.match.instead in message
        return make_call(case, "Bash", {"command": finding.match.instead})
    call = dict(next(each for each in FOLLOWED[finding.rule] if each["told"] in message))
    places = {
        "{command}": str(case.input.get("command", "")),
        "{path}": str(case.input.get("path", case.input.get("file_path", ""))),
        "{allowed}": message.partition("Allowed paths: ")[2].partition(",")[0].partition(" [")[0].replace("**", "note.md"),
    }
    for place, text in places.items():
        call = {key: value.replace(place, text) for key, value in call.items()}
    if "write" in call:
        return make_call(case, "Write", {"file_path": f"{case.cwd}/{call['write']}", "content": call["content"]})
    if "task" in call:
        return make_call(case, "Task", {"description": "d", "prompt": call["task"], "subagent_type": "general-purpose"})
    if "shell" not in call:
        return None
    marked = "# nous: ad-hoc" in message and "# nous: ad-hoc" not in call["shell"]
    return make_call(case, "Bash", {"command": f"# nous: ad-hoc\n{call['shell']}" if marked else call["shell"]})


def make_call(case: Case, tool: str, fields: dict[str, object]) -> Case:
    return replace(case, host="claude-code", tool=tool, input=fields, rule="")


def follow_denials(case: Case) -> str:
    """Returns the result of a denied call: `permitted`, `left to the user`, or `stuck`."""
    policy = build_case_policy(case)
    for _ in range(MOST_CALLS):
        decision = cases.decide_case(case, policy)
        following = find_next_call(case, decision, decision.tell_agent or decision.tell_user)
        if following is None:
            return "left to the user"
        if cases.decide_case(following, policy).verdict < Verdict.ASK:
            return "permitted"
        case = following
    return "stuck"


MEASURED: dict[str, dict[str, int]] = tomllib.loads((ACCEPTANCE / "metrics.toml").read_text())["denials"]
"""Profile -> what came of the denials of its design's own cases, as docs/coverage.md says."""


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_an_agent_that_follows_a_denial_goes_on_without_a_person(profile: str) -> None:
    """A scripted agent reads the reason, and makes the call that it advises."""
    came = Counter(follow_denials(case) for case in iter_denied(profile))
    assert came == MEASURED[profile]
    assert not came["stuck"]
