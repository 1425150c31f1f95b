"""State kept between calls: documents in scopes, behind one interface."""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

T = TypeVar("T")
ScopeKind = Literal["call", "session", "iteration", "project", "team", "global"]
Document = Mapping[str, Any]
"""A JSON object. An empty one and a missing one are equivalent."""
EMPTY_DOCUMENT: Document = {}


class Scope(NamedTuple):
    """The extent of a document. `name`: the session's id, the project's folder, the team's name; empty if there is only one."""

    kind: ScopeKind
    name: str = ""


class Key(NamedTuple):
    """The location of a document. `ANSWERS` is the only name that a store may let only approvers write."""

    scope: Scope
    name: str


ANSWERS = "answers"
LEDGER = "ledger"
WRITTEN = "written"
MADE = "made"
MARKED = frozenset((LEDGER, WRITTEN, MADE))
"""Documents of a session that few sessions have: a mark tells whether there is one, so that the others open no store."""


@lru_cache(64)
def ledger_key(host: str, session: str, name: str = LEDGER) -> Key:
    """Returns the key of a part of a session's ledger: LEDGER holds the origin of values (toolgate.provenance), WRITTEN the code
    that the session wrote, MADE what it created (toolgate.creations)."""
    return Key(Scope("session", f"{host}/{session}"), name)


def escape_scope_name(name: str) -> str:
    """Returns a scope's name in a form that any store accepts: hosts may send lone surrogates and NULs."""
    return name.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


Change = Callable[[Document], tuple[Document, T]]
"""Maps the current document to the new one and a result for the caller. Pure: a store may call it again after a conflict.
Returning the same document means no change."""


class Store(Protocol):
    """Times are seconds since the epoch, as in the request. Every failure of a store is a StoreError.

    Safe for threads and across a fork; atomic across processes and, for a server, across machines.
    """

    def load(self, keys: tuple[Key, ...], now: float) -> tuple[Document, ...]:
        """Returns the current documents, in one read; expired ones are empty."""

    def update(self, key: Key, change: "Change[T]", now: float, until: float | None = None) -> T:
        """Updates a document atomically. `until`: when the new document expires."""

    def append(self, key: Key, entry: Document, now: float, until: float | None = None) -> None:
        """Appends to a list that only grows."""

    def entries(self, key: Key, now: float) -> tuple[Document, ...]:
        """Returns the entries that have not expired, oldest first."""

    def scopes(self, name: str, now: float) -> Iterator[tuple[Scope, Document]]:
        """Yields every scope that has a document of that name."""

    def forget(self, scope: Scope) -> None:
        """Deletes all of a scope, except what only approvers may write."""

    def close(self) -> None: ...
