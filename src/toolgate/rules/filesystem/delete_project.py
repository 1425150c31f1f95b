"""Deleting or moving away the whole project.

Version control may hold most of it; uncommitted and ignored files are lost. Name the files to delete.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Delete, Move
from toolgate.model.place import LOCAL
from toolgate.model.rule import RuleContext
from toolgate.model.word import maybe_all


def check(effect: Delete | Move, _options: None, _context: RuleContext) -> Iterator[Match]:
    place = effect.place
    if place.machine != LOCAL:
        return
    if isinstance(effect, Move) and "project" in effect.to.inside and "project-root" not in place.inside:
        return  # a move within the project
    if isinstance(effect, Move) and effect.to.path is None and effect.to.anchor is None and place.path is None:
        return  # each file is renamed to a name made from its own
    sure = maybe_all((True if isinstance(effect, Move) else effect.recursive, place.can_reach("project-root")))
    if sure is not False:
        does = "Moves" if isinstance(effect, Move) else "Deletes"
        message = f"{does} {place.display_text}, which is the whole project."
        yield Match(effect, message, "name the files and folders that should go.", sure)
