"""Changing toolgate's own files, or the settings files that register it.

Whoever can change them can switch the gate off; only the person does, on a terminal of their own. The coordinator of a team may
change its `policies.json` too, and such changes apply where they tighten.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Delete, Link, Mount, Move, Permission, Write
from toolgate.model.place import EVERYDAY, LOCAL, Place, Zone
from toolgate.model.rule import Context
from toolgate.model.word import Maybe, every, some

Changing = Write | Delete | Move | Link | Permission | Mount
OWN: tuple[Zone, ...] = ("gate", "gate-state", "gate-programs", "agent-settings")
TEAMS: Zone = "team-policy"


def check(effect: Changing, _options: None, context: Context) -> Iterator[Match]:
    zones = OWN if context.scene.role == "coordinator" else (*OWN, TEAMS)
    for place in _changed(effect):
        sure = touches(effect, place, zones)
        if sure is None and effect.origin.file:
            continue  # a name computed by a file of the project
        if sure is not False and place.machine == LOCAL and not place.anywhere:
            yield Match(
                effect,
                f"This changes {place.shown}: the gate's own files, or the settings that register it. Only the user may do that.",
                sure=sure,
            )
            return


def _changed(effect: Changing) -> Iterator[Place]:
    yield effect.place
    if isinstance(effect, Move) or (isinstance(effect, Link) and effect.symbolic is not True):
        yield effect.to  # a hard link is another name for the same file
    elif isinstance(effect, Mount) and effect.to is not None:
        yield effect.to  # and so is a bind mount


def touches(effect: Changing, place: Place, zones: tuple[Zone, ...]) -> Maybe:
    if isinstance(effect, Link):
        whole: Maybe = False
    elif isinstance(effect, Write):
        whole = _is_filled(effect, place)
    elif isinstance(effect, Mount):
        whole = place.reaches(*EVERYDAY) is False
    elif isinstance(effect, Move):
        whole = place is effect.place
    else:
        whole = effect.recursive
    return some((place.is_in(*zones), every((whole, place.reaches(*zones)))))


def _is_filled(effect: Write, place: Place) -> Maybe:
    """Returns whether the write may replace the contents of a folder. Each of the gate's files in a copied tree is a write of its
    own, and writing in the folders of everyday work does not count."""
    if effect.tree is not False or effect.append is not False or place.reaches(*EVERYDAY) is not False:
        return False
    return None
