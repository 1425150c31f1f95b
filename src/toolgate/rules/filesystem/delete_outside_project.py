"""Deleting or moving away what lies outside the project, or the project itself.

The agent was given a project to work in; what lies elsewhere belongs to somebody's other work, and deleting it cannot be undone.
Temporary folders are anybody's.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Delete, Move
from toolgate.model.place import LOCAL
from toolgate.model.rule import Context
from toolgate.model.word import every, some


def check(effect: Delete | Move, _options: None, _context: Context) -> Iterator[Match]:
    place = effect.place
    if place.machine != LOCAL:
        return
    outside = place.is_in("outside")
    recursive = True if isinstance(effect, Move) else effect.recursive
    whole = every((recursive, place.reaches("project-root")))
    sure = some((outside, whole))
    if sure is not False:
        what = "the whole project" if whole and outside is False else "outside the project"
        yield Match(effect, f"This {'moves' if isinstance(effect, Move) else 'deletes'} {place.shown}, {what}.", sure=sure)
