"""Renders answers to hosts: exactly one JSON object, with text that is safe to show."""

import json
from collections.abc import Mapping

from toolgate.model.decision import Decision

LONGEST_REASON = 4000


def one_object(whole: Mapping[str, object]) -> str:
    """Returns plain ASCII on one line: any other byte beside it would invalidate the answer."""
    return json.dumps(whole)


def reason(decision: Decision) -> str:
    """Returns the reason for the agent; without a message for it, the reasons of the findings."""
    if decision.tell_agent or decision.tell_user:
        return clean(decision.tell_agent or decision.tell_user)
    reasons = (f"{finding.match.reason} [{finding.rule}]" for finding in decision.findings)
    return clean(" ".join(dict.fromkeys(reasons)))


_UNPRINTABLE = {
    code: "\ufffd"
    for codes in (range(9), range(11, 32), range(127, 160), range(0x202A, 0x202F), range(0x2066, 0x206A), range(0xD800, 0xE000))
    for code in codes
}
"""A reason quotes an agent's text on a person's terminal: escape sequences and bidirectional controls are replaced."""


def clean(reason: str) -> str:
    cut = reason if len(reason) <= LONGEST_REASON else reason[:LONGEST_REASON] + " … (cut)"
    return cut.translate(_UNPRINTABLE).strip() or "toolgate stopped this and has no reason to give"
