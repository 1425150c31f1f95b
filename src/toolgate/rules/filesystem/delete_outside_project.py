"""Deleting or moving away what lies outside the project.

The agent was given a project to work in; what lies elsewhere belongs to somebody's other work, and deleting it cannot be undone.
Temporary folders are anybody's.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Delete, Move
from toolgate.model.place import LOCAL
from toolgate.model.rule import Context


def check(effect: Delete | Move, _options: None, _context: Context) -> Iterator[Match]:
    place = effect.place
    sure = place.is_in("outside") if place.machine == LOCAL else False
    if sure is not False:
        does = "moves" if isinstance(effect, Move) else "deletes"
        yield Match(effect, f"This {does} {place.shown}, outside the project.", sure=sure)
