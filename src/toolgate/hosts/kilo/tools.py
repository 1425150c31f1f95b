"""Translates calls of Kilo's tools to actions. No other file knows the names of those that OpenCode lacks."""

from collections.abc import Mapping

from toolgate.hosts.formats import opencode_wire
from toolgate.hosts.formats.opencode_wire import assign_role, parse_call, parse_command
from toolgate.hosts.formats.payload import ToolInput
from toolgate.hosts.formats.server_tools import Parsers
from toolgate.model.action import Action, EditFile, Fetch, OtherTool, Replacement, Search

STARTING_ACTIONS = ("start", "monitor")


def parse_action(tool: str, fields: Mapping[str, object], cwd: str) -> Action:
    """Returns the action of a tool call. Raises BadPayload when the input does not have the tool's shape."""
    return parse_call(TOOLS, tool, fields, cwd)


def _parse_background_process(tool_input: ToolInput) -> Action:
    """The other actions list, read, stop and restart processes whose commands were judged when they were started."""
    if tool_input.read_string("action") in STARTING_ACTIONS:
        return parse_command(tool_input)
    return OtherTool(tool_input.tool, tool_input.fields, "conversation")


def _parse_notebook_edit(tool_input: ToolInput) -> Action:
    source = tool_input.read_string("source", "")
    is_code = tool_input.read_string("kind", "code") == "code" and tool_input.read_string("action") != "delete"
    return EditFile(tool_input.read_path("path"), (Replacement("", source),), source if is_code else "")


TOOLS: Parsers = {
    **opencode_wire.TOOLS,
    "background_process": _parse_background_process,
    "notebook_edit": _parse_notebook_edit,
    "semantic_search": lambda tool_input: Search(
        (tool_input.read_string("path", tool_input.cwd),), tool_input.read_string("query")
    ),
    "browser_open": lambda tool_input: Fetch(tool_input.read_string("url")),
    **assign_role("schedule", "cron_create schedule_wakeup"),
    **assign_role("agent", "agent_manager board_post"),
    **assign_role(
        "conversation",
        "agent_manager_models board_read cancel_wakeup chart compact cron_delete cron_list execute get_context_info goal"
        " goal_report kilo_local_recall kilo_memory_recall kilo_memory_save link_pr list_mcp_resources"
        " list_mcp_resource_templates open_plan suggest",
    ),
    **assign_role(
        "unknown",
        "generate_image lsp notebook_execute notebook_read notify_user read_mcp_resource repo_clone repo_overview send_file",
    ),
}
"""A script of `execute` can only call tools of MCP servers, and each of these calls reaches the gate by itself. The tools of the
role `unknown` are read by their arguments, as those of a server."""
