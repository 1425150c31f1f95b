"""Determines which places the undo store neither copies from nor restores to."""

from toolgate.grounds import grounds
from toolgate.locate import zone_finder
from toolgate.model.event import Scene
from toolgate.model.place import WORKPLACES, Workplaces, Zone
from toolgate.model.world import World
from toolgate.undo.survey import Protects

_WHY: dict[Zone, str] = {
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


def protection(scene: Scene, world: World, places: Workplaces = WORKPLACES) -> Protects:
    """Returns a function that explains why nothing at a path is copied or restored; its result is empty where it may be."""
    zones_of = zone_finder(grounds(scene, places), world)

    def why(path: str) -> str:
        return next((_WHY[zone] for zone in sorted(zones_of(path)) if zone in _WHY), "")

    return why
