"""Agents that a call starts: whether the gate is registered with the host of each.

Where the settings of the caller's own host do not show the gate either (it is registered elsewhere, or the call is only an
example), the settings of another host prove nothing.
"""

import json
from dataclasses import replace

from toolgate import hosts
from toolgate.install.wiring import find_registered_commands
from toolgate.model.effect import Effect, Effects, Operation
from toolgate.model.event import Scene
from toolgate.model.host import NeedsTrust
from toolgate.model.word import Maybe
from toolgate.model.world import ABSENT, World

START = "agent.start"
MAX_SETTINGS_BYTES = 1 << 20


def mark_unregistered_agents(effects: Effects, scene: Scene, world: World) -> Effects:
    """Returns the effects with a flag on each start of another host's agent with which the gate is not registered."""
    if not _is_registered(scene.caller.host, scene, world):
        return effects
    programs = {program: name for name in hosts.HOSTS for program in hosts.load_host(name).TRACES.programs}

    def mark(effect: Effect) -> Effect:
        if not isinstance(effect, Operation) or effect.name != START or effect.target is None:
            return effect
        host = programs.get(effect.target.file_name.partition("@")[0])
        if host in (None, scene.caller.host) or _is_registered(str(host), scene, world) is not False:
            return effect
        return effect._replace(flags=(*effect.flags, ("unregistered", True)))

    return replace(effects, all=tuple(map(mark, effects.all)))


def _is_registered(host: str, scene: Scene, world: World) -> Maybe:
    """Returns whether any settings of a host register the gate, trusted where the host requires that; None if they cannot be
    read."""
    if host not in hosts.HOSTS:
        return None
    wiring = hosts.load_settings(host)
    found: Maybe = False
    for scope in wiring.SCOPES:
        path = wiring.locate_settings(scope, scene.home, scene.project, scene.environ)
        text = world.read(path, MAX_SETTINGS_BYTES)
        if text is ABSENT:
            continue
        if not isinstance(text, str):
            found = None
            continue
        try:
            if find_registered_commands(wiring, text) and _is_trusted(wiring, path, text, scene, world):
                return True
        except (ValueError, RecursionError):
            found = None
    return found


def _is_trusted(wiring: object, path: str, text: str, scene: Scene, world: World) -> bool:
    if not isinstance(wiring, NeedsTrust):
        return True
    trust = world.read(wiring.trust_file(scene.home, scene.environ), MAX_SETTINGS_BYTES)
    settings: object = json.loads(text)
    return isinstance(trust, str) and wiring.list_events(settings) <= wiring.read_trusted_events(trust, path, settings)
