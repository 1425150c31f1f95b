"""Writing outside the agent's own scope.

An agent's scope comes from what it was started with, or from its charter, its team's Source-of-Truth table and the paths that
`policies.json` adds for it. Where nothing limits it to paths, everything is open except the team's own files.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from toolgate.model.decision import Match
from toolgate.model.rule import Context
from toolgate.model.word import Maybe

from .context import Agent, callers, each_shown, team
from .context.changes import Change, Changing, changes, outside_of_devices
from .context.scope import Scope, scope_of


@dataclass(frozen=True, slots=True)
class Options:
    """`additional`: agent -> globs that it may write beside its own (`fileWriteGuards.additionalAllowedPaths`)."""

    additional: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def check(effect: Changing, options: Options, context: Context) -> Iterator[Match]:
    for me in callers(context):
        if me.role != "coordinator":
            yield from _of(me, effect, options, context)


def _of(me: Agent, effect: Changing, options: Options, context: Context) -> Iterator[Match]:
    scope = scope_of(me, options.additional, context)
    for change in outside_of_devices(changes(effect, context)):
        if (sure := _is_outside(change, scope, context)) is not False:
            allowed = ", ".join(each_shown(scope.shown)) or "none"
            yield Match(
                effect,
                f"{me.shown} is not authorized to write to {_as_written(change, context)}. Allowed paths: {allowed}",
                sure=sure,
            )
            return


def _is_outside(change: Change, scope: Scope, context: Context) -> Maybe:
    place = change.place
    if place.path is not None:
        return not scope.allows(place.path)
    if place.anchor is not None and scope.holds_all_beneath(place.anchor):
        return False
    if scope.limited:
        return None
    return None if not place.anywhere and team(context).reaches(place, "**") is not False else False


def _as_written(change: Change, context: Context) -> str:
    relative = team(context).relative(change.place.path) if change.place.path is not None else None
    return relative or change.place.shown
