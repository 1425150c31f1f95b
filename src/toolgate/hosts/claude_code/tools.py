"""Translates calls of Claude Code's tools to actions. The only file that knows their names and the keys of their input."""

from collections.abc import Callable, Mapping

from toolgate.hosts.formats.edits import parse_edit, parse_notebook_edit
from toolgate.hosts.formats.payload import ToolInput
from toolgate.hosts.formats.questions import parse_questions
from toolgate.hosts.formats.searches import parse_content_search, parse_glob
from toolgate.hosts.formats.server_tools import parse_call
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
    return parse_call(TOOLS, tool, fields, cwd)


def _parse_multi_edit(tool_input: ToolInput) -> Action:
    edits = tool_input.fields.get("edits")
    if not isinstance(edits, list):
        raise BadPayload(f"{tool_input.tool}: `edits` is not a list")
    replacements: list[Replacement] = []
    for edit in edits:
        if not isinstance(edit, dict):
            raise BadPayload(f"{tool_input.tool}: one of `edits` is not an object")
        one = ToolInput(tool_input.tool, {**edit, "file_path": tool_input.fields.get("file_path")}, tool_input.cwd)
        replacements += parse_edit(one, "file_path").replacements
    return EditFile(tool_input.read_path("file_path"), tuple(replacements))


def _parse_search(tool_input: ToolInput) -> Action:
    folder, glob = tool_input.read_string("path", tool_input.cwd), tool_input.read_string("glob", "")
    is_named = "path" in tool_input.fields and tool_input.tool == "Grep"
    return parse_content_search(folder, tool_input.read_string("pattern", ""), glob, is_named=is_named)


def _parse_glob(tool_input: ToolInput) -> Action:
    return parse_glob((tool_input.read_string("path", tool_input.cwd),), tool_input.read_string("pattern"))


def attach_answers(action: Action, response: object) -> Action:
    """Returns the question with the person's answers."""
    answers = response.get("answers") if isinstance(response, dict) else None
    if not isinstance(action, AskUser) or not isinstance(answers, dict):
        return action
    return AskUser(action.questions, tuple(each for each in answers.values() if isinstance(each, str)))


_CONVERSATION_TOOLS = (
    "TodoWrite TodoRead TaskCreate TaskGet TaskList TaskUpdate TaskOutput TaskStop BashOutput AgentOutputTool KillShell KillBash "
    "EnterPlanMode ExitPlanMode EnterWorktree ExitWorktree Skill SlashCommand ToolSearch CronList CronDelete ScheduleWakeup "
    "TeamCreate TeamDelete ListMcpResourcesTool StructuredOutput LSP"
).split()
"""Tools that change nothing outside the conversation, whatever their names say."""
TOOLS: dict[str, Callable[[ToolInput], Action]] = {
    "Bash": lambda tool_input: RunShell(tool_input.read_string("command")),
    "Monitor": lambda tool_input: RunShell(tool_input.read_string("command")),
    "PowerShell": lambda tool_input: RunShell(tool_input.read_string("command"), "powershell"),
    "Read": lambda tool_input: ReadFile(tool_input.read_path("file_path")),
    "Write": lambda tool_input: WriteFile(tool_input.read_path("file_path"), tool_input.read_string("content")),
    "Edit": lambda tool_input: parse_edit(tool_input, "file_path"),
    "MultiEdit": _parse_multi_edit,
    "NotebookEdit": parse_notebook_edit,
    "Grep": _parse_search,
    "Glob": _parse_glob,
    "LS": _parse_search,
    **dict.fromkeys(("AskUserQuestion", "ask_user", "question"), parse_questions),
    "WebFetch": lambda tool_input: Fetch(tool_input.read_string("url")),
    "ReadMcpResourceTool": lambda tool_input: CallTool(tool_input.read_string("server", ""), "read_resource", tool_input.fields),
    "WebSearch": lambda tool_input: OtherTool(tool_input.tool, tool_input.fields, "search"),
    **dict.fromkeys(("Agent", "Task", "SendMessage"), lambda tool_input: OtherTool(tool_input.tool, tool_input.fields, "agent")),
    **dict.fromkeys(
        ("CronCreate", "RemoteTrigger"), lambda tool_input: OtherTool(tool_input.tool, tool_input.fields, "schedule")
    ),
    **dict.fromkeys(_CONVERSATION_TOOLS, lambda tool_input: OtherTool(tool_input.tool, tool_input.fields, "conversation")),
}
"""Tool -> parser of its input. A tool that is missing here has no description."""
