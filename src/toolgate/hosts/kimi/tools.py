"""Translates calls of Kimi Code's tools to actions. The only file that knows their names and the keys of their input."""

from collections.abc import Callable, Mapping

from toolgate.hosts.edits import parse_edit
from toolgate.hosts.payload import ToolInput
from toolgate.hosts.questions import parse_questions
from toolgate.hosts.searches import parse_content_search, parse_glob
from toolgate.model.action import Action, CallTool, EditFile, Fetch, OtherTool, ReadFile, Replacement, RunShell, WriteFile

SHELL_TOOL, FOLDER_KEY = "Bash", "cwd"


def parse_action(tool: str, fields: Mapping[str, object], cwd: str) -> Action:
    """Returns the action of a tool call. Raises BadPayload when the input does not have the tool's shape."""
    lower = TOOLS.get(tool)
    if lower is not None:
        return lower(ToolInput(tool, fields, cwd))
    if tool.startswith("mcp__"):
        server, _, name = tool.removeprefix("mcp__").partition("__")
        return CallTool(server, name, fields)
    return OtherTool(tool, fields)


def _parse_write(given: ToolInput) -> Action:
    path, content = given.read_path("path"), given.read_string("content")
    is_appended = given.read_string("mode", "overwrite") == "append"
    return EditFile(path, (Replacement("", content),)) if is_appended else WriteFile(path, content)


def _parse_grep(given: ToolInput) -> Action:
    folder, glob = given.read_string("path", given.cwd), given.read_string("glob", "")
    return parse_content_search(folder, given.read_string("pattern"), glob, is_named="path" in given.fields)


_CONVERSATION_TOOLS = (
    "Skill TodoList TaskList TaskOutput TaskStop WaitFor CronList CronDelete EnterPlanMode ExitPlanMode CreateGoal GetGoal "
    "UpdateGoal SetGoalBudget"
).split()
"""Tools that change nothing outside the conversation, whatever their names say."""
TOOLS: dict[str, Callable[[ToolInput], Action]] = {
    SHELL_TOOL: lambda given: RunShell(given.read_string("command")),
    "Read": lambda given: ReadFile(given.read_path("path")),
    "Write": _parse_write,
    "Edit": lambda given: parse_edit(given, "path"),
    "Grep": _parse_grep,
    "Glob": lambda given: parse_glob((given.read_string("path", given.cwd),), given.read_string("pattern")),
    "FetchURL": lambda given: Fetch(given.read_string("url")),
    "AskUserQuestion": parse_questions,
    "CronCreate": lambda given: OtherTool(given.tool, given.fields, "schedule"),
    **dict.fromkeys(("Agent", "AgentSwarm"), lambda given: OtherTool(given.tool, given.fields, "agent")),
    **dict.fromkeys(_CONVERSATION_TOOLS, lambda given: OtherTool(given.tool, given.fields, "conversation")),
}
