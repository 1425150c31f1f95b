"""Translates calls of Qwen Code's tools to actions. The only file that knows their names and the keys of their input."""

from collections.abc import Callable, Mapping

from toolgate.hosts.edits import parse_edit, parse_notebook_edit
from toolgate.hosts.payload import ToolInput
from toolgate.hosts.questions import parse_questions
from toolgate.hosts.searches import parse_content_search, parse_glob
from toolgate.model.action import Action, CallTool, Fetch, OtherTool, ReadFile, RunShell, Search, WriteFile
from toolgate.model.errors import BadPayload

SHELL_TOOL, FOLDER_KEY = "run_shell_command", "directory"


def parse_action(tool: str, fields: Mapping[str, object], cwd: str) -> Action:
    """Returns the action of a tool call. Raises BadPayload when the input does not have the tool's shape."""
    lower = TOOLS.get(tool)
    if lower is not None:
        return lower(ToolInput(tool, fields, cwd))
    if tool.startswith("mcp__"):
        server, _, name = tool.removeprefix("mcp__").partition("__")
        return CallTool(server, name, fields)
    return OtherTool(tool, fields)


def _parse_deferred_call(given: ToolInput) -> Action:
    """Returns the action of the tool that the call names; none of these may name such a call again."""
    name, arguments = given.read_string("name"), given.fields.get("arguments", {})
    if not isinstance(arguments, dict) or name == given.tool:
        raise BadPayload(f"{given.tool}: it names no tool with arguments")
    return parse_action(name, arguments, given.cwd)


def _parse_grep(given: ToolInput) -> Action:
    folder, glob = given.read_string("path", given.cwd), given.read_string("glob", "")
    return parse_content_search(folder, given.read_string("pattern"), glob, is_named="path" in given.fields)


_CONVERSATION_TOOLS = (
    "todo_write skill enter_plan_mode exit_plan_mode list_agents task_stop task_create task_update task_list team_create "
    "team_delete team_plan_approval request_shutdown structured_output tool_search read_mcp_resource enter_worktree "
    "exit_worktree cron_list cron_delete record_artifact record_source report_findings get_goal update_goal propose_goal "
    "display_image lsp save_memory"
).split()
"""Tools that change nothing outside the conversation, whatever their names say."""
TOOLS: dict[str, Callable[[ToolInput], Action]] = {
    SHELL_TOOL: lambda given: RunShell(given.read_string("command")),
    "monitor": lambda given: RunShell(given.read_string("command")),
    "read_file": lambda given: ReadFile(given.read_path("file_path")),
    "write_file": lambda given: WriteFile(given.read_path("file_path"), given.read_string("content")),
    "edit": lambda given: parse_edit(given, "file_path"),
    "notebook_edit": parse_notebook_edit,
    "grep_search": _parse_grep,
    "glob": lambda given: parse_glob((given.read_string("path", given.cwd),), given.read_string("pattern")),
    "list_directory": lambda given: Search((given.read_string("path", given.cwd),), ""),
    "web_fetch": lambda given: Fetch(given.read_string("url")),
    "ask_user_question": parse_questions,
    "tool_call": _parse_deferred_call,
    "web_search": lambda given: OtherTool(given.tool, given.fields, "search"),
    **dict.fromkeys(("agent", "send_message", "create_sub_session"), lambda given: OtherTool(given.tool, given.fields, "agent")),
    **dict.fromkeys(("cron_create", "loop_wakeup"), lambda given: OtherTool(given.tool, given.fields, "schedule")),
    **dict.fromkeys(_CONVERSATION_TOOLS, lambda given: OtherTool(given.tool, given.fields, "conversation")),
}
