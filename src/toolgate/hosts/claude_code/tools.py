"""Translates calls of Claude Code's tools to actions. The only file that knows their names and the keys of their input."""

from collections.abc import Callable, Mapping

from toolgate.hosts.payload import Input
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

_GLOB = frozenset("*?[{")


def action(tool: str, fields: Mapping[str, object], cwd: str) -> Action:
    """Returns the action of a tool call. Raises BadPayload when the input does not have the tool's shape.

    Reads only what decides the effect: a timeout or a description may be anything."""
    lower = TOOLS.get(tool)
    if lower is not None:
        return lower(Input(tool, fields, cwd))
    if tool.startswith("mcp__"):
        server, _, name = tool.removeprefix("mcp__").partition("__")
        return CallTool(server, name, fields)
    return OtherTool(tool, fields)


def _edit(given: Input) -> Action:
    return EditFile(given.path("file_path"), (_replacement(given),))


def _multi_edit(given: Input) -> Action:
    edits = given.fields.get("edits")
    if not isinstance(edits, list):
        raise BadPayload(f"{given.tool}: `edits` is not a list")
    replacements = []
    for edit in edits:
        if not isinstance(edit, dict):
            raise BadPayload(f"{given.tool}: one of `edits` is not an object")
        replacements.append(_replacement(Input(given.tool, edit, given.cwd)))
    return EditFile(given.path("file_path"), tuple(replacements))


def _notebook(given: Input) -> Action:
    """Returns the edit of one cell. The call does not hold its former contents: the old text is empty."""
    source = given.string("new_source", "")
    is_code = given.string("cell_type", "code") == "code" and given.string("edit_mode", "replace") != "delete"
    return EditFile(given.path("notebook_path"), (Replacement("", source),), source if is_code else "")


def _replacement(given: Input) -> Replacement:
    every = given.fields.get("replace_all", False)
    if not isinstance(every, bool):
        raise BadPayload(f"{given.tool}: `replace_all` is neither true nor false")
    return Replacement(given.string("old_string"), given.string("new_string"), every)


def _search(given: Input) -> Action:
    """Searches a folder, or those of its files that a glob matches."""
    folder, glob = given.string("path", given.cwd), given.string("glob", "")
    paths = (folder, f"{folder.rstrip('/')}/{glob}") if glob else (folder,)
    return Search(paths, given.string("pattern", ""), tree="path" in given.fields and given.tool == "Grep" and not glob)


def _glob(given: Input) -> Action:
    """The pattern may contain the folder to search (`/etc/ssh/*`, `../../x/*.pem`): its fixed part is added to the folder."""
    folder, pattern = given.string("path", given.cwd), given.string("pattern")
    first_special = next((n for n, char in enumerate(pattern) if char in _GLOB), len(pattern))
    cut = pattern.rfind("/", 0, first_special)
    if cut < 0:
        return Search((folder,), pattern)
    fixed, rest = pattern[:cut] or "/", pattern[cut + 1 :]
    return Search((fixed if fixed.startswith(("/", "~")) else f"{folder.rstrip('/')}/{fixed}",), rest)


def _question(given: Input) -> Action:
    """Reads `questions` with a text each, or one `question`. None of it decides the effect."""
    asked = given.fields.get("questions", [given.fields])
    rows = [each for each in asked if isinstance(each, dict)] if isinstance(asked, list) else []
    return AskUser(tuple(str(each.get("question", "")) for each in rows))


def answered(action: Action, response: object) -> Action:
    """Returns the question with the person's answers."""
    said = response.get("answers") if isinstance(response, dict) else None
    if not isinstance(action, AskUser) or not isinstance(said, dict):
        return action
    return AskUser(action.questions, tuple(each for each in said.values() if isinstance(each, str)))


_OF_THE_CONVERSATION = (
    "TodoWrite TodoRead TaskCreate TaskGet TaskList TaskUpdate TaskOutput TaskStop BashOutput AgentOutputTool KillShell KillBash "
    "EnterPlanMode ExitPlanMode EnterWorktree ExitWorktree Skill SlashCommand ToolSearch CronList CronDelete ScheduleWakeup "
    "TeamCreate TeamDelete ListMcpResourcesTool ReadMcpResourceTool StructuredOutput LSP"
).split()
"""Tools that change nothing outside the conversation, whatever their names say."""
TOOLS: dict[str, Callable[[Input], Action]] = {
    "Bash": lambda given: RunShell(given.string("command")),
    "Monitor": lambda given: RunShell(given.string("command")),
    "PowerShell": lambda given: RunShell(given.string("command"), "powershell"),
    "Read": lambda given: ReadFile(given.path("file_path")),
    "Write": lambda given: WriteFile(given.path("file_path"), given.string("content")),
    "Edit": _edit,
    "MultiEdit": _multi_edit,
    "NotebookEdit": _notebook,
    "Grep": _search,
    "Glob": _glob,
    "LS": _search,
    **dict.fromkeys(("AskUserQuestion", "ask_user", "question"), _question),
    "WebFetch": lambda given: Fetch(given.string("url")),
    "WebSearch": lambda given: OtherTool(given.tool, given.fields, "search"),
    **dict.fromkeys(("Agent", "Task", "SendMessage"), lambda given: OtherTool(given.tool, given.fields, "agent")),
    **dict.fromkeys(("CronCreate", "RemoteTrigger"), lambda given: OtherTool(given.tool, given.fields, "schedule")),
    **dict.fromkeys(_OF_THE_CONVERSATION, lambda given: OtherTool(given.tool, given.fields, "conversation")),
}
"""Tool -> parser of its input. A tool that is missing here has no description."""
