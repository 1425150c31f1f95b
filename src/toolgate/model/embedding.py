"""What a program of the user's says that has the gate in it."""

from collections.abc import Callable
from dataclasses import dataclass

from .decision import Decision
from .event import NOT_SPAWNED, PermissionRequested, Spawn, ToolCall


@dataclass(frozen=True, slots=True)
class Embedding:
    """`profile` stands where the one of the user's policy would; `spawn`: whom the program started; `watch` hears of every
    decision on a call."""

    profile: str = ""
    spawn: Spawn = NOT_SPAWNED
    watch: Callable[[ToolCall | PermissionRequested, Decision], None] | None = None

    def __post_init__(self) -> None:
        """A program may well give lists, which no rule could remember anything by."""
        whole = self.spawn._replace(writes=tuple(self.spawn.writes), reads=tuple(self.spawn.reads))
        object.__setattr__(self, "spawn", whole)


NOT_EMBEDDED = Embedding()
