"""State that the supervisor's own account keeps: an agent's account can neither write nor read it.

`supervised:/run/toolgate/keeper.sock?1000`: the state of the user with that number; only root gets a connection there. A worker
has its connection from its supervisor. Another process may change a document meanwhile, so a change is sent with the document
that it was made from, and repeated on conflict.
"""

import os
import threading
from collections.abc import Iterator
from typing import Any, TypeVar

from toolgate.machine import keeper_connection
from toolgate.model.errors import StoreError
from toolgate.model.store import EMPTY_DOCUMENT, Change, Document, Key, Scope, escape_scope_name

T = TypeVar("T")


def open_store(url: str, _folder: str) -> "SupervisedStore":
    """Opens nothing yet. Raises StoreError for a URL that names no socket and user."""
    path, _, user = url.partition(":")[2].partition("?")
    if not path.startswith("/") or not user.isdigit():
        raise StoreError("TOOLGATE_STORE_URL", "it names no socket and user", "write supervised:/run/toolgate/keeper.sock?1000")
    return SupervisedStore(None, path, int(user))


class SupervisedStore:
    """Uses the given connection, or one that it opens for this process; threads take turns."""

    def __init__(self, connection: keeper_connection.KeeperConnection | None, path: str = "", user: int = 0) -> None:
        self._given, self._path, self._user = connection, path, user
        self._lock = threading.Lock()
        self._own: keeper_connection.KeeperConnection | None = None
        self._process = 0

    def load(self, keys: tuple[Key, ...], now: float) -> tuple[Document, ...]:
        return tuple(self._send_request("load", keys=[_key_columns(key) for key in keys], now=now))

    def update(self, key: Key, change: Change[T], now: float, until: float | None = None) -> T:
        while True:
            (before,) = self.load((key,), now)
            after, answer = change(before)
            if self._send_request(
                "exchange", key=_key_columns(key), before=before, after=after or EMPTY_DOCUMENT, now=now, until=until
            ):
                return answer

    def append(self, key: Key, entry: Document, now: float, until: float | None = None) -> None:
        self._send_request("append", key=_key_columns(key), entry=entry, now=now, until=until)

    def entries(self, key: Key, now: float) -> tuple[Document, ...]:
        return tuple(self._send_request("entries", key=_key_columns(key), now=now))

    def scopes(self, name: str, now: float) -> Iterator[tuple[Scope, Document]]:
        return iter(
            [(Scope(kind, scope), document) for kind, scope, document in self._send_request("scopes", name=name, now=now)]
        )

    def forget(self, scope: Scope) -> None:
        self._send_request("forget", kind=scope.kind, scope=escape_scope_name(scope.name))

    def close(self) -> None:
        with self._lock:
            self._close_connection()

    def _send_request(self, request: str, **about: Any) -> Any:
        if self._given is not None:
            return self._given.send_question(request, **about)
        with self._lock:
            if self._own is None or self._process != os.getpid():
                self._close_connection()  # in a forked child: its copy of the parent's connection
                self._own, self._process = keeper_connection.open_connection(self._path, self._user), os.getpid()
            try:
                return self._own.send_question(request, **about)
            except StoreError:
                self._close_connection()
                raise

    def _close_connection(self) -> None:
        if self._own is not None:
            self._own.close()
        self._own = None


def _key_columns(key: Key) -> tuple[str, str, str]:
    return key.scope.kind, escape_scope_name(key.scope.name), key.name
