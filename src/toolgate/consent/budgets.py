"""Budgets: questions to the user in a session, calls of a rule or a tool within a time."""

from toolgate.model.store import Document

QUESTIONS_DOCUMENT, RATES_DOCUMENT = "questions", "rates"
LIMIT_REACHED = "Proceed with your best judgment \u2014 question limit reached."
BRIEF_NOTE = "(brief response \u2014 proceed with best judgment if ambiguous)"


def take_question(document: Document, agent: str, limit: int) -> tuple[Document, int | None]:
    """Takes one question of the agent's own budget; None where none is left. A limit of zero or less allows none."""
    used: int = document.get(agent, 0)
    if used >= max(limit, 0):
        return document, None
    return {**document, agent: used + 1}, used + 1


def explain_question_limit(limit: int) -> str:
    """Returns the message with `2/2`: used, and allowed."""
    allowed = max(limit, 0)
    return f"{LIMIT_REACHED} ({allowed}/{allowed} questions of this session were asked.)"


def is_brief(answer: str, shortest: int) -> bool:
    return len(answer.strip()) < shortest


def count_call(document: Document, rule: str, calls: int, seconds: float, now: float) -> tuple[Document, bool]:
    """Counts a call of a rule that may match `calls` times in `seconds`, and returns whether it is within the rate. Only such
    calls are counted. Setting the clock back resets nothing."""
    before = [at for at in document.get(rule, ()) if now - seconds < at]
    if len(before) >= calls:
        return {**document, rule: before}, False
    return {**document, rule: [*before, now]}, True
