"""Translates calls of Codex's tools to actions. The only file that knows their names and the keys of their input."""

from collections.abc import Callable, Mapping

from toolgate.hosts.payload import Input
from toolgate.model.action import Action, ApplyPatch, AskUser, CallTool, OtherTool, ReadFile, RunShell

_AGENTS = ("spawn_agent", "send_input", "resume_agent")
_OF_THE_CONVERSATION = (
    "update_plan get_goal create_goal update_goal tool_search close_agent wait_agent list_agents list_mcp_resources "
    "list_mcp_resource_templates read_mcp_resource write_stdin"
).split()
"""Tools that change nothing outside the conversation; `write_stdin` types into a shell, but calls no hook."""
COLLABORATION = "collaboration"
"""The prefix of the second generation of the agent tools."""


def action(tool: str, fields: Mapping[str, object], cwd: str) -> Action:
    """Returns the action of a tool call. Raises BadPayload when the input does not have the tool's shape."""
    lower = TOOLS.get(tool) or TOOLS.get(tool.removeprefix(COLLABORATION))
    if lower is not None:
        return lower(Input(tool, fields, cwd))
    if tool.startswith("mcp__"):
        server, _, name = tool.removeprefix("mcp__").partition("__")
        return CallTool(server, name, fields)
    return OtherTool(tool, fields)


TOOLS: dict[str, Callable[[Input], Action]] = {
    "Bash": lambda given: RunShell(given.string("command"), typed=True),
    "apply_patch": lambda given: ApplyPatch(given.string("command")),
    "view_image": lambda given: ReadFile(given.path("path")),
    "request_user_input": lambda given: AskUser((given.string("question", ""),)),
    "web_search": lambda given: OtherTool(given.tool, given.fields, "search"),
    **dict.fromkeys(_AGENTS, lambda given: OtherTool(given.tool, given.fields, "agent")),
    **dict.fromkeys(_OF_THE_CONVERSATION, lambda given: OtherTool(given.tool, given.fields, "conversation")),
}
