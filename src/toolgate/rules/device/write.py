"""Writing to a disk or another device.

What is on it is overwritten below the file system: nothing can be restored. An image file in the project takes the same commands.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Move, Write
from toolgate.model.rule import Context

_NODES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty")
"""Nothing is lost by writing to them; what is moved over one is gone, and so is the device."""


def check(effect: Write | Move, _options: None, _context: Context) -> Iterator[Match]:
    place = effect.to if isinstance(effect, Move) else effect.place
    if place.machine.startswith("container:") or place.anywhere:
        return
    if isinstance(effect, Move) and place.path in _NODES:
        yield Match(effect, f"This moves a file over {place.path}: both would be gone.", "Move it to a folder, or delete it.")
        return
    sure = place.is_in("device")
    if sure is not False:
        yield Match(effect, f"This writes to the device {place.shown}: what is on it would be lost.", sure=sure)
