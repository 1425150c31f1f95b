"""Translates calls of Gemini CLI's tools to actions. The only file that knows their names and the keys of their input."""

import re
from collections.abc import Callable, Mapping

from toolgate.hosts.edits import parse_edit
from toolgate.hosts.payload import ToolInput
from toolgate.hosts.questions import parse_questions
from toolgate.hosts.searches import parse_content_search, parse_glob
from toolgate.model.action import Action, CallTool, Fetch, OtherTool, ReadFile, RunShell, Search, WriteFile
from toolgate.model.errors import BadPayload

SHELL_TOOL, FOLDER_KEY = "run_shell_command", "dir_path"
SERVER_PREFIX = "mcp_"
_ADDRESS = re.compile(r"https?://[^\s\"'<>]+")


def parse_action(tool: str, fields: Mapping[str, object], cwd: str) -> Action:
    """Returns the action of a tool call. Raises BadPayload when the input does not have the tool's shape.

    A server's tool is `mcp_server_tool`. Tool names contain underscores more often than server names."""
    lower = TOOLS.get(tool)
    if lower is not None:
        return lower(ToolInput(tool, fields, cwd))
    if tool.startswith(SERVER_PREFIX):
        server, _, name = tool.removeprefix(SERVER_PREFIX).partition("_")
        return CallTool(server, name, fields)
    return OtherTool(tool, fields)


def _parse_many_files(given: ToolInput) -> Action:
    named = given.fields.get("include", ())
    if not isinstance(named, list) or not all(isinstance(each, str) for each in named):
        raise BadPayload(f"{given.tool}: `include` is not a list of texts")
    return Search(tuple(named), "")


def _parse_grep(given: ToolInput) -> Action:
    folder, glob = given.read_string(FOLDER_KEY, given.cwd), given.read_string("include_pattern", "")
    return parse_content_search(folder, given.read_string("pattern"), glob, is_named=FOLDER_KEY in given.fields)


def _parse_fetch(given: ToolInput) -> Action:
    """The addresses are in the prompt. Several of them are judged as arguments of a tool that nobody described."""
    found = [given.read_string("url")] if "url" in given.fields else _ADDRESS.findall(given.read_string("prompt"))
    return Fetch(found[0]) if len(found) == 1 else OtherTool(given.tool, {**given.fields, "urls": found})


_CONVERSATION_TOOLS = (
    "activate_skill write_todos update_topic complete_task enter_plan_mode exit_plan_mode list_background_processes "
    "read_background_output get_internal_docs list_mcp_resources read_mcp_resource tracker_create_task tracker_update_task "
    "tracker_get_task tracker_list_tasks tracker_add_dependency tracker_visualize"
).split()
"""Tools that change nothing outside the conversation, whatever their names say."""
TOOLS: dict[str, Callable[[ToolInput], Action]] = {
    SHELL_TOOL: lambda given: RunShell(given.read_string("command")),
    "read_file": lambda given: ReadFile(given.read_path("file_path")),
    "read_many_files": _parse_many_files,
    "write_file": lambda given: WriteFile(given.read_path("file_path"), given.read_string("content")),
    "replace": lambda given: parse_edit(given, "file_path", "allow_multiple"),
    "grep_search": _parse_grep,
    "glob": lambda given: parse_glob((given.read_string(FOLDER_KEY, given.cwd),), given.read_string("pattern")),
    "list_directory": lambda given: Search((given.read_string(FOLDER_KEY, given.cwd),), ""),
    "web_fetch": _parse_fetch,
    "ask_user": parse_questions,
    "google_web_search": lambda given: OtherTool(given.tool, given.fields, "search"),
    "invoke_agent": lambda given: OtherTool(given.tool, given.fields, "agent"),
    **dict.fromkeys(_CONVERSATION_TOOLS, lambda given: OtherTool(given.tool, given.fields, "conversation")),
}
