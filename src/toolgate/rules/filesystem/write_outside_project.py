"""Writing outside the project.

The agent was given a project to work in. A file elsewhere may be somebody's other work, or a setting of some program. Inside the
project and in temporary folders files can be written freely.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Link, Move, Write
from toolgate.model.place import LOCAL
from toolgate.model.rule import Context


def check(effect: Write | Move | Link, _options: None, _context: Context) -> Iterator[Match]:
    place = effect.to if isinstance(effect, Move) else effect.place
    if place.machine != LOCAL:
        return
    if isinstance(effect, Write) and effect.folder:
        return  # nothing is lost, and nothing is in it
    sure = place.is_in("outside")
    if sure is not False:
        yield Match(effect, f"This writes {place.shown}, outside the project.", sure=sure)
