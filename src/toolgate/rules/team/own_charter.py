"""An agent of a team changes its own charter.

The charter says who the agent is and where its work ends: what it may change by itself binds it to nothing. Changes are made
by the coordinator.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.rule import Context
from toolgate.model.word import Maybe

from .context import Agent, Team, agent, owner, team
from .context.changes import Change, Changing, changes


def check(effect: Changing, _options: None, context: Context) -> Iterator[Match]:
    me = agent(context)
    if me.role == "coordinator":
        return
    for change in changes(effect, context):
        if (sure := _is_own(change, me, team(context))) is not False:
            yield Match(effect, "Agents cannot modify their own charter. Request changes via the coordinator.", sure=sure)
            return


def _is_own(change: Change, me: Agent, own: Team) -> Maybe:
    sure = own.reaches(change.place, "agents/*/charter.md", whole=change.whole)
    if sure is True and change.place.path is not None and me.name:
        whose = owner(own.inner(change.place.path) or "")
        return me.is_called(whose) if whose else sure
    return sure
