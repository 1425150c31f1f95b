"""Changing files in a folder that the policy blocks by name.

Somebody who knows this machine listed that folder. Reading it passes.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Delete, Link, Move, Permission, Write
from toolgate.model.place import LOCAL
from toolgate.model.rule import Context
from toolgate.model.word import every, some


def check(effect: Write | Delete | Move | Link | Permission, _options: None, _context: Context) -> Iterator[Match]:
    places = (effect.place, effect.to) if isinstance(effect, Move) else (effect.place,)
    recursive = True if isinstance(effect, Move) else getattr(effect, "recursive", False)
    for place in places:
        if place.machine != LOCAL or place.anywhere:
            continue
        sure = some((place.is_in("blocked"), every((recursive, place.reaches("blocked")))))
        if sure is not False:
            yield Match(effect, f"This changes {place.shown}, which the policy blocks.", sure=sure)
            return
