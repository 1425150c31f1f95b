"""What hosts are told: exactly one JSON object, in words that are safe to show."""

import json
from collections.abc import Mapping

from toolgate.model.decision import Decision

LONGEST_REASON = 4000


def one_object(whole: Mapping[str, object]) -> str:
    """Plain ASCII on one line: any other byte beside it would make the answer none."""
    return json.dumps(whole)


def reason(decision: Decision) -> str:
    """What the agent reads; a decision that has no words for it still says why."""
    if decision.tell_agent or decision.tell_user:
        return clean(decision.tell_agent or decision.tell_user)
    reasons = (f"{finding.match.reason} [{finding.rule}]" for finding in decision.findings)
    return clean(" ".join(dict.fromkeys(reasons)))


_UNPRINTABLE = {
    code: "\ufffd"
    for codes in (range(9), range(11, 32), range(127, 160), range(0x202A, 0x202F), range(0x2066, 0x206A), range(0xD800, 0xE000))
    for code in codes
}
"""A reason quotes what an agent wrote, and ends on a person's terminal: no escape sequence, no reordering of what is read."""


def clean(reason: str) -> str:
    cut = reason if len(reason) <= LONGEST_REASON else reason[:LONGEST_REASON] + " … (cut)"
    return cut.translate(_UNPRINTABLE).strip() or "toolgate stopped this and has no reason to give"
