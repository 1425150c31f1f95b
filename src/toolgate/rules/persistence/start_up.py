"""Writing what runs by itself: shell start-up files, login items, git hooks.

It runs again and again, long after this session and outside it. Put what the project needs into the project, and let the person
change their own start-up files.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Link, Move, Write
from toolgate.model.place import LOCAL
from toolgate.model.rule import Context


def check(effect: Write | Move | Link, _options: None, _context: Context) -> Iterator[Match]:
    place = effect.to if isinstance(effect, Move) else effect.place
    if place.machine != LOCAL or place.anywhere:
        return
    sure = place.is_in("start-up")
    if sure is not False:
        yield Match(effect, f"This changes {place.shown}, which runs by itself.", sure=sure)
