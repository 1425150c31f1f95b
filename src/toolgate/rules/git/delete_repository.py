"""Deleting, overwriting or moving away a repository's `.git`, its records of commits, or one of its hooks.

All branches, stashes and unpushed commits are lost with it. To get a project without its repository, copy it: `git archive HEAD |
tar x -C DIR`. A hook is in no commit; `git commit --no-verify` skips it once.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Delete, Move, Write
from toolgate.model.place import LOCAL, Place
from toolgate.model.rule import RuleContext
from toolgate.model.word import maybe_all
from toolgate.model.world import ABSENT

LOCK_SUFFIXES = (".lock",)
RECORD_FILES = ("HEAD", "config", "index", "packed-refs", "refs", "objects", "logs")
"""Files in `.git` that record branches, commits and the index. Losing one of them loses work; notes of an unfinished merge and
fetched data do not count."""


def check(effect: Delete | Move | Write, _options: None, context: RuleContext) -> Iterator[Match]:
    place = effect.place
    if place.machine != LOCAL or place.is_anywhere or (place.path or place.rest).endswith(LOCK_SUFFIXES):
        return
    if isinstance(effect, Write) and not _is_record_overwrite(effect):
        return
    recursive = True if not isinstance(effect, Delete) or _is_record(place) else effect.recursive
    sure = maybe_all((recursive, place.is_in("repository-data")))
    passing = place.is_in("temporary") is True and place.is_in("project") is False
    if sure is not False and not passing and not _is_made_by_call(place, context):
        hook = "/hooks/" in (place.path or "").partition("/.git")[2]
        lost = "a hook that no commit holds" if hook else "commits that were not pushed"
        message = f"Deletes or moves away {place.display_text}; {lost} would be lost."
        yield Match(effect, message, "keep a copy of it, and let the user delete it.", sure)


def _is_made_by_call(place: Place, context: RuleContext) -> bool:
    """Returns whether there was no such folder before the call, which copied or cloned it: the original remains where it is."""
    folder = (place.path or "").partition("/.git")[0]
    return bool(folder) and context.world.kind(folder) is ABSENT and not any(context.effects.of_kind(Move))


def _is_record_overwrite(write: Write) -> bool:
    """Returns whether the write replaces a record of branches or commits. Settings and hooks are for other rules."""
    inner = (write.place.path or "").partition("/.git/")[2]
    return write.append is not True and inner.split("/")[0] in _OVERWRITABLE_RECORDS


_OVERWRITABLE_RECORDS = ("HEAD", "index", "packed-refs", "refs", "objects")


def _is_record(place: Place) -> bool:
    inner = (place.path or place.anchor or "").partition("/.git/")[2]
    if inner.startswith("hooks/"):
        return not inner.endswith(".sample")
    return inner.split("/")[0] in RECORD_FILES and not inner.startswith("refs/remotes/")
