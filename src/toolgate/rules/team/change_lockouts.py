"""Locking agents out of an artifact, or clearing a lockout, without the role for it.

A reviewer, the coordinator and the Scribe add lockouts; only a person or the coordinator clears them: an author who could clear a
lockout is not locked out.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import Context
from toolgate.model.word import negated

from .context import callers

MAY_ADD = ("coordinator", "reviewer", "scribe")


def check(change: Operation, _options: None, context: Context) -> Iterator[Match]:
    roles = {each.role for each in callers(context)}
    if roles == {"coordinator"}:
        return
    clears = True if not roles.issubset(MAY_ADD) else negated(change.flag("adds"))
    if clears is not False:
        yield Match(
            change,
            "Only a person or the coordinator clears lockouts; reviewers, the coordinator and the Scribe add them.",
            sure=clears,
        )
