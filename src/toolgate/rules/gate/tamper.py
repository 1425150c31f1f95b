"""Changing toolgate's own files, or the settings files that register it.

Whoever can change them can switch the gate off; only the person does, on a terminal of their own.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Delete, Link, Move, Permission, Write
from toolgate.model.place import LOCAL, Place
from toolgate.model.rule import Context
from toolgate.model.word import Maybe, every, some


def check(effect: Write | Delete | Move | Link | Permission, _options: None, _context: Context) -> Iterator[Match]:
    places = (effect.place, effect.to) if isinstance(effect, Move) else (effect.place,)
    for place in places:
        sure = touches(effect, place)
        if sure is not False and place.machine == LOCAL and not place.anywhere:
            yield Match(
                effect,
                f"This changes {place.shown}: the gate's own files, or the settings that register it. Only the user may do that.",
                sure=sure,
            )
            return


def touches(effect: Write | Delete | Move | Link | Permission, place: Place) -> Maybe:
    if isinstance(effect, Write | Link):
        whole: Maybe = False
    elif isinstance(effect, Move):
        whole = place is effect.place
    else:
        whole = effect.recursive
    return some((place.is_in("gate", "agent-settings"), every((whole, place.reaches("gate", "agent-settings")))))
