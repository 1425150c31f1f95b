"""Translates calls of Claude Code's tools to actions. The only file that knows their names and the keys of their input."""

from collections.abc import Callable, Mapping

from toolgate.hosts.payload import ToolInput
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
    Search,
    WriteFile,
)
from toolgate.model.errors import BadPayload

_GLOB_CHARACTERS = frozenset("*?[{")


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


def _parse_edit(given: ToolInput) -> Action:
    return EditFile(given.read_path("file_path"), (_read_replacement(given),))


def _parse_multi_edit(given: ToolInput) -> Action:
    edits = given.fields.get("edits")
    if not isinstance(edits, list):
        raise BadPayload(f"{given.tool}: `edits` is not a list")
    replacements = []
    for edit in edits:
        if not isinstance(edit, dict):
            raise BadPayload(f"{given.tool}: one of `edits` is not an object")
        replacements.append(_read_replacement(ToolInput(given.tool, edit, given.cwd)))
    return EditFile(given.read_path("file_path"), tuple(replacements))


def _parse_notebook_edit(given: ToolInput) -> Action:
    """Returns the edit of one cell. The call does not hold its former contents: the old text is empty."""
    source = given.read_string("new_source", "")
    is_code = given.read_string("cell_type", "code") == "code" and given.read_string("edit_mode", "replace") != "delete"
    return EditFile(given.read_path("notebook_path"), (Replacement("", source),), source if is_code else "")


def _read_replacement(given: ToolInput) -> Replacement:
    every = given.fields.get("replace_all", False)
    if not isinstance(every, bool):
        raise BadPayload(f"{given.tool}: `replace_all` is neither true nor false")
    return Replacement(given.read_string("old_string"), given.read_string("new_string"), every)


def _parse_search(given: ToolInput) -> Action:
    """Searches a folder, or those of its files that a glob matches."""
    folder, glob = given.read_string("path", given.cwd), given.read_string("glob", "")
    paths = (folder, f"{folder.rstrip('/')}/{glob}") if glob else (folder,)
    return Search(paths, given.read_string("pattern", ""), tree="path" in given.fields and given.tool == "Grep" and not glob)


def _parse_glob(given: ToolInput) -> Action:
    """The pattern may contain the folder to search (`/etc/ssh/*`, `../../x/*.pem`): its fixed part is added to the folder."""
    folder, pattern = given.read_string("path", given.cwd), given.read_string("pattern")
    first_special = next((n for n, char in enumerate(pattern) if char in _GLOB_CHARACTERS), len(pattern))
    cut = pattern.rfind("/", 0, first_special)
    if cut < 0:
        return Search((folder,), pattern)
    fixed, rest = pattern[:cut] or "/", pattern[cut + 1 :]
    return Search((fixed if fixed.startswith(("/", "~")) else f"{folder.rstrip('/')}/{fixed}",), rest)


def _parse_question(given: ToolInput) -> Action:
    """Reads `questions` with a text each, or one `question`. None of it decides the effect."""
    asked = given.fields.get("questions", [given.fields])
    rows = [each for each in asked if isinstance(each, dict)] if isinstance(asked, list) else []
    return AskUser(tuple(str(each.get("question", "")) for each in rows))


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
    "Edit": _parse_edit,
    "MultiEdit": _parse_multi_edit,
    "NotebookEdit": _parse_notebook_edit,
    "Grep": _parse_search,
    "Glob": _parse_glob,
    "LS": _parse_search,
    **dict.fromkeys(("AskUserQuestion", "ask_user", "question"), _parse_question),
    "WebFetch": lambda given: Fetch(given.read_string("url")),
    "WebSearch": lambda given: OtherTool(given.tool, given.fields, "search"),
    **dict.fromkeys(("Agent", "Task", "SendMessage"), lambda given: OtherTool(given.tool, given.fields, "agent")),
    **dict.fromkeys(("CronCreate", "RemoteTrigger"), lambda given: OtherTool(given.tool, given.fields, "schedule")),
    **dict.fromkeys(_CONVERSATION_TOOLS, lambda given: OtherTool(given.tool, given.fields, "conversation")),
}
"""Tool -> parser of its input. A tool that is missing here has no description."""
