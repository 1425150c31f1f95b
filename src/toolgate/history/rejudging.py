"""Judges a recorded call again, under the policy of then or of now, on the machine as it is now."""

import os
from collections.abc import Mapping
from dataclasses import replace

from toolgate import hosts
from toolgate.app import App
from toolgate.audit.summary import RecordLine
from toolgate.model.action import Action, ApplyPatch, Fetch, ReadFile, RunShell
from toolgate.model.decision import Decision, Verdict
from toolgate.model.errors import BadPayload
from toolgate.model.event import Caller, Scene
from toolgate.model.rule import Policy, Ruling


class IndeterminateCall(Exception):
    """The record does not hold enough of the call to judge it again; the argument says why."""


def read_recorded_call(line: RecordLine, home: str, environ: Mapping[str, str]) -> tuple[Action, Scene]:
    """Returns what a record says was asked for, and where. Raises IndeterminateCall where it was redacted or cut, or holds the
    path alone of what was written."""
    host, tool, operation, cwd, project = (str(line.get(key, "")) for key in ("host", "tool", "operation", "cwd", "project"))
    if line.get("exact") is not True:
        raise IndeterminateCall("its text was redacted or cut, or was not recorded in full")
    if not (os.path.isabs(cwd) and os.path.isabs(project)) or "REDACTED" in cwd + project:
        raise IndeterminateCall("its folder is not on record")
    if host not in hosts.HOSTS:
        raise IndeterminateCall(f"there is no host {host[:40]!r}")
    scene = Scene(Caller(host), cwd, project, home, {**environ, "HOME": home}, environ.get("USER", ""))
    return _parse_action(host, tool, operation, cwd), scene


def _parse_action(host: str, tool: str, operation: str, cwd: str) -> Action:
    try:
        action = hosts.load_host(host).parse_action(tool, {"command": operation}, cwd)
    except BadPayload:
        action = None
    if isinstance(action, RunShell | ApplyPatch):
        return action
    verb, _, about = operation.partition(" ")
    if verb == "read":
        return ReadFile(about)
    if verb == "fetch":
        return Fetch(about)
    raise IndeterminateCall("the record holds what it was about, and not its arguments")


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
