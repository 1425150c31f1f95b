"""Translates calls of Claude Code's tools to actions. The only file that knows their names and the keys of their input."""

from collections.abc import Callable, Mapping

from toolgate.hosts.edits import parse_edit, parse_notebook_edit
from toolgate.hosts.payload import ToolInput
from toolgate.hosts.questions import parse_questions
from toolgate.hosts.searches import parse_content_search, parse_glob
from toolgate.model.action import (
    Action,
    AskUser,
    CallTool,
    EditFile,
    Fetch,
    OtherTool,
    ReadFile,
    Replacement,
    RunShell,
    WriteFile,
)
from toolgate.model.errors import BadPayload


def parse_action(tool: str, fields: Mapping[str, object], cwd: str) -> Action:
    """Returns the action of a tool call. Raises BadPayload when the input does not have the tool's shape.

    Reads only what decides the effect: a timeout or a description may be anything."""
    lower = TOOLS.get(tool)
    if lower is not None:
        return lower(ToolInput(tool, fields, cwd))
    if tool.startswith("mcp__"):
        server, _, name = tool.removeprefix("mcp__").partition("__")
        return CallTool(server, name, fields)
    return OtherTool(tool, fields)


def _parse_multi_edit(given: ToolInput) -> Action:
    edits = given.fields.get("edits")
    if not isinstance(edits, list):
        raise BadPayload(f"{given.tool}: `edits` is not a list")
    replacements: list[Replacement] = []
    for edit in edits:
        if not isinstance(edit, dict):
            raise BadPayload(f"{given.tool}: one of `edits` is not an object")
        one = ToolInput(given.tool, {**edit, "file_path": given.fields.get("file_path")}, given.cwd)
        replacements += parse_edit(one, "file_path").replacements
    return EditFile(given.read_path("file_path"), tuple(replacements))


def _parse_search(given: ToolInput) -> Action:
    folder, glob = given.read_string("path", given.cwd), given.read_string("glob", "")
    is_named = "path" in given.fields and given.tool == "Grep"
    return parse_content_search(folder, given.read_string("pattern", ""), glob, is_named=is_named)


def _parse_glob(given: ToolInput) -> Action:
    return parse_glob((given.read_string("path", given.cwd),), given.read_string("pattern"))


def attach_answers(action: Action, response: object) -> Action:
    """Returns the question with the person's answers."""
    said = response.get("answers") if isinstance(response, dict) else None
    if not isinstance(action, AskUser) or not isinstance(said, dict):
        return action
    return AskUser(action.questions, tuple(each for each in said.values() if isinstance(each, str)))


_CONVERSATION_TOOLS = (
    "TodoWrite TodoRead TaskCreate TaskGet TaskList TaskUpdate TaskOutput TaskStop BashOutput AgentOutputTool KillShell KillBash "
    "EnterPlanMode ExitPlanMode EnterWorktree ExitWorktree Skill SlashCommand ToolSearch CronList CronDelete ScheduleWakeup "
    "TeamCreate TeamDelete ListMcpResourcesTool ReadMcpResourceTool StructuredOutput LSP"
).split()
"""Tools that change nothing outside the conversation, whatever their names say."""
TOOLS: dict[str, Callable[[ToolInput], Action]] = {
    "Bash": lambda given: RunShell(given.read_string("command")),
    "Monitor": lambda given: RunShell(given.read_string("command")),
    "PowerShell": lambda given: RunShell(given.read_string("command"), "powershell"),
    "Read": lambda given: ReadFile(given.read_path("file_path")),
    "Write": lambda given: WriteFile(given.read_path("file_path"), given.read_string("content")),
    "Edit": lambda given: parse_edit(given, "file_path"),
    "MultiEdit": _parse_multi_edit,
    "NotebookEdit": parse_notebook_edit,
    "Grep": _parse_search,
    "Glob": _parse_glob,
    "LS": _parse_search,
    **dict.fromkeys(("AskUserQuestion", "ask_user", "question"), parse_questions),
    "WebFetch": lambda given: Fetch(given.read_string("url")),
    "WebSearch": lambda given: OtherTool(given.tool, given.fields, "search"),
    **dict.fromkeys(("Agent", "Task", "SendMessage"), lambda given: OtherTool(given.tool, given.fields, "agent")),
    **dict.fromkeys(("CronCreate", "RemoteTrigger"), lambda given: OtherTool(given.tool, given.fields, "schedule")),
    **dict.fromkeys(_CONVERSATION_TOOLS, lambda given: OtherTool(given.tool, given.fields, "conversation")),
}
"""Tool -> parser of its input. A tool that is missing here has no description."""
