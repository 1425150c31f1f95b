"""What an agent asks a tool to do, in words that no host owns."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RunShell:
    """`language`: `shell` (bash, zsh, sh: whichever the host starts), `powershell` or `cmd`."""

    text: str
    language: str = "shell"


@dataclass(frozen=True, slots=True)
class ReadFile:
    path: str


@dataclass(frozen=True, slots=True)
class Search:
    """Looking through the files under a folder, by name or by content."""

    path: str
    pattern: str


@dataclass(frozen=True, slots=True)
class WriteFile:
    path: str
    content: str


@dataclass(frozen=True, slots=True)
class Replacement:
    old: str
    new: str
    every: bool = False


@dataclass(frozen=True, slots=True)
class EditFile:
    path: str
    replacements: tuple[Replacement, ...]


@dataclass(frozen=True, slots=True)
class Fetch:
    url: str


@dataclass(frozen=True, slots=True)
class CallTool:
    """A tool of an MCP server. What a server says of itself is never relief."""

    server: str
    tool: str
    arguments: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OtherTool:
    """A tool of the host that touches nothing outside the conversation, or that nobody described."""

    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)


Action = RunShell | ReadFile | Search | WriteFile | EditFile | Fetch | CallTool | OtherTool
