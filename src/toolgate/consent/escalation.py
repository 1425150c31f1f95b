"""Counts denials by a rule: the agent is told first, then the user too, then the agent is told to stop.

Counted per rule, turn and agent. The user's sentence is the design's own.
"""

from collections.abc import Iterable

from toolgate.model.store import Document

DENIALS_DOCUMENT = "denials"
TELL_USER_FROM = 3  # the denial from which on the user is told
STOP_MESSAGE = (
    "This was denied more than three times in this turn. Stop trying it, in this way or another: end the turn and ask the user "
    "how to go on."
)
PASS_ON = "Tell the user: {message}"
_MAX_COUNTS = 200  # rules and agents counted in one turn


def count_denial(document: Document, turn: str, agent: str, rules: Iterable[str]) -> tuple[Document, int]:
    """Returns the number of this denial, by the rule that has denied most often."""
    counts: dict[str, int] = dict(document.get("counts", {})) if document.get("turn") == turn else {}
    highest = 0
    for rule in rules:
        key = f"{agent}\n{rule}"
        counts[key] = counts.get(key, 0) + 1
        highest = max(highest, counts[key])
    return {"turn": turn, "counts": dict(list(counts.items())[-_MAX_COUNTS:])}, highest


def build_user_message(agent: str, action: str, reason: str) -> str:
    return f"\u26a0\ufe0f {agent or 'The agent'} attempted {action} but was blocked: {reason} Routing to an alternative."
