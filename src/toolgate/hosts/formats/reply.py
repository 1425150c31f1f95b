"""Renders answers to hosts: exactly one JSON object, with text that is safe to show."""

import json
from collections.abc import Mapping

from toolgate.model.decision import Decision

MAX_REASON_LENGTH = 4000


def render_object(whole: Mapping[str, object]) -> str:
    """Returns plain ASCII on one line: any other byte beside it would invalidate the answer."""
    return json.dumps(whole)


def build_reason(decision: Decision) -> str:
    """Returns the reason for the agent; without a message for it, the reasons of the findings."""
    if decision.tell_agent or decision.tell_user:
        return clean_reason(decision.tell_agent or decision.tell_user)
    reasons = (f"{finding.match.reason} [{finding.rule}]" for finding in decision.findings)
    return clean_reason(" ".join(dict.fromkeys(reasons)))


_UNPRINTABLE_REPLACEMENTS = {
    code: "\ufffd"
    for codes in (range(9), range(11, 32), range(127, 160), range(0x202A, 0x202F), range(0x2066, 0x206A), range(0xD800, 0xE000))
    for code in codes
}
"""A reason quotes an agent's text on a person's terminal: escape sequences and bidirectional controls are replaced."""


def clean_reason(reason: str) -> str:
    cut = reason if len(reason) <= MAX_REASON_LENGTH else reason[:MAX_REASON_LENGTH] + " … (cut)"
    return cut.translate(_UNPRINTABLE_REPLACEMENTS).strip() or "toolgate stopped this and has no reason to give"


def join_text_blocks(content: object) -> str:
    """Returns a result as one text, for a host that replaces the whole of it: text blocks joined, anything else as JSON."""
    if isinstance(content, str):
        return content
    if isinstance(content, list) and content and all(isinstance(each, dict) and "text" in each for each in content):
        return "\n".join(str(each["text"]) for each in content)
    return json.dumps(content)
