"""Changing a team's log after it was written: `orchestration-log/` and `log/`.

A log that can be edited is no evidence of what happened. A new entry is a new file.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.rule import RuleContext
from toolgate.model.word import Maybe, maybe_all

from .context import find_team
from .context.changes import Change, FileChange, iter_changes, may_exist

LOG_FILES = ("orchestration-log/**", "log/**")


def check(effect: FileChange, _options: None, context: RuleContext) -> Iterator[Match]:
    team = find_team(context)
    for change in iter_changes(effect, context):
        sure = maybe_all(
            (team.reaches_files(change.place, *LOG_FILES, whole=change.whole), _changes_existing_entry(effect, change, context))
        )
        if sure is not False:
            yield Match(
                effect,
                "Orchestration logs and session logs are append-only. Use create, not edit: a new entry is a new file.",
                sure=sure,
            )
            return


def _changes_existing_entry(effect: FileChange, change: Change, context: RuleContext) -> Maybe:
    if change.gone or change.place.path is None:
        return True
    if getattr(effect, "edits", ()):
        return True
    kind = context.world.kind(change.place.path)
    return kind != "folder" and may_exist(change.place, context)
