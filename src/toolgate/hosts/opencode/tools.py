"""Translates calls of OpenCode's tools to actions. The only file that knows their names and the keys of their input."""

from collections.abc import Callable, Mapping

from toolgate.hosts.payload import Input
from toolgate.model.action import (
    Action,
    ApplyPatch,
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

SHELL = "bash"
_GLOB = frozenset("*?[{")


def action(tool: str, fields: Mapping[str, object], cwd: str) -> Action:
    """Returns the action of a tool call. Raises BadPayload when the input does not have the tool's shape.

    A server's tool is `server_tool`. Tool names contain underscores more often than server names."""
    lower = TOOLS.get(tool)
    if lower is not None:
        return lower(Input(tool, fields, cwd))
    server, _, name = tool.partition("_")
    return CallTool(server, name, fields) if server and name else OtherTool(tool, fields)


def _edit(given: Input) -> Action:
    every = given.fields.get("replaceAll", False)
    if not isinstance(every, bool):
        raise BadPayload(f"{given.tool}: `replaceAll` is neither true nor false")
    return EditFile(given.path("filePath"), (Replacement(given.string("oldString"), given.string("newString"), every),))


def _grep(given: Input) -> Action:
    """Searches a folder, or those of its files that a glob matches."""
    folder, glob = given.string("path", given.cwd), given.string("include", "")
    paths = (folder, f"{folder.rstrip('/')}/{glob}") if glob else (folder,)
    return Search(paths, given.string("pattern"), tree="path" in given.fields and not glob)


def _glob(given: Input) -> Action:
    """The pattern may contain the folder to search: its fixed part is added to the folder."""
    folder, pattern = given.string("path", given.cwd), given.string("pattern")
    first_special = next((place for place, char in enumerate(pattern) if char in _GLOB), len(pattern))
    cut = pattern.rfind("/", 0, first_special)
    if cut < 0:
        return Search((folder,), pattern)
    fixed, rest = pattern[:cut] or "/", pattern[cut + 1 :]
    return Search((fixed if fixed.startswith("/") else f"{folder.rstrip('/')}/{fixed}",), rest)


def _question(given: Input) -> Action:
    asked = given.fields.get("questions", ())
    rows = [each for each in asked if isinstance(each, dict)] if isinstance(asked, list) else []
    return AskUser(tuple(str(each.get("question", "")) for each in rows))


_OF_THE_CONVERSATION = ("todowrite", "todoread", "skill", "plan_enter", "plan_exit", "invalid")
"""Tools that change nothing outside the conversation."""
TOOLS: dict[str, Callable[[Input], Action]] = {
    SHELL: lambda given: RunShell(given.string("command")),
    "read": lambda given: ReadFile(given.path("filePath")),
    "write": lambda given: WriteFile(given.path("filePath"), given.string("content")),
    "edit": _edit,
    "apply_patch": lambda given: ApplyPatch(given.string("patchText")),
    "grep": _grep,
    "glob": _glob,
    "list": lambda given: Search((given.string("path", given.cwd),), ""),
    "webfetch": lambda given: Fetch(given.string("url")),
    "question": _question,
    **dict.fromkeys(("websearch", "codesearch"), lambda given: OtherTool(given.tool, given.fields, "search")),
    "task": lambda given: OtherTool(given.tool, given.fields, "agent"),
    **dict.fromkeys(_OF_THE_CONVERSATION, lambda given: OtherTool(given.tool, given.fields, "conversation")),
}
