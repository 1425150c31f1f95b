"""Deleting, overwriting or moving away a repository's `.git`, what its commits are known by, or a hook of its own.

All branches, stashes and commits that were not pushed are gone with it. A project that must not be a repository can be copied
without it: `git archive HEAD | tar x -C DIR`. A hook lies in no commit; `git commit --no-verify` leaves it out for once.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Delete, Move, Write
from toolgate.model.place import LOCAL, Place
from toolgate.model.rule import Context
from toolgate.model.word import every

LOCKS = (".lock",)
RECORDS = ("HEAD", "config", "index", "packed-refs", "refs", "objects", "logs")
"""Within `.git`: what branches, commits and what is staged are known by. A single file of it is as good as lost work; notes of
an unfinished merge and what a fetch brings again are not."""


def check(effect: Delete | Move | Write, _options: None, _context: Context) -> Iterator[Match]:
    place = effect.place
    if place.machine != LOCAL or place.anywhere or place.shown.endswith(LOCKS):
        return
    if isinstance(effect, Write) and not _is_overwritten(effect):
        return
    recursive = True if not isinstance(effect, Delete) or _is_record(place) else effect.recursive
    sure = every((recursive, place.is_in("repository-data")))
    passing = place.is_in("temporary") is True and place.is_in("project") is False
    if sure is not False and not passing:
        hook = "/hooks/" in (place.path or "").partition("/.git")[2]
        lost = "a hook that no commit holds" if hook else "commits that were not pushed"
        yield Match(effect, f"This takes away {place.shown}: {lost} would be lost.", sure=sure)


def _is_overwritten(write: Write) -> bool:
    """Settings and hooks are for other rules."""
    inner = (write.place.path or "").partition("/.git/")[2]
    return write.append is not True and inner.split("/")[0] in _OVERWRITTEN


_OVERWRITTEN = ("HEAD", "index", "packed-refs", "refs", "objects")


def _is_record(place: Place) -> bool:
    inner = (place.path or "").partition("/.git/")[2]
    if inner.startswith("hooks/"):
        return not inner.endswith(".sample")
    return inner.split("/")[0] in RECORDS and not inner.startswith("refs/remotes/")
