"""Changing or removing entries of a team's append-only files: the decisions, an agent's history.

Later work relies on what was decided and learned; a correction is a new entry. Add at the end. Rewriting the whole file counts as
changing it, even where the old text comes first.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.rule import Context
from toolgate.model.word import every, negated

from .context import agent, team
from .context.changes import Changing, changes, exists, keeps

FILES = ("decisions.md", "decisions-archive.md", "agents/*/history.md", "agents/*/history-archive.md")


def check(effect: Changing, _options: None, context: Context) -> Iterator[Match]:
    own = team(context)
    for change in changes(effect, context):
        sure = own.reaches(change.place, *FILES, whole=change.whole)
        if sure is False or (not exists(change.place, context) and _may_begin(context)):
            continue
        lost = True if change.gone or change.whole else negated(keeps(effect, context))
        if (sure := every((sure, lost))) is not False:
            yield Match(
                effect,
                f"{change.place.shown} is append-only. Edits must only add content at its end, not modify or remove existing "
                "entries.",
                sure=sure,
            )
            return


def _may_begin(context: Context) -> bool:
    """Returns whether a file that does not exist yet may be created: where the team exists, and while a team is created."""
    return team(context).there or agent(context).phase == "init-phase-2"
