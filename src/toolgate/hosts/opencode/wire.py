"""The wire format of OpenCode's plugin, under the names of the client's own hooks."""

from toolgate.hosts.plugin_wire import PluginWire, refuse

from .tools import SHELL_TOOL, parse_action

__all__ = ["EVENTS", "NAME", "WIRE", "answer", "read", "refuse"]

NAME = "opencode"
WIRE = PluginWire(
    NAME,
    parse_action,
    call_event="tool.execute.before",
    result_event="tool.execute.after",
    prompt_event="chat.message",
    shell=SHELL_TOOL,
    folder="workdir",
    put_command=lambda fields, command: {**fields, "command": command},
)
EVENTS = WIRE.events
read, answer = WIRE.read, WIRE.answer
