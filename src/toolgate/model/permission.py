"""The permission rules of the host, as far as they can keep the gate from answering the host's prompts."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from .event import Scene, ToolCall
from .request import Request
from .world import World


class HostRule(NamedTuple):
    """A deny or ask rule of the host.

    `pattern` is None if the rule names only the tool. `folder`: the base of a pattern with a leading slash.
    """

    tool: str
    pattern: str | None
    folder: str


class ShellSetup(NamedTuple):
    """The code that the host runs before a command.

    `shadowed`: names that are the person's aliases or functions. `paths`: each value that PATH may have; None treats every
    program as the system's, to find out what a grant could ever cover.
    """

    shadowed: frozenset[str]
    paths: tuple[str, ...] | None


class Unreadable(Exception):
    """Raised with the reason why an input that decides how a call runs, or whether its user wants a question, cannot be read."""


class PromptHost(Protocol):
    """A host whose `allow` only answers its own prompt, and whose rules can be read."""

    def reason_to_ask(self, event: ToolCall, request: Request) -> str:
        """Returns why the host's question is always left to its user for this call, or an empty text if it is not."""

    def permission_rules(self, scene: Scene, command_line: Sequence[str], world: World) -> tuple[HostRule, ...]:
        """Returns the deny and ask rules of every scope, including the client's command line. Raises Unreadable."""

    def shell_setup(self, scene: Scene, environ: Mapping[str, str], world: World) -> ShellSetup:
        """Returns the shell setup that the host gives a command. Raises Unreadable."""
