"""Deleting or moving away the whole project.

Version control may hold most of it; uncommitted and ignored files are lost. Name the files to delete.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Delete, Move
from toolgate.model.place import LOCAL
from toolgate.model.rule import Context
from toolgate.model.word import every


def check(effect: Delete | Move, _options: None, _context: Context) -> Iterator[Match]:
    place = effect.place
    if place.machine != LOCAL:
        return
    if isinstance(effect, Move) and "project" in effect.to.inside and "project-root" not in place.inside:
        return  # a move within the project
    if isinstance(effect, Move) and effect.to.path is None and effect.to.anchor is None and place.path is None:
        return  # each file is renamed to a name made from its own
    sure = every((True if isinstance(effect, Move) else effect.recursive, place.reaches("project-root")))
    if sure is not False:
        does = "moves" if isinstance(effect, Move) else "deletes"
        yield Match(effect, f"This {does} {place.shown}, the whole project.", "name the folders that are to go", sure)
