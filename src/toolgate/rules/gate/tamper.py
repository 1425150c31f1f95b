"""Changing toolgate's own files, or the settings files that register it.

Whoever can change them can switch the gate off; only the person does, on a terminal of their own. The coordinator of a team may
change its `policies.json` too, and such changes apply where they tighten.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Delete, Link, Mount, Move, Permission, Write
from toolgate.model.place import COMMON_TARGETS, LOCAL, Place, Zone
from toolgate.model.rule import RuleContext
from toolgate.model.word import Maybe, maybe_all, maybe_any

FileChange = Write | Delete | Move | Link | Permission | Mount
GATE_ZONES: tuple[Zone, ...] = ("gate", "gate-state", "gate-programs", "agent-settings")
TEAM_ZONE: Zone = "team-policy"


def check(effect: FileChange, _options: None, context: RuleContext) -> Iterator[Match]:
    zones = GATE_ZONES if context.scene.role == "coordinator" else (*GATE_ZONES, TEAM_ZONE)
    for place in _iter_changed_places(effect):
        sure = touches_zones(effect, place, zones)
        if sure is None and effect.origin.file:
            continue  # a name computed by a file of the project
        if sure is not False and place.machine == LOCAL and not place.is_anywhere:
            yield Match(
                effect,
                f"Changes {place.display_text}, which {_describe_tie(place, zones)}.",
                "leave it as it is; only the user changes it.",
                sure,
            )
            return


def _describe_tie(place: Place, zones: tuple[Zone, ...]) -> str:
    if place.is_in(*zones) is True:
        return "belongs to the gate or registers it with a host"
    return (
        f"{'holds' if place.can_reach(*zones) is True else 'may be, or hold,'} files of the gate or the settings that register it"
    )


def _iter_changed_places(effect: FileChange) -> Iterator[Place]:
    yield effect.place
    if isinstance(effect, Move) or (isinstance(effect, Link) and effect.symbolic is not True):
        yield effect.to  # a hard link is another name for the same file
    elif isinstance(effect, Mount) and effect.to is not None:
        yield effect.to  # and so is a bind mount


def touches_zones(effect: FileChange, place: Place, zones: tuple[Zone, ...]) -> Maybe:
    if isinstance(effect, Link):
        with_content: Maybe = False
    elif isinstance(effect, Write):
        with_content = _may_replace_contents(effect, place)
    elif isinstance(effect, Mount):
        with_content = place.can_reach(*COMMON_TARGETS) is False
    elif isinstance(effect, Move):
        with_content = place is effect.place
    else:
        with_content = effect.recursive
    return maybe_any((place.is_in(*zones), maybe_all((with_content, place.can_reach(*zones)))))


def _may_replace_contents(effect: Write, place: Place) -> Maybe:
    """Returns whether the write may replace the contents of a folder. Each of the gate's files in a copied tree is a write of its
    own, and writing in the folders of everyday work does not count."""
    if effect.tree is not False or effect.append is not False or place.can_reach(*COMMON_TARGETS) is not False:
        return False
    return None
