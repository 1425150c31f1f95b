"""Working on an artifact from which so many agents are locked out that the user has to decide how to continue.

Where every revision is rejected, another author does not solve the problem.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from toolgate.consent.lockouts import ESCALATION_COUNT
from toolgate.model.decision import Match
from toolgate.model.rule import RuleContext

from .context import find_team
from .context.changes import FileChange, iter_changes
from .context.lockouts import matches_entry, read_lockouts


@dataclass(frozen=True, slots=True)
class Options:
    """`limit`: agents locked out of one artifact (`reviewerLockout.escalateToUserAfterLockoutCount`); 0: never."""

    limit: int = ESCALATION_COUNT


def check(effect: FileChange, options: Options, context: RuleContext) -> Iterator[Match]:
    team = find_team(context)
    entries, _ = read_lockouts(team, context)
    if len({name.casefold() for names in entries.values() for name in names}) < max(options.limit, 1):
        return
    for change in iter_changes(effect, context):
        found = {entry: matches_entry(entry, change.place, team, whole=change.whole) for entry in entries}
        names = {name.casefold() for entry, sure in found.items() if sure is not False for name in entries[entry]}
        if 0 < options.limit <= len(names):
            yield Match(
                effect,
                f"{len(names)} agents are locked out of {change.place.display_text}.",
                "ask the user how to go on.",
                sure=True if any(found.values()) else None,
            )
            return
