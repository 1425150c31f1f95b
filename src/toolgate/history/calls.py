"""Past calls of agents, and the protocol of their readers."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, Protocol

from toolgate.model.action import Action

CallOutcome = Literal["ran", "failed", "refused", "unknown"]
"""`failed`: it ran and reported an error. `refused`: the person, the host or a hook refused it."""


class PastCall(NamedTuple):
    """`call`: the host's id of it; the same id is the same call, wherever it is repeated. `project`: the folder in which its
    session began. `line` counts from 1. `action`: what it does, where the record holds that instead of the tool's arguments."""

    host: str
    session: str
    call: str
    time: str
    project: str
    cwd: str
    tool: str
    arguments: Mapping[str, Any]
    outcome: CallOutcome
    file: str
    line: int
    action: Action | None = None


class UnreadableLine(NamedTuple):
    """A line that should hold a call, and why it does not."""

    file: str
    line: int
    cause: str


class RecordReader(Protocol):
    """Reads one format of recorded calls."""

    def list_folders(self, home: str, environ: Mapping[str, str]) -> tuple[str, ...]:
        """Returns the folders in which a host keeps its records."""

    def is_own_format(self, first_object: Mapping[str, Any]) -> bool:
        """Returns whether one of the first objects of a file is in this format."""

    def read(self, path: str) -> Iterator[PastCall | UnreadableLine]:
        """Raises OSError."""
