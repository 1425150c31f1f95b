"""Locking agents out of an artifact, or clearing a lockout, without the role for it.

A reviewer, the coordinator and the Scribe add lockouts; only a person or the coordinator clears them: an author who could clear a
lockout is not locked out.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext
from toolgate.model.word import maybe_not

from .context import list_callers

ADDING_ROLES = ("coordinator", "reviewer", "scribe")


def check(change: Operation, _options: None, context: RuleContext) -> Iterator[Match]:
    roles = {each.role for each in list_callers(context)}
    if roles == {"coordinator"}:
        return
    clears = True if not roles.issubset(ADDING_ROLES) else maybe_not(change.get_flag("adds"))
    if clears is not False:
        yield Match(
            change,
            f"Changes lockouts: {context.effects.describe(change)}. Only a person or the coordinator clears them; reviewers, the "
            "coordinator and the Scribe add them.",
            "ask the coordinator.",
            sure=clears,
        )
