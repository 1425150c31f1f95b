"""Changing the agent's own charter.

The charter defines the agent's role and the limits of its work: limits that it could change itself would not bind it. The
coordinator makes such changes.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.rule import Context
from toolgate.model.word import Maybe, some

from .context import Agent, Team, callers, owner, team
from .context.changes import Change, Changing, changes


def check(effect: Changing, _options: None, context: Context) -> Iterator[Match]:
    own = [each for each in callers(context) if each.role != "coordinator"]
    for change in changes(effect, context):
        if (sure := some(_is_own(change, me, team(context)) for me in own)) is not False:
            yield Match(effect, "Agents cannot modify their own charter. Request changes via the coordinator.", sure=sure)
            return


def _is_own(change: Change, me: Agent, own: Team) -> Maybe:
    sure = own.reaches(change.place, "agents/*/charter.md", whole=change.whole)
    if sure is True and change.place.path is not None and me.name:
        whose = owner(own.inner(change.place.path) or "")
        return me.is_called(whose) if whose else sure
    return sure
