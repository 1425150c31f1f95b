"""Changing the agent's own charter.

The charter defines the agent's role and the limits of its work: limits that it could change itself would not bind it. The
coordinator makes such changes.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.rule import RuleContext
from toolgate.model.word import Maybe, maybe_any

from .context import Agent, Team, find_file_owner, find_team, list_callers
from .context.changes import Change, FileChange, iter_changes


def check(effect: FileChange, _options: None, context: RuleContext) -> Iterator[Match]:
    own = [each for each in list_callers(context) if each.role != "coordinator"]
    for change in iter_changes(effect, context):
        if (sure := maybe_any(_is_own_charter(change, me, find_team(context)) for me in own)) is not False:
            yield Match(effect, "Agents cannot modify their own charter. Request changes via the coordinator.", sure=sure)
            return


def _is_own_charter(change: Change, agent: Agent, team: Team) -> Maybe:
    sure = team.reaches_files(change.place, "agents/*/charter.md", whole=change.whole)
    if sure is True and change.place.path is not None and agent.name:
        whose = find_file_owner(team.inner_path(change.place.path) or "")
        return agent.has_name(whose) if whose else sure
    return sure
