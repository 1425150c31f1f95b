"""Judges a recorded call again, under the policy at the time or the current one, on the machine as it is now."""

from collections.abc import Mapping
from dataclasses import replace

from toolgate.app import App
from toolgate.audit.fields import RecordLine
from toolgate.model.action import Action
from toolgate.model.decision import Decision, Verdict
from toolgate.model.event import Caller, Scene
from toolgate.model.rule import Policy, Ruling

from .recorded_calls import read_recorded_action


def read_recorded_call(line: RecordLine, home: str, environ: Mapping[str, str]) -> tuple[Action, Scene]:
    """Returns what a record says was asked for, and where. Raises IndeterminateCall."""
    action, cwd, project = read_recorded_action(line)
    return action, Scene(Caller(str(line["host"])), cwd, project, home, {**environ, "HOME": home}, environ.get("USER", ""))


def judge_again(line: RecordLine, home: str, environ: Mapping[str, str], policy: Policy) -> Decision:
    """Raises IndeterminateCall."""
    action, scene = read_recorded_call(line, home, environ)
    return App().judge(action, scene, policy).decision


def find_smallest_change(line: RecordLine, home: str, environ: Mapping[str, str], policy: Policy) -> tuple[str, ...]:
    """Returns the rules that have to warn instead of stop for the call to run; none where it runs, or where a floor stops it."""
    action, scene = read_recorded_call(line, home, environ)
    app = App()
    decision = app.judge(action, scene, policy).decision
    stopping = tuple(sorted({each.rule for each in decision.findings if each.verdict >= Verdict.ASK}))
    if decision.verdict < Verdict.ASK or any(each.id in stopping for each in policy.written):
        return ()
    lowered = Ruling(Verdict.WARN, Verdict.WARN)
    relaxed = replace(policy, rulings={**policy.rulings, **dict.fromkeys(stopping, lowered)}, digest=f"{policy.digest}-relaxed")
    return stopping if app.judge(action, scene, relaxed).decision.verdict < Verdict.ASK else ()
