"""Translates calls of Qwen Code's tools to actions. The only file that knows their names and the keys of their input."""

from collections.abc import Callable, Mapping

from toolgate.hosts.formats.edits import parse_edit, parse_notebook_edit
from toolgate.hosts.formats.payload import ToolInput
from toolgate.hosts.formats.questions import parse_questions
from toolgate.hosts.formats.searches import parse_content_search, parse_glob
from toolgate.hosts.formats.server_tools import parse_call
from toolgate.model.action import Action, Fetch, OtherTool, ReadFile, RunShell, Search, WriteFile
from toolgate.model.errors import BadPayload

SHELL_TOOL, FOLDER_KEY = "run_shell_command", "directory"


def parse_action(tool: str, fields: Mapping[str, object], cwd: str) -> Action:
    """Returns the action of a tool call. Raises BadPayload when the input does not have the tool's shape."""
    return parse_call(TOOLS, tool, fields, cwd)


def _parse_deferred_call(tool_input: ToolInput) -> Action:
    """Returns the action of the tool that the call names; none of these may name such a call again."""
    name, arguments = tool_input.read_string("name"), tool_input.fields.get("arguments", {})
    if not isinstance(arguments, dict) or name == tool_input.tool:
        raise BadPayload(f"{tool_input.tool}: it names no tool with arguments")
    return parse_action(name, arguments, tool_input.cwd)


def _parse_grep(tool_input: ToolInput) -> Action:
    folder, glob = tool_input.read_string("path", tool_input.cwd), tool_input.read_string("glob", "")
    return parse_content_search(folder, tool_input.read_string("pattern"), glob, is_named="path" in tool_input.fields)


_CONVERSATION_TOOLS = (
    "todo_write skill enter_plan_mode exit_plan_mode list_agents task_stop task_create task_update task_list team_create "
    "team_delete team_plan_approval request_shutdown structured_output tool_search read_mcp_resource enter_worktree "
    "exit_worktree cron_list cron_delete record_artifact record_source report_findings get_goal update_goal propose_goal "
    "display_image lsp save_memory"
).split()
"""Tools that change nothing outside the conversation, whatever their names say."""
TOOLS: dict[str, Callable[[ToolInput], Action]] = {
    SHELL_TOOL: lambda tool_input: RunShell(tool_input.read_string("command")),
    "monitor": lambda tool_input: RunShell(tool_input.read_string("command")),
    "read_file": lambda tool_input: ReadFile(tool_input.read_path("file_path")),
    "write_file": lambda tool_input: WriteFile(tool_input.read_path("file_path"), tool_input.read_string("content")),
    "edit": lambda tool_input: parse_edit(tool_input, "file_path"),
    "notebook_edit": parse_notebook_edit,
    "grep_search": _parse_grep,
    "glob": lambda tool_input: parse_glob((tool_input.read_string("path", tool_input.cwd),), tool_input.read_string("pattern")),
    "list_directory": lambda tool_input: Search((tool_input.read_string("path", tool_input.cwd),), ""),
    "web_fetch": lambda tool_input: Fetch(tool_input.read_string("url")),
    "ask_user_question": parse_questions,
    "tool_call": _parse_deferred_call,
    "web_search": lambda tool_input: OtherTool(tool_input.tool, tool_input.fields, "search"),
    **dict.fromkeys(
        ("agent", "send_message", "create_sub_session"), lambda tool_input: OtherTool(tool_input.tool, tool_input.fields, "agent")
    ),
    **dict.fromkeys(("cron_create", "loop_wakeup"), lambda tool_input: OtherTool(tool_input.tool, tool_input.fields, "schedule")),
    **dict.fromkeys(_CONVERSATION_TOOLS, lambda tool_input: OtherTool(tool_input.tool, tool_input.fields, "conversation")),
}
