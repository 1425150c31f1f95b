"""Writing outside the agent's own scope.

An agent's scope comes from what it was started with, or from its charter, its team's Source-of-Truth table and the paths that
`policies.json` adds for it. Where nothing limits it to paths, everything is open except the team's own files.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from toolgate.model.decision import Match
from toolgate.model.rule import RuleContext
from toolgate.model.word import Maybe

from .context import Agent, find_team, iter_shortened, list_callers
from .context.changes import Change, FileChange, exclude_devices, iter_changes
from .context.scope import Scope, find_scope


@dataclass(frozen=True, slots=True)
class Options:
    """`additional`: agent -> globs that it may write beside its own (`fileWriteGuards.additionalAllowedPaths`)."""

    additional: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def check(effect: FileChange, options: Options, context: RuleContext) -> Iterator[Match]:
    for me in list_callers(context):
        if me.role != "coordinator":
            yield from _check_agent(me, effect, options, context)


def _check_agent(agent: Agent, effect: FileChange, options: Options, context: RuleContext) -> Iterator[Match]:
    scope = find_scope(agent, options.additional, context)
    for change in exclude_devices(iter_changes(effect, context)):
        if (sure := _is_outside_scope(change, scope, context)) is not False:
            allowed = ", ".join(iter_shortened(scope.display_paths)) or "none"
            yield Match(
                effect,
                f"{agent.display_name} is not authorized to write to {_display_path(change, context)}. Allowed paths: {allowed}",
                sure=sure,
            )
            return


def _is_outside_scope(change: Change, scope: Scope, context: RuleContext) -> Maybe:
    place = change.place
    if place.path is not None:
        return not scope.may_write(place.path)
    if place.anchor is not None and scope.is_folder_covered(place.anchor):
        return False
    if scope.limited:
        return None
    return None if not place.is_anywhere and find_team(context).reaches_files(place, "**") is not False else False


def _display_path(change: Change, context: RuleContext) -> str:
    relative = find_team(context).project_path(change.place.path) if change.place.path is not None else None
    return relative or change.place.display_text
