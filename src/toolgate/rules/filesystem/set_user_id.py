"""Making a file run as its owner or group for everybody who starts it.

A shell with that bit gives access to another account, usually root.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Permission
from toolgate.model.mode import sets_user
from toolgate.model.place import LOCAL
from toolgate.model.rule import Context


def check(effect: Permission, _options: None, _context: Context) -> Iterator[Match]:
    mode = effect.mode.text
    if effect.place.machine == LOCAL and mode is not None and sets_user(mode):
        yield Match(effect, f"This makes {effect.place.shown} run as its owner for everybody (mode {mode}).")
