"""Writing to a team's decisions.md as anybody but the coordinator.

Agents propose, the coordinator records: two agents who write at once would overwrite each other, and a proposal is no decision
yet. Write to `decisions/inbox/` instead, one file for each proposal.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.rule import Context

from .context import agent, team
from .context.changes import Changing, changes


def check(effect: Changing, _options: None, context: Context) -> Iterator[Match]:
    if agent(context).role == "coordinator":
        return
    for change in changes(effect, context):
        if (sure := team(context).reaches(change.place, "decisions.md", whole=change.whole)) is not False:
            yield Match(
                effect,
                f"{change.place.shown} is written by the coordinator alone. Write to decisions/inbox/ instead.",
                instead="a file of its own in .squad/decisions/inbox/",
                sure=sure,
            )
            return
