"""Deleting or moving away a repository's `.git`.

All branches, stashes and commits that were not pushed are gone with it. A project that must not be a repository can be copied
without it: `git archive HEAD | tar x -C DIR`.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Delete, Move
from toolgate.model.place import LOCAL
from toolgate.model.rule import Context
from toolgate.model.word import every

LOCKS = (".lock",)


def check(effect: Delete | Move, _options: None, _context: Context) -> Iterator[Match]:
    place = effect.place
    if place.machine != LOCAL or place.anywhere or place.shown.endswith(LOCKS):
        return
    recursive = True if isinstance(effect, Move) else effect.recursive
    sure = every((recursive, place.is_in("repository-data")))
    passing = place.is_in("temporary") is True and place.is_in("project") is False
    if sure is not False and not passing:
        yield Match(effect, f"This takes away {place.shown}: commits that were not pushed would be lost.", sure=sure)
