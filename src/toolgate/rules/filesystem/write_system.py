"""Writing into the operating system's own folders.

A wrong file there breaks the machine for everybody, or changes how every program on it behaves. Change the system with packages;
inside the project, or in a temporary folder, files can be written freely.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Link, Move, Write
from toolgate.model.place import LOCAL
from toolgate.model.rule import RuleContext


def check(effect: Write | Move | Link, _options: None, _context: RuleContext) -> Iterator[Match]:
    place = effect.to if isinstance(effect, Move) else effect.place
    if place.machine != LOCAL or place.is_anywhere:
        return
    sure = False if place.is_in("system-data") is True else place.is_in("system", "root")
    if sure is not False:
        yield Match(
            effect, f"Writes to {place.display_text}, in the operating system's own folders.", "write it in the project.", sure
        )
