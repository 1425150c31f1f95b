"""The wire format of Kilo's plugin, which is OpenCode's."""

from toolgate.hosts.formats.opencode_wire import build_wire
from toolgate.hosts.formats.plugin_wire import refuse

from .tools import parse_action

__all__ = ["EVENTS", "NAME", "WIRE", "answer", "read", "refuse"]

NAME = "kilo"
WIRE = build_wire(NAME, parse_action)
EVENTS = WIRE.events
read, answer = WIRE.read, WIRE.answer
