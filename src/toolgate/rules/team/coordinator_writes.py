"""Creating or changing something outside the team's own folder as its coordinator.

A coordinator routes work and records decisions; code, designs and analyses are the work of its agents, who specialise in them and
are reviewed. It writes only under `.squad/` (`.ai-team/`), with any tool.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.rule import Context
from toolgate.model.word import Maybe

from .context import Team, agent, team
from .context.changes import Change, Changing, changes, outside_of_devices


def check(effect: Changing, _options: None, context: Context) -> Iterator[Match]:
    if agent(context).role != "coordinator":
        return
    own = team(context)
    for change in outside_of_devices(changes(effect, context)):
        if (sure := _outside(change, own)) is not False:
            yield Match(
                effect,
                f"The coordinator cannot write {change.place.shown}, which is no file of the team's own. "
                "Route to an agent via task tool.",
                sure=sure,
            )
            return


def _outside(change: Change, own: Team) -> Maybe:
    place = change.place
    if place.path is not None:
        return own.inner(place.path) is None
    return None if place.anchor is None or own.inner(place.anchor) is None else False
