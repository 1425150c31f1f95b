"""Writing to a disk or another device.

Data is overwritten below the file system and cannot be restored. The same commands work on an image file in the project.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Move, Write
from toolgate.model.rule import RuleContext

_HARMLESS_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty")
"""Writing to these loses nothing; moving a file over one loses both the file and the device."""


def check(effect: Write | Move, _options: None, _context: RuleContext) -> Iterator[Match]:
    place = effect.to if isinstance(effect, Move) else effect.place
    if place.machine.startswith("container:") or place.is_anywhere:
        return
    if isinstance(effect, Move) and place.path in _HARMLESS_DEVICES:
        yield Match(effect, f"Moves a file onto {place.path}, which destroys both.", "move it to a folder, or delete it.")
        return
    sure = place.is_in("device")
    if sure is not False:
        message = f"Writes to the device {place.display_text}; everything on it is lost."
        yield Match(effect, message, "write to a file, and let the user copy it to the device.", sure)
