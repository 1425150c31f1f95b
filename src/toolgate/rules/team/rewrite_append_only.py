"""Changing or removing entries of a team's append-only files: the decisions, an agent's history.

Later work relies on what was decided and learned; a correction is a new entry. Add at the end. Rewriting the whole file counts as
changing it, even where the old text comes first.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.rule import RuleContext
from toolgate.model.word import maybe_all, maybe_not

from .context import calling_agent, find_team
from .context.changes import FileChange, iter_changes, keeps_contents, may_exist

APPEND_ONLY_FILES = ("decisions.md", "decisions-archive.md", "agents/*/history.md", "agents/*/history-archive.md")


def check(effect: FileChange, _options: None, context: RuleContext) -> Iterator[Match]:
    team = find_team(context)
    for change in iter_changes(effect, context):
        sure = team.reaches_files(change.place, *APPEND_ONLY_FILES, whole=change.whole)
        if sure is False or (not may_exist(change.place, context) and _may_create_file(context)):
            continue
        lost = True if change.gone or change.whole else maybe_not(keeps_contents(effect, context))
        if (sure := maybe_all((sure, lost))) is not False:
            yield Match(
                effect,
                f"{change.place.display_text} is append-only. Edits must only add content at its end, not modify or remove "
                "existing entries.",
                sure=sure,
            )
            return


def _may_create_file(context: RuleContext) -> bool:
    """Returns whether a file that does not exist yet may be created: where the team exists, and while a team is created."""
    return find_team(context).exists or calling_agent(context).phase == "init-phase-2"
