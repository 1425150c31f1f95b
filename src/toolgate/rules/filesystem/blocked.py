"""Changing files in a folder that the policy blocks by name.

Somebody who knows this machine listed that folder. Reading it passes.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Delete, Link, Move, Permission, Write
from toolgate.model.place import LOCAL
from toolgate.model.rule import RuleContext
from toolgate.model.word import maybe_all, maybe_any


def check(effect: Write | Delete | Move | Link | Permission, _options: None, _context: RuleContext) -> Iterator[Match]:
    places = (effect.place, effect.to) if isinstance(effect, Move) else (effect.place,)
    recursive = True if isinstance(effect, Move) else getattr(effect, "recursive", False)
    for place in places:
        if place.machine != LOCAL or place.is_anywhere:
            continue
        sure = maybe_any((place.is_in("blocked"), maybe_all((recursive, place.can_reach("blocked")))))
        if sure is not False:
            message = f"Changes {place.display_text}, which the policy blocks."
            yield Match(effect, message, "work elsewhere, or ask the user to change the policy.", sure)
            return
