"""Changing a team's log after it was written: `orchestration-log/` and `log/`.

A log that can be edited is no evidence of what happened. A new entry is a new file.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.rule import Context
from toolgate.model.word import Maybe, every

from .context import team
from .context.changes import Change, Changing, changes, exists

LOGS = ("orchestration-log/**", "log/**")


def check(effect: Changing, _options: None, context: Context) -> Iterator[Match]:
    own = team(context)
    for change in changes(effect, context):
        sure = every((own.reaches(change.place, *LOGS, whole=change.whole), _changes_what_is_there(effect, change, context)))
        if sure is not False:
            yield Match(
                effect,
                "Orchestration logs and session logs are append-only. Use create, not edit: a new entry is a new file.",
                sure=sure,
            )
            return


def _changes_what_is_there(effect: Changing, change: Change, context: Context) -> Maybe:
    if change.gone or change.place.path is None:
        return True
    if getattr(effect, "edits", ()):
        return True
    kind = context.world.kind(change.place.path)
    return kind != "folder" and exists(change.place, context)
