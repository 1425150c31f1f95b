"""Making a file run as its owner or group for everybody who starts it.

A shell with that bit gives access to another account, usually root.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Permission
from toolgate.model.file_mode import sets_user_id
from toolgate.model.place import LOCAL
from toolgate.model.rule import RuleContext


def check(effect: Permission, _options: None, _context: RuleContext) -> Iterator[Match]:
    mode = effect.mode.text
    if effect.place.machine == LOCAL and mode is not None and sets_user_id(mode):
        message = f"Makes {effect.place.display_text} run with its owner's rights, whoever starts it (mode {mode})."
        yield Match(effect, message, "leave that bit to the user.")
