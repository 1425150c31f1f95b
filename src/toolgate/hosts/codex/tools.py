"""Translates calls of Codex's tools to actions. The only file that knows their names and the keys of their input."""

from collections.abc import Callable, Mapping

from toolgate.hosts.formats.payload import ToolInput
from toolgate.hosts.formats.questions import parse_questions
from toolgate.hosts.formats.server_tools import parse_call
from toolgate.model.action import Action, ApplyPatch, OtherTool, ReadFile, RunShell

_AGENT_TOOLS = ("spawn_agent", "send_input", "resume_agent")
_CONVERSATION_TOOLS = (
    "update_plan get_goal create_goal update_goal tool_search close_agent wait_agent list_agents list_mcp_resources "
    "list_mcp_resource_templates read_mcp_resource write_stdin"
).split()
"""Tools that change nothing outside the conversation; `write_stdin` types into a shell, but calls no hook."""
_COLLABORATION_PREFIX = "collaboration"
"""The prefix of the second generation of the agent tools."""


def parse_action(tool: str, fields: Mapping[str, object], cwd: str) -> Action:
    """Returns the action of a tool call. Raises BadPayload when the input does not have the tool's shape."""
    return parse_call(TOOLS, tool, fields, cwd)


_TOOLS: dict[str, Callable[[ToolInput], Action]] = {
    "Bash": lambda tool_input: RunShell(tool_input.read_string("command"), typed=True),
    "apply_patch": lambda tool_input: ApplyPatch(tool_input.read_string("command")),
    "view_image": lambda tool_input: ReadFile(tool_input.read_path("path")),
    "request_user_input": parse_questions,
    "web_search": lambda tool_input: OtherTool(tool_input.tool, tool_input.fields, "search"),
    **dict.fromkeys(_AGENT_TOOLS, lambda tool_input: OtherTool(tool_input.tool, tool_input.fields, "agent")),
    **dict.fromkeys(_CONVERSATION_TOOLS, lambda tool_input: OtherTool(tool_input.tool, tool_input.fields, "conversation")),
}
TOOLS = {**_TOOLS, **{_COLLABORATION_PREFIX + name: parse for name, parse in _TOOLS.items()}}
