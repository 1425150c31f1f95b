"""Working on an artifact from which so many agents are locked out that the user has to decide how to continue.

Where every revision is rejected, another author does not solve the problem.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from toolgate.consent.lockouts import ESCALATES
from toolgate.model.decision import Match
from toolgate.model.rule import Context

from .context import team
from .context.changes import Changing, changes
from .context.lockouts import is_about, lockouts


@dataclass(frozen=True, slots=True)
class Options:
    """`limit`: agents locked out of one artifact (`reviewerLockout.escalateToUserAfterLockoutCount`); 0: never."""

    limit: int = ESCALATES


def check(effect: Changing, options: Options, context: Context) -> Iterator[Match]:
    own = team(context)
    entries, _ = lockouts(own, context)
    if len({name.casefold() for names in entries.values() for name in names}) < max(options.limit, 1):
        return
    for change in changes(effect, context):
        found = {entry: is_about(entry, change.place, own, whole=change.whole) for entry in entries}
        names = {name.casefold() for entry, sure in found.items() if sure is not False for name in entries[entry]}
        if 0 < options.limit <= len(names):
            yield Match(
                effect,
                f"{len(names)} agents are locked out of {change.place.shown} by now: the user decides how it goes on.",
                sure=True if any(found.values()) else None,
            )
            return
