"""The wire format of Cline's plugin, under the names of the client's own hooks."""

from toolgate.hosts.formats.plugin_wire import PluginWire, refuse

from .tools import parse_action

__all__ = ["EVENTS", "NAME", "WIRE", "answer", "read", "refuse"]

NAME = "cline"
WIRE = PluginWire(
    NAME,
    parse_action,
    call_event="beforeTool",
    result_event="afterTool",
    prompt_event="beforeRun",
    folder="",
    put_command=lambda fields, command: {**fields, "commands": [command]},
    asks=True,
)
EVENTS = WIRE.events
read, answer = WIRE.read, WIRE.answer
