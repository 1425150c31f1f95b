"""Settings from a user's program that embeds the gate."""

from collections.abc import Callable
from dataclasses import dataclass

from .decision import Decision
from .event import NO_SPAWN, PermissionRequested, Spawn, ToolCall


@dataclass(frozen=True, slots=True)
class Embedding:
    """`profile` replaces the one of the user's policy; `spawn`: whom the program started; `watch` is called with every
    decision on a call."""

    profile: str = ""
    spawn: Spawn = NO_SPAWN
    watch: Callable[[ToolCall | PermissionRequested, Decision], None] | None = None

    def __post_init__(self) -> None:
        """Converts lists, which a program may give, to hashable tuples."""
        spawn = self.spawn._replace(writes=tuple(self.spawn.writes), reads=tuple(self.spawn.reads))
        object.__setattr__(self, "spawn", spawn)


NO_EMBEDDING = Embedding()
