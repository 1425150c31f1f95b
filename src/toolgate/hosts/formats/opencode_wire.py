"""The tools and the wire format of OpenCode and of the clients that are built from it.

No other file knows the names of these tools and the keys of their input.
"""

from collections.abc import Callable, Mapping

from toolgate.model.action import (
    Action,
    ApplyPatch,
    CallTool,
    EditFile,
    Fetch,
    OtherTool,
    ReadFile,
    Replacement,
    RunShell,
    Search,
    ToolRole,
    WriteFile,
)
from toolgate.model.errors import BadPayload

from .payload import ToolInput
from .plugin_wire import PluginWire
from .questions import parse_questions
from .searches import parse_content_search, parse_glob
from .server_tools import Parsers


def build_wire(host: str, parse_action: Callable[[str, Mapping[str, object], str], Action]) -> PluginWire:
    """Returns the wire format of the plugin, under the names of the client's own hooks."""
    return PluginWire(
        host,
        parse_action,
        call_event="tool.execute.before",
        result_event="tool.execute.after",
        prompt_event="chat.message",
        folder="workdir",
        put_command=lambda fields, command: {**fields, "command": command},
    )


def parse_call(tools: Parsers, tool: str, fields: Mapping[str, object], cwd: str) -> Action:
    """Returns the action of a call of one of `tools`, or of a server's tool. Raises BadPayload when the input does not have the
    tool's shape.

    A server's tool is `server_tool`. Tool names contain underscores more often than server names."""
    lower = tools.get(tool)
    if lower is not None:
        return lower(ToolInput(tool, fields, cwd))
    server, _, name = tool.partition("_")
    return CallTool(server, name, fields) if server and name else OtherTool(tool, fields)


def parse_command(tool_input: ToolInput) -> Action:
    return RunShell(tool_input.read_string("command"))


def assign_role(role: ToolRole, names: str) -> Parsers:
    """Returns parsers of tools that all have one role. `names`: separated by blanks."""
    return dict.fromkeys(names.split(), lambda tool_input: OtherTool(tool_input.tool, tool_input.fields, role))


def _parse_edit(tool_input: ToolInput) -> Action:
    every = tool_input.fields.get("replaceAll", False)
    if not isinstance(every, bool):
        raise BadPayload(f"{tool_input.tool}: `replaceAll` is neither true nor false")
    return EditFile(
        tool_input.read_path("filePath"),
        (Replacement(tool_input.read_string("oldString"), tool_input.read_string("newString"), every),),
    )


def _parse_grep(tool_input: ToolInput) -> Action:
    folder, glob = tool_input.read_string("path", tool_input.cwd), tool_input.read_string("include", "")
    return parse_content_search(folder, tool_input.read_string("pattern"), glob, is_named="path" in tool_input.fields)


def _parse_glob(tool_input: ToolInput) -> Action:
    return parse_glob((tool_input.read_string("path", tool_input.cwd),), tool_input.read_string("pattern"))


TOOLS: Parsers = {
    "bash": parse_command,
    "read": lambda tool_input: ReadFile(tool_input.read_path("filePath")),
    "write": lambda tool_input: WriteFile(tool_input.read_path("filePath"), tool_input.read_string("content")),
    "edit": _parse_edit,
    "apply_patch": lambda tool_input: ApplyPatch(tool_input.read_string("patchText")),
    "grep": _parse_grep,
    "glob": _parse_glob,
    "list": lambda tool_input: Search((tool_input.read_string("path", tool_input.cwd),), ""),
    "webfetch": lambda tool_input: Fetch(tool_input.read_string("url")),
    "question": parse_questions,
    **assign_role("search", "websearch codesearch"),
    **assign_role("agent", "task"),
    **assign_role("conversation", "todowrite todoread skill plan_enter plan_exit invalid"),
}
"""The tools of OpenCode, which the other clients offer as well."""
