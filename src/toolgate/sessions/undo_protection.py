"""Determines which places the undo store neither copies from nor restores to."""

from toolgate.locate import make_zone_finder
from toolgate.model.event import Scene
from toolgate.model.place import WORKPLACES, Workplaces, Zone
from toolgate.model.world import World
from toolgate.session_places import find_session_places
from toolgate.undo.survey import ExplainProtection

_ZONE_REASONS: dict[Zone, str] = {
    "credentials": "it may hold secrets",
    "environment": "it may hold secrets",
    "start-up": "it runs by itself",
    "scheduler": "it runs by itself",
    "agent-settings": "it belongs to an agent's settings",
    "agent-hooks": "it belongs to an agent's settings",
    "team-policy": "it belongs to an agent's settings",
    "gate": "it is the gate's own",
    "gate-state": "it is the gate's own",
    "gate-programs": "it is the gate's own",
    "system": "it is the operating system's",
    "device": "it is a device",
}


def build_protection(scene: Scene, world: World, places: Workplaces = WORKPLACES) -> ExplainProtection:
    """Returns a function that explains why nothing at a path is copied or restored; its result is empty where it may be."""
    zones_of = make_zone_finder(find_session_places(scene, places), world)

    def explain_path(path: str) -> str:
        return next((_ZONE_REASONS[zone] for zone in sorted(zones_of(path)) if zone in _ZONE_REASONS), "")

    return explain_path
