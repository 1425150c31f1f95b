"""Finds the action of a tool call: by the host's own table of tools, or by the name of a server's tool."""

from collections.abc import Callable, Mapping

from toolgate.model.action import Action, CallTool, OtherTool

from .payload import ToolInput

Parsers = Mapping[str, Callable[[ToolInput], Action]]
"""Name of a tool -> what returns the action of its call."""


def parse_call(tools: Parsers, tool: str, fields: Mapping[str, object], cwd: str, *, prefix: str = "mcp__") -> Action:
    """Returns the action of a call of one of `tools`, of a server's tool, or of one that nobody knows. Raises BadPayload when the
    input does not have the tool's shape.

    A server's tool is named by `prefix`, the server, the underscores that end `prefix`, and the tool. Where that is one
    underscore, it is the first: names of tools contain underscores more often than names of servers."""
    parse = tools.get(tool)
    if parse is not None:
        return parse(ToolInput(tool, fields, cwd))
    if tool.startswith(prefix):
        server, _, name = tool.removeprefix(prefix).partition(prefix.removeprefix("mcp"))
        return CallTool(server, name, fields)
    return OtherTool(tool, fields)
