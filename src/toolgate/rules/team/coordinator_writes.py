"""Creating or changing something outside the team's own folder as its coordinator.

A coordinator routes work and records decisions; code, designs and analyses are the work of its agents, who specialise in them and
are reviewed. It writes only under the team's folder, with any tool.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.rule import RuleContext
from toolgate.model.word import Maybe

from .context import Team, calling_agent, find_team
from .context.changes import Change, FileChange, exclude_devices, iter_changes


def check(effect: FileChange, _options: None, context: RuleContext) -> Iterator[Match]:
    if calling_agent(context).role != "coordinator":
        return
    team = find_team(context)
    for change in exclude_devices(iter_changes(effect, context)):
        if (sure := _is_outside_team(change, team)) is not False:
            yield Match(
                effect,
                f"The coordinator cannot write {change.place.display_text}, which is not one of the team's own files. "
                "Route to an agent via task tool.",
                sure=sure,
            )
            return


def _is_outside_team(change: Change, team: Team) -> Maybe:
    place = change.place
    if place.path is not None:
        return team.inner_path(place.path) is None
    return None if place.anchor is None or team.inner_path(place.anchor) is None else False
