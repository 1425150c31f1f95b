"""What an agent asks a tool to do, in words that no host owns."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple


class RunShell(NamedTuple):
    """`language`: `shell` (bash, zsh, sh: whichever the host starts), `powershell` or `cmd`. `typed`: what it reads may be typed
    into it later, where no hook is asked."""

    text: str
    language: str = "shell"
    typed: bool = False


class ReadFile(NamedTuple):
    path: str


class Search(NamedTuple):
    """Looking through files and the folders they lie in, by name or by content. `tree`: the folders are named, and all that lies
    in
    them is read."""

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


def replace_in_turn(text: str, replacements: Iterable[Replacement]) -> str | None:
    """The text with every replacement made in turn; None where one finds nothing to replace. An empty `old` appends."""
    for old, new, every in replacements:
        if not old:
            text += new
        elif old not in text:
            return None
        else:
            text = text.replace(old, new, -1 if every else 1)
    return text


class EditFile(NamedTuple):
    """`cell`: the code of a notebook's cell that is put into the file."""

    path: str
    replacements: tuple[Replacement, ...]
    cell: str = ""


class ApplyPatch(NamedTuple):
    """A patch that names its files itself (`*** Begin Patch`)."""

    text: str


class Fetch(NamedTuple):
    url: str


class CallTool(NamedTuple):
    """A tool of an MCP server. What a server says of itself is never relief."""

    server: str
    tool: str
    arguments: Mapping[str, object] = MappingProxyType({})


class AskUser(NamedTuple):
    """A question to the person; `answers` is what they said, once they have."""

    questions: tuple[str, ...]
    answers: tuple[str, ...] = ()


ToolRole = Literal["unknown", "conversation", "agent", "schedule", "search"]


class OtherTool(NamedTuple):
    """A tool of the host that is none of the above. `role`: it touches nothing outside the conversation, starts an agent with a
    task, has something run later, or asks a search engine; `unknown`: nobody described it."""

    name: str
    arguments: Mapping[str, object] = MappingProxyType({})
    role: ToolRole = "unknown"


Action = RunShell | ReadFile | Search | WriteFile | EditFile | ApplyPatch | Fetch | CallTool | AskUser | OtherTool
