"""Writing into the operating system's own trees.

A wrong file there breaks the machine for everybody, or changes what every program on it does. Packages are what changes the
system; inside the project, or in a temporary folder, files can be written freely.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Link, Move, Write
from toolgate.model.place import LOCAL
from toolgate.model.rule import Context
from toolgate.model.word import some


def check(effect: Write | Move | Link, _options: None, _context: Context) -> Iterator[Match]:
    place = effect.to if isinstance(effect, Move) else effect.place
    if place.machine != LOCAL or place.anywhere:
        return
    sure = some((place.is_in("system"), place.is_in("root") if isinstance(effect, Write) else False))
    if sure is not False:
        yield Match(effect, f"This writes {place.shown}, in the operating system's own folders.", sure=sure)
