"""The guardrail design's own log, in its exact fields: blocked calls, calls that need a confirmation, confirmed calls."""

import json
import os
import time
from collections.abc import Mapping

from toolgate.judge import heaviest_finding
from toolgate.machine import descriptors
from toolgate.model.decision import Decision, Finding, Verdict
from toolgate.model.effect import list_places
from toolgate.model.rule import Policy

from .messages import name_rule

ALLOWLIST_RULE = "session_allowlist"


def build_entry(tool: str, operation: str, decision: Decision, policy: Policy, now: float) -> Mapping[str, str] | None:
    """Returns None for calls that the design does not log: those that it allows. `operation` has its secrets redacted."""
    action = _choose_action(decision, policy)
    if action is None:
        return None
    finding = heaviest_finding(decision.findings)
    rule = ALLOWLIST_RULE if action == "confirmed_allow" else name_rule(finding, policy) if finding else ""
    return {
        "ts": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now)),
        "tool": tool,
        "operation": operation,
        "action": action,
        "rule": rule,
        "path_context": _path_context(finding),
    }


def _choose_action(decision: Decision, policy: Policy) -> str | None:
    if decision.waived:
        return "confirmed_allow" if decision.verdict < Verdict.ASK else None
    if decision.verdict < Verdict.ASK:
        return None
    return "confirm_required" if decision.judged is Verdict.ASK and policy.human else "block"


def _path_context(finding: Finding | None) -> str:
    """Returns the context of the operation's paths: blocked before safe, and outside where neither applies. The root contains all
    of them."""
    places = [] if finding is None else [place for place in list_places(finding.match.effect) if not place.is_anywhere]
    if not places:
        return "n/a"
    zones = {zone for place in places for zone in place.inside | place.above}
    if any(place.path == "/" for place in places):
        return "n/a"
    if zones & {"blocked", "system", "credentials"}:
        return "blocked"
    return "outside" if "outside" in zones or not zones & {"safe", "project", "temporary"} else "safe"


def append_entry(file: str, line: Mapping[str, str]) -> str:
    """Adds the entry. Returns what went wrong, in a sentence; empty when nothing did."""
    try:
        os.makedirs(os.path.dirname(file), 0o700, exist_ok=True)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | descriptors.CLOEXEC | descriptors.NOFOLLOW
        descriptor = os.open(file, flags, 0o600)
        try:
            os.write(descriptor, json.dumps(line).encode() + b"\n")
        finally:
            os.close(descriptor)
    except OSError as problem:
        return f"the log {file} cannot be written: {problem.strerror or problem}"
    return ""
