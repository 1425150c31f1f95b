"""The permission rules that a person gave the host, as far as they can keep the gate from answering in the host's place."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from .event import Scene, ToolCall
from .request import Request
from .world import World


class HostRule(NamedTuple):
    """A deny or ask rule. `pattern` is None where it names the tool alone. `folder`: what a pattern with a leading slash is
    relative to."""

    tool: str
    pattern: str | None
    folder: str


class ShellSetup(NamedTuple):
    """What the host runs before a command. `shadowed`: names that are aliases or functions of the person's own. `paths`: each
    value that PATH may have; None where every program is taken for the system's, to see what a grant could ever cover."""

    shadowed: frozenset[str]
    paths: tuple[str, ...] | None


class Unreadable(Exception):
    """Why something that decides how a call would run, or whether its user wants to be asked, cannot be read."""


class PromptHost(Protocol):
    """A host whose `allow` answers its own question and does nothing else, and whose rules can be read."""

    def reason_to_ask(self, event: ToolCall, request: Request) -> str:
        """Why the host's question is left to its user whatever the call does; empty where it is not."""

    def permission_rules(self, scene: Scene, command_line: Sequence[str], world: World) -> tuple[HostRule, ...]:
        """The deny and ask rules of every scope, that of the client's command line among them. Raises Unreadable."""

    def shell_setup(self, scene: Scene, environ: Mapping[str, str], world: World) -> ShellSetup:
        """Raises Unreadable."""
