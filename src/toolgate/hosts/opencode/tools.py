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


def _parse_edit(given: ToolInput) -> Action:
    every = given.fields.get("replaceAll", False)
    if not isinstance(every, bool):
        raise BadPayload(f"{given.tool}: `replaceAll` is neither true nor false")
    return EditFile(
        given.read_path("filePath"), (Replacement(given.read_string("oldString"), given.read_string("newString"), every),)
    )


def _parse_grep(given: ToolInput) -> Action:
    folder, glob = given.read_string("path", given.cwd), given.read_string("include", "")
    return parse_content_search(folder, given.read_string("pattern"), glob, is_named="path" in given.fields)


def _parse_glob(given: ToolInput) -> Action:
    return parse_glob((given.read_string("path", given.cwd),), given.read_string("pattern"))


_CONVERSATION_TOOLS = ("todowrite", "todoread", "skill", "plan_enter", "plan_exit", "invalid")
"""Tools that change nothing outside the conversation."""
TOOLS: dict[str, Callable[[ToolInput], Action]] = {
    SHELL_TOOL: lambda given: RunShell(given.read_string("command")),
    "read": lambda given: ReadFile(given.read_path("filePath")),
    "write": lambda given: WriteFile(given.read_path("filePath"), given.read_string("content")),
    "edit": _parse_edit,
    "apply_patch": lambda given: ApplyPatch(given.read_string("patchText")),
    "grep": _parse_grep,
    "glob": _parse_glob,
    "list": lambda given: Search((given.read_string("path", given.cwd),), ""),
    "webfetch": lambda given: Fetch(given.read_string("url")),
    "question": parse_questions,
    **dict.fromkeys(("websearch", "codesearch"), lambda given: OtherTool(given.tool, given.fields, "search")),
    "task": lambda given: OtherTool(given.tool, given.fields, "agent"),
    **dict.fromkeys(_CONVERSATION_TOOLS, lambda given: OtherTool(given.tool, given.fields, "conversation")),
}
