"""Changing an artifact as an agent whose work on it was rejected: another agent has to produce the revision.

An author who revises rejected work fixes what was named and keeps the underlying mistake. Lockouts are recorded in
`lockout.json` of the team's folder and in the store; either applies until a person or the coordinator clears it
(`toolgate lockout clear`).
"""

from collections.abc import Collection, Iterator, Mapping

from toolgate.model.decision import Match
from toolgate.model.rule import RuleContext

from .context import Agent, find_team, list_callers
from .context.changes import FileChange, iter_changes
from .context.lockouts import matches_entry, read_lockouts


def check(effect: FileChange, _options: None, context: RuleContext) -> Iterator[Match]:
    team = find_team(context)
    entries, problem = read_lockouts(team, context)
    if problem:
        yield Match(effect, f"The list of lockouts cannot be read: {problem}.", "ask the user to repair it.", None)
    for me in list_callers(context):
        yield from _check_agent(me, entries, effect, context)


def _check_agent(
    agent: Agent, entries: Mapping[str, Collection[str]], effect: FileChange, context: RuleContext
) -> Iterator[Match]:
    own, unknown = find_team(context), not agent.name and agent.role == "agent"
    mine = [
        (entry, True if not unknown else None) for entry, names in entries.items() if unknown or any(map(agent.has_name, names))
    ]
    for change in iter_changes(effect, context):
        for entry, who in mine:
            touched = matches_entry(entry, change.place, own, whole=change.whole)
            if touched is False:
                continue
            yield Match(
                effect,
                f"{agent.display_name} is locked out from revising {change.place.display_text} due to a reviewer rejection. "
                "A different agent must produce the revision.",
                sure=True if touched and who else None,
            )
            return
