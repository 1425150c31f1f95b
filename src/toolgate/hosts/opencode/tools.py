"""Translates calls of OpenCode's tools to actions. The only file that knows their names and the keys of their input."""

from collections.abc import Callable, Mapping

from toolgate.hosts.payload import ToolInput
from toolgate.hosts.questions import parse_questions
from toolgate.hosts.searches import parse_content_search, parse_glob
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
    WriteFile,
)
from toolgate.model.errors import BadPayload

SHELL_TOOL = "bash"


def parse_action(tool: str, fields: Mapping[str, object], cwd: str) -> Action:
    """Returns the action of a tool call. Raises BadPayload when the input does not have the tool's shape.

    A server's tool is `server_tool`. Tool names contain underscores more often than server names."""
    lower = TOOLS.get(tool)
    if lower is not None:
        return lower(ToolInput(tool, fields, cwd))
    server, _, name = tool.partition("_")
    return CallTool(server, name, fields) if server and name else OtherTool(tool, fields)


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


_CONVERSATION_TOOLS = ("todowrite", "todoread", "skill", "plan_enter", "plan_exit", "invalid")
"""Tools that change nothing outside the conversation."""
TOOLS: dict[str, Callable[[ToolInput], Action]] = {
    SHELL_TOOL: lambda tool_input: RunShell(tool_input.read_string("command")),
    "read": lambda tool_input: ReadFile(tool_input.read_path("filePath")),
    "write": lambda tool_input: WriteFile(tool_input.read_path("filePath"), tool_input.read_string("content")),
    "edit": _parse_edit,
    "apply_patch": lambda tool_input: ApplyPatch(tool_input.read_string("patchText")),
    "grep": _parse_grep,
    "glob": _parse_glob,
    "list": lambda tool_input: Search((tool_input.read_string("path", tool_input.cwd),), ""),
    "webfetch": lambda tool_input: Fetch(tool_input.read_string("url")),
    "question": parse_questions,
    **dict.fromkeys(("websearch", "codesearch"), lambda tool_input: OtherTool(tool_input.tool, tool_input.fields, "search")),
    "task": lambda tool_input: OtherTool(tool_input.tool, tool_input.fields, "agent"),
    **dict.fromkeys(_CONVERSATION_TOOLS, lambda tool_input: OtherTool(tool_input.tool, tool_input.fields, "conversation")),
}
