"""Changing an artifact as an agent whose work on it was rejected: another agent has to produce the revision.

An author who revises rejected work fixes what was named and keeps the underlying mistake. Lockouts are recorded in
`.squad/lockout.json` and in the store; either applies until a person or the coordinator clears it (`toolgate lockout clear`).
"""

from collections.abc import Collection, Iterator, Mapping

from toolgate.model.decision import Match
from toolgate.model.rule import Context

from .context import Agent, callers, team
from .context.changes import Changing, changes
from .context.lockouts import is_about, lockouts


def check(effect: Changing, _options: None, context: Context) -> Iterator[Match]:
    own = team(context)
    entries, problem = lockouts(own, context)
    if problem:
        yield Match(effect, f"Who is locked out of what cannot be read: {problem}.", sure=None)
    for me in callers(context):
        yield from _of(me, entries, effect, context)


def _of(me: Agent, entries: Mapping[str, Collection[str]], effect: Changing, context: Context) -> Iterator[Match]:
    own, unknown = team(context), not me.name and me.role == "agent"
    mine = [
        (entry, True if not unknown else None) for entry, names in entries.items() if unknown or any(map(me.is_called, names))
    ]
    for change in changes(effect, context):
        for entry, who in mine:
            touched = is_about(entry, change.place, own, whole=change.whole)
            if touched is False:
                continue
            yield Match(
                effect,
                f"{me.shown} is locked out from revising {change.place.shown} due to a reviewer rejection. "
                "A different agent must produce the revision.",
                sure=True if touched and who else None,
            )
            return
