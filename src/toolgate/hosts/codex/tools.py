"""Codex's tools, lowered to actions. The only file that knows their names and the keys of their input."""

from collections.abc import Callable, Mapping

from toolgate.hosts.payload import Input
from toolgate.model.action import Action, ApplyPatch, AskUser, CallTool, OtherTool, ReadFile, RunShell

_AGENTS = ("spawn_agent", "send_input", "resume_agent")
_OF_THE_CONVERSATION = (
    "update_plan get_goal create_goal update_goal tool_search close_agent wait_agent list_agents list_mcp_resources "
    "list_mcp_resource_templates read_mcp_resource write_stdin"
).split()
"""Tools that touch nothing outside the conversation; no hook is asked about what `write_stdin` types into a shell."""
COLLABORATION = "collaboration"
"""What the second generation of the tools for agents has before its names."""


def action(tool: str, fields: Mapping[str, object], cwd: str) -> Action:
    """What a call would have the tool do. Raises BadPayload when the tool's own input is not of its shape."""
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
