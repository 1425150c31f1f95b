"""Tools that move something in the world: machines, plants, valves."""

import re

_EQUIPMENT = frozenset(
    "scada plc modbus opcua hmi historian octoprint klipper irrigation sprinkler drone robot boiler turbine valve pump "
    "heater hvac setpoint farmos breaker feeder substation interlocking sprayer opentrons mavlink ardupilot px4 roomba crane "
    "conveyor centrifuge pipette incubator".split()
)
"""Words of servers and tools that move something in the world."""
_OF_EQUIPMENT = re.compile(r"(?:robot|drone|conveyor|turbine)\w+").fullmatch
"""Matches a word that begins with one of these: `robotcell`."""
_OPERATING_VERBS = frozenset("write set trigger issue send start open close run execute move command home heat".split())


def is_equipment(words: frozenset[str]) -> bool:
    """Returns whether one of these words of a server's and a tool's name is such a machine."""
    return not _EQUIPMENT.isdisjoint(words) or any(map(_OF_EQUIPMENT, words))


_DEVICES = frozenset("device devices meter meters vehicle vehicles machine machines actuator".split())


_HARMLESS_COMMANDS = frozenset("information info status get list read ping locate identify blink report version".split())


def operates_equipment(words: frozenset[str], server: frozenset[str]) -> bool:
    """Returns whether a tool operates a machine or a plant."""
    if "command" in words and words & {"send", "issue", "execute"} and words & _DEVICES and not words & _HARMLESS_COMMANDS:
        return True
    return is_equipment(words | server) and not _OPERATING_VERBS.isdisjoint(words)
