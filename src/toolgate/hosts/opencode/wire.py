"""The wire format of OpenCode's plugin, and the actions of its tools."""

from collections.abc import Mapping

from toolgate.hosts.formats.opencode_wire import TOOLS, build_wire, parse_call
from toolgate.hosts.formats.plugin_wire import refuse
from toolgate.model.action import Action

__all__ = ["EVENTS", "NAME", "WIRE", "answer", "parse_action", "read", "refuse"]

NAME = "opencode"


def parse_action(tool: str, fields: Mapping[str, object], cwd: str) -> Action:
    """Returns the action of a tool call. Raises BadPayload when the input does not have the tool's shape."""
    return parse_call(TOOLS, tool, fields, cwd)


WIRE = build_wire(NAME, parse_action)
EVENTS = WIRE.events
read, answer = WIRE.read, WIRE.answer
