"""One call that an agent made in the past."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, Protocol

Outcome = Literal["ran", "failed", "refused", "unknown"]
"""`failed`: it ran and told of an error. `refused`: the person, the host or a hook said no."""


class PastCall(NamedTuple):
    """`call`: the host's id of it; the same id is the same call, wherever it stands again. `project`: the folder in which its
    session began. `line` counts from 1."""

    host: str
    session: str
    call: str
    time: str
    project: str
    cwd: str
    tool: str
    arguments: Mapping[str, Any]
    outcome: Outcome
    file: str
    line: int


class Unreadable(NamedTuple):
    """A line that should hold a call, and why it does not."""

    file: str
    line: int
    cause: str


class Reader(Protocol):
    """A form in which calls are on record."""

    def folders(self, home: str, environ: Mapping[str, str]) -> tuple[str, ...]:
        """Where a host keeps its records."""

    def wrote(self, beginning: Mapping[str, Any]) -> bool:
        """Whether one of the first objects of a file is of this form."""

    def read(self, path: str) -> Iterator[PastCall | Unreadable]:
        """Raises OSError."""
