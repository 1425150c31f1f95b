"""Writing to a team's decisions.md as anybody but the coordinator.

Agents propose, the coordinator records: two agents who write at once would overwrite each other, and a proposal is no decision
yet. Write to `decisions/inbox/` instead, one file for each proposal.
"""

from collections.abc import Iterator

from toolgate.designs import TEAM_FOLDERS
from toolgate.model.decision import Match
from toolgate.model.rule import RuleContext

from .context import calling_agent, find_team
from .context.changes import FileChange, iter_changes


def check(effect: FileChange, _options: None, context: RuleContext) -> Iterator[Match]:
    if calling_agent(context).role == "coordinator":
        return
    for change in iter_changes(effect, context):
        if (sure := find_team(context).reaches_files(change.place, "decisions.md", whole=change.whole)) is not False:
            yield Match(
                effect,
                f"{change.place.display_text} is written by the coordinator alone. Write to decisions/inbox/ instead.",
                instead=f"write a new file in {TEAM_FOLDERS[0]}/decisions/inbox/.",
                sure=sure,
            )
            return
