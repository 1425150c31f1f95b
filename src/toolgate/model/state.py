"""What is remembered from call to call: documents in scopes, behind one seam."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

T = TypeVar("T")
ScopeKind = Literal["call", "session", "iteration", "project", "team", "global"]
Document = Mapping[str, Any]
"""A JSON object. The empty one and none at all are the same."""
EMPTY_DOCUMENT: Document = {}


class Scope(NamedTuple):
    """How far something reaches. `name`: the session's id, the project's folder, the team's name; empty where there is one."""

    kind: ScopeKind
    name: str = ""


class Key(NamedTuple):
    """Where a document is. `ANSWERS` is the one name that a store may let only approvers write."""

    scope: Scope
    name: str


ANSWERS = "answers"
LEDGER = "ledger"


def ledger_of(host: str, session: str) -> Key:
    """Where the ledger of a session stands (toolgate.provenance)."""
    return Key(Scope("session", f"{host}/{session}"), LEDGER)


def storable(name: str) -> str:
    """A scope's name as any store can hold it: hosts may send half characters, and zeros."""
    return name.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


Change = Callable[[Document], tuple[Document, T]]
"""From the document as it is to the document as it shall be, and what the caller wants to know. Pure: a store may call it
again when somebody else was quicker. The same document back is no change."""


class Store(Protocol):
    """Times are seconds since the epoch, as the request had them. Whatever keeps a store from its work is a StoreError.

    Safe for threads and across a fork; atomic across processes and, where the store is a server, across machines.
    """

    def load(self, keys: tuple[Key, ...], now: float) -> tuple[Document, ...]:
        """The documents as they are, in one look; what has expired is empty."""

    def update(self, key: Key, change: "Change[T]", now: float, until: float | None = None) -> T:
        """Atomic read-modify-write. `until`: when the document, as it is then, expires."""

    def append(self, key: Key, entry: Document, now: float, until: float | None = None) -> None:
        """Adds to a list that only grows."""

    def entries(self, key: Key, now: float) -> tuple[Document, ...]:
        """What was appended and has not expired, the oldest first."""

    def scopes(self, name: str, now: float) -> Iterator[tuple[Scope, Document]]:
        """Every scope that has a document of that name."""

    def forget(self, scope: Scope) -> None:
        """All of a scope, except what only approvers may write."""

    def close(self) -> None: ...
