"""Actions that an agent requests from a tool, independent of any host."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple


class RunShell(NamedTuple):
    """`language`: `shell` (bash, zsh, sh: whichever the host starts), `powershell` or `cmd`. `typed`: its input may be typed
    later, where no hook is asked."""

    text: str
    language: str = "shell"
    typed: bool = False


class ReadFile(NamedTuple):
    path: str


class Search(NamedTuple):
    """A search in files and folders, by name or by content. `tree`: the folders are read recursively."""

    paths: tuple[str, ...]
    pattern: str
    tree: bool = False


class WriteFile(NamedTuple):
    path: str
    content: str


class Replacement(NamedTuple):
    old: str
    new: str
    every: bool = False


def apply_replacements(text: str, replacements: Iterable[Replacement]) -> str | None:
    """Returns the text after all replacements in order; None if one finds nothing to replace. An empty `old` appends."""
    for old, new, every in replacements:
        if not old:
            text += new
        elif old not in text:
            return None
        else:
            text = text.replace(old, new, -1 if every else 1)
    return text


class EditFile(NamedTuple):
    """`cell`: the code of a notebook cell that is added to the file."""

    path: str
    replacements: tuple[Replacement, ...]
    cell: str = ""


class ApplyPatch(NamedTuple):
    """A patch that names its own files (`*** Begin Patch`)."""

    text: str


class Fetch(NamedTuple):
    url: str


class CallTool(NamedTuple):
    """A call of an MCP server's tool. The server's own description is never relief."""

    server: str
    tool: str
    arguments: Mapping[str, object] = MappingProxyType({})


class AskUser(NamedTuple):
    """A question to the person; `answers` holds the answers, once given."""

    questions: tuple[str, ...]
    answers: tuple[str, ...] = ()


ToolRole = Literal["unknown", "conversation", "agent", "schedule", "search"]


class OtherTool(NamedTuple):
    """Another tool of the host. `role`: it touches nothing outside the conversation, starts an agent with a task, schedules
    something, or queries a search engine; `unknown`: nobody described it."""

    name: str
    arguments: Mapping[str, object] = MappingProxyType({})
    role: ToolRole = "unknown"


Action = RunShell | ReadFile | Search | WriteFile | EditFile | ApplyPatch | Fetch | CallTool | AskUser | OtherTool
