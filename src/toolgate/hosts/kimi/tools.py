"""Translates calls of Kimi Code's tools to actions. The only file that knows their names and the keys of their input."""

from collections.abc import Callable, Mapping

from toolgate.hosts.formats.edits import parse_edit
from toolgate.hosts.formats.payload import ToolInput
from toolgate.hosts.formats.questions import parse_questions
from toolgate.hosts.formats.searches import parse_content_search, parse_glob
from toolgate.hosts.formats.server_tools import parse_call
from toolgate.model.action import Action, EditFile, Fetch, OtherTool, ReadFile, Replacement, RunShell, WriteFile

SHELL_TOOL, FOLDER_KEY = "Bash", "cwd"


def parse_action(tool: str, fields: Mapping[str, object], cwd: str) -> Action:
    """Returns the action of a tool call. Raises BadPayload when the input does not have the tool's shape."""
    return parse_call(TOOLS, tool, fields, cwd)


def _parse_write(tool_input: ToolInput) -> Action:
    path, content = tool_input.read_path("path"), tool_input.read_string("content")
    is_appended = tool_input.read_string("mode", "overwrite") == "append"
    return EditFile(path, (Replacement("", content),)) if is_appended else WriteFile(path, content)


def _parse_grep(tool_input: ToolInput) -> Action:
    folder, glob = tool_input.read_string("path", tool_input.cwd), tool_input.read_string("glob", "")
    return parse_content_search(folder, tool_input.read_string("pattern"), glob, is_named="path" in tool_input.fields)


_CONVERSATION_TOOLS = (
    "Skill TodoList TaskList TaskOutput TaskStop WaitFor CronList CronDelete EnterPlanMode ExitPlanMode CreateGoal GetGoal "
    "UpdateGoal SetGoalBudget"
).split()
"""Tools that change nothing outside the conversation, whatever their names say."""
TOOLS: dict[str, Callable[[ToolInput], Action]] = {
    SHELL_TOOL: lambda tool_input: RunShell(tool_input.read_string("command")),
    "Read": lambda tool_input: ReadFile(tool_input.read_path("path")),
    "Write": _parse_write,
    "Edit": lambda tool_input: parse_edit(tool_input, "path"),
    "Grep": _parse_grep,
    "Glob": lambda tool_input: parse_glob((tool_input.read_string("path", tool_input.cwd),), tool_input.read_string("pattern")),
    "FetchURL": lambda tool_input: Fetch(tool_input.read_string("url")),
    "AskUserQuestion": parse_questions,
    "CronCreate": lambda tool_input: OtherTool(tool_input.tool, tool_input.fields, "schedule"),
    **dict.fromkeys(("Agent", "AgentSwarm"), lambda tool_input: OtherTool(tool_input.tool, tool_input.fields, "agent")),
    **dict.fromkeys(_CONVERSATION_TOOLS, lambda tool_input: OtherTool(tool_input.tool, tool_input.fields, "conversation")),
}
