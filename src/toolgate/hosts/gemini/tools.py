"""Translates calls of Gemini CLI's tools to actions. The only file that knows their names and the keys of their input."""

import re
from collections.abc import Callable, Mapping

from toolgate.hosts.formats.edits import parse_edit
from toolgate.hosts.formats.payload import ToolInput
from toolgate.hosts.formats.questions import parse_questions
from toolgate.hosts.formats.searches import parse_content_search, parse_glob
from toolgate.hosts.formats.server_tools import parse_call
from toolgate.model.action import Action, Fetch, OtherTool, ReadFile, RunShell, Search, WriteFile
from toolgate.model.errors import BadPayload

SHELL_TOOL, FOLDER_KEY = "run_shell_command", "dir_path"
SERVER_PREFIX = "mcp_"
_ADDRESS = re.compile(r"https?://[^\s\"'<>]+")


def parse_action(tool: str, fields: Mapping[str, object], cwd: str) -> Action:
    """Returns the action of a tool call. Raises BadPayload when the input does not have the tool's shape.

    A server's tool is `mcp_server_tool`."""
    return parse_call(TOOLS, tool, fields, cwd, prefix=SERVER_PREFIX)


def _parse_many_files(tool_input: ToolInput) -> Action:
    named = tool_input.fields.get("include", ())
    if not isinstance(named, list) or not all(isinstance(each, str) for each in named):
        raise BadPayload(f"{tool_input.tool}: `include` is not a list of texts")
    return Search(tuple(named), "")


def _parse_grep(tool_input: ToolInput) -> Action:
    folder, glob = tool_input.read_string(FOLDER_KEY, tool_input.cwd), tool_input.read_string("include_pattern", "")
    return parse_content_search(folder, tool_input.read_string("pattern"), glob, is_named=FOLDER_KEY in tool_input.fields)


def _parse_fetch(tool_input: ToolInput) -> Action:
    """The addresses are in the prompt. Several of them are judged as arguments of a tool that nobody described."""
    found = [tool_input.read_string("url")] if "url" in tool_input.fields else _ADDRESS.findall(tool_input.read_string("prompt"))
    return Fetch(found[0]) if len(found) == 1 else OtherTool(tool_input.tool, {**tool_input.fields, "urls": found})


_CONVERSATION_TOOLS = (
    "activate_skill write_todos update_topic complete_task enter_plan_mode exit_plan_mode list_background_processes "
    "read_background_output get_internal_docs list_mcp_resources read_mcp_resource tracker_create_task tracker_update_task "
    "tracker_get_task tracker_list_tasks tracker_add_dependency tracker_visualize"
).split()
"""Tools that change nothing outside the conversation, whatever their names say."""
TOOLS: dict[str, Callable[[ToolInput], Action]] = {
    SHELL_TOOL: lambda tool_input: RunShell(tool_input.read_string("command")),
    "read_file": lambda tool_input: ReadFile(tool_input.read_path("file_path")),
    "read_many_files": _parse_many_files,
    "write_file": lambda tool_input: WriteFile(tool_input.read_path("file_path"), tool_input.read_string("content")),
    "replace": lambda tool_input: parse_edit(tool_input, "file_path", "allow_multiple"),
    "grep_search": _parse_grep,
    "glob": lambda tool_input: parse_glob(
        (tool_input.read_string(FOLDER_KEY, tool_input.cwd),), tool_input.read_string("pattern")
    ),
    "list_directory": lambda tool_input: Search((tool_input.read_string(FOLDER_KEY, tool_input.cwd),), ""),
    "web_fetch": _parse_fetch,
    "ask_user": parse_questions,
    "google_web_search": lambda tool_input: OtherTool(tool_input.tool, tool_input.fields, "search"),
    "invoke_agent": lambda tool_input: OtherTool(tool_input.tool, tool_input.fields, "agent"),
    **dict.fromkeys(_CONVERSATION_TOOLS, lambda tool_input: OtherTool(tool_input.tool, tool_input.fields, "conversation")),
}
