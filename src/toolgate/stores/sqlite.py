"""State in one file of the user's own: the default, shared by every session on this machine.

A write-ahead log lets readers go on while one writes; on a network file system, where that is not safe, a rollback journal
replaces it. Only the user can access the file (0600). A damaged file is moved aside and reported; nothing is assumed about its
contents.
"""

import json
import os
import sqlite3
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from toolgate.machine import descriptors, files
from toolgate.machine.current_account import effective_user
from toolgate.machine.filesystems import is_on_network
from toolgate.model.errors import StoreError
from toolgate.model.store import ANSWERS, EMPTY_DOCUMENT, Change, Document, Key, Scope, escape_scope_name

T = TypeVar("T")
DATABASE_FILE = "state.db"
TIMEOUT_SECONDS = 1.0  # seconds to wait for another writer; the gate's own deadline is 2
MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE documents (
        kind TEXT NOT NULL, scope TEXT NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL, until REAL,
        PRIMARY KEY (kind, scope, name)) WITHOUT ROWID;
    CREATE TABLE lists (
        number INTEGER PRIMARY KEY, kind TEXT NOT NULL, scope TEXT NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL, until REAL);
    CREATE INDEX lists_by_key ON lists (kind, scope, name);
    CREATE INDEX documents_that_expire ON documents (until) WHERE until IS NOT NULL;
    CREATE INDEX lists_that_expire ON lists (until) WHERE until IS NOT NULL;
    """,
)
"""One script from each version of the file to the next. `user_version` counts those that were run."""

_NOT_EXPIRED_SQL = "(until IS NULL OR until > ?)"
_KEY_SQL = "kind = ? AND scope = ? AND name = ?"
_LOAD_QUERY = f"SELECT body FROM documents WHERE {_KEY_SQL} AND {_NOT_EXPIRED_SQL}"
_DAMAGE_CODES = frozenset((sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB))
_INHERITED_CONNECTIONS: list[sqlite3.Connection] = []
"""Connections of the process that this one was forked from: neither used here nor closed."""


def open_store(url: str, folder: str) -> "SqliteStore":
    """`sqlite:/absolute/file`, or without a URL `state.db` in the folder."""
    path = url.partition(":")[2]
    return SqliteStore("/" + path.lstrip("/") if path else f"{folder}/{DATABASE_FILE}")


class DamagedDocument(sqlite3.DatabaseError):
    """The file is a database, and one of its documents was not written by toolgate."""


class SqliteStore:
    """Opens nothing before it is used, and creates no file before the first write."""

    def __init__(self, path: str, migrations: tuple[str, ...] = MIGRATIONS) -> None:
        self.path = path
        self._migrations = migrations
        self._held = threading.local()

    def load(self, keys: tuple[Key, ...], now: float) -> tuple[Document, ...]:
        def read(connection: sqlite3.Connection) -> tuple[Document, ...]:
            connection.execute("BEGIN")
            try:
                return tuple(_load_document(connection, key, now) for key in keys)
            finally:
                connection.execute("COMMIT")

        return self._read_if_present(read, tuple(EMPTY_DOCUMENT for _ in keys))

    def update(self, key: Key, change: Change[T], now: float, until: float | None = None) -> T:
        def write(connection: sqlite3.Connection) -> T:
            _delete_expired(connection, now)
            before = _load_document(connection, key, now)
            after, answer = change(before)
            if not after:
                connection.execute(f"DELETE FROM documents WHERE {_KEY_SQL}", _key_columns(key))
            elif after != before:
                connection.execute(
                    "INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?)",
                    (*_key_columns(key), _encode_document(after), until),
                )
            return answer

        return self._write_in_transaction(write)

    def append(self, key: Key, entry: Document, now: float, until: float | None = None) -> None:
        def write(connection: sqlite3.Connection) -> None:
            _delete_expired(connection, now)
            values = (*_key_columns(key), _encode_document(entry), until)
            connection.execute("INSERT INTO lists (kind, scope, name, body, until) VALUES (?, ?, ?, ?, ?)", values)

        self._write_in_transaction(write)

    def entries(self, key: Key, now: float) -> tuple[Document, ...]:
        query = f"SELECT body FROM lists WHERE {_KEY_SQL} AND {_NOT_EXPIRED_SQL} ORDER BY number"
        return self._read_if_present(
            lambda open_: tuple(_decode_document(body) for (body,) in open_.execute(query, (*_key_columns(key), now))), ()
        )

    def scopes(self, name: str, now: float) -> Iterator[tuple[Scope, Document]]:
        query = f"SELECT kind, scope, body FROM documents WHERE name = ? AND {_NOT_EXPIRED_SQL} ORDER BY kind, scope"
        nothing: list[tuple[Any, ...]] = []
        found = self._read_if_present(lambda open_: open_.execute(query, (name, now)).fetchall(), nothing)
        return iter([(Scope(kind, scope), _decode_document(body)) for kind, scope, body in found])

    def forget(self, scope: Scope) -> None:
        def write(connection: sqlite3.Connection) -> None:
            for table in ("documents", "lists"):
                connection.execute(
                    f"DELETE FROM {table} WHERE kind = ? AND scope = ? AND name <> ?",
                    (scope.kind, escape_scope_name(scope.name), ANSWERS),
                )

        if os.path.exists(self.path):
            self._write_in_transaction(write)

    def close(self) -> None:
        """Closes the connection of this thread."""
        connection = getattr(self._held, "connection", None)
        if connection is not None and self._held.process == os.getpid():
            connection.close()
        self._held = threading.local()

    # ---- the file

    def _read_if_present(self, work: Callable[[sqlite3.Connection], T], default: T) -> T:
        """Returns `default` where there is no file; reading does not create one."""
        return self._run_guarded(work) if os.path.lexists(self.path) else default

    def _write_in_transaction(self, work: Callable[[sqlite3.Connection], T]) -> T:
        def transaction(connection: sqlite3.Connection) -> T:
            connection.execute("BEGIN IMMEDIATE")
            try:
                answer = work(connection)
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")
            return answer

        return self._run_guarded(transaction)

    def _run_guarded(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Turns errors of the file or its folder into StoreError; a damaged file is moved aside."""
        try:
            return work(self._open_connection())
        except sqlite3.Error as problem:
            if _is_damage(problem):
                self._move_damaged_file()
            raise StoreError(self.path, f"the state cannot be used ({problem})", "toolgate doctor says more") from None
        except OSError as problem:
            remedy = "make its folder yours to write, or set TOOLGATE_STORE_URL"
            raise StoreError(self.path, f"the state cannot be used ({problem.strerror or problem})", remedy) from None

    def _open_connection(self) -> sqlite3.Connection:
        """Returns this thread's own connection, as long as the file is still the one that it was opened on."""
        held = self._held
        connection: sqlite3.Connection | None = getattr(held, "connection", None)
        if connection is not None:
            if held.process == os.getpid() and held.file == _file_identity(self.path):
                return connection
            if held.process != os.getpid():
                _INHERITED_CONNECTIONS.append(connection)
            else:
                connection.close()
        self._create_file()
        held.file, held.process = _file_identity(self.path), os.getpid()
        held.connection = connection = sqlite3.connect(
            self.path, timeout=TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False, factory=_Connection
        )
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA trusted_schema = OFF")
        self._migrate_file(connection)
        return connection

    def _create_file(self) -> None:
        """Creates the file for this account alone, from its first moment on."""
        folder = os.path.dirname(self.path)
        os.makedirs(folder, 0o700, exist_ok=True)
        try:
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL | descriptors.CLOEXEC | descriptors.NOFOLLOW, 0o600))
        except FileExistsError:
            status = os.lstat(self.path)
            if not stat.S_ISREG(status.st_mode):
                raise OSError(0, "there is something else in its place") from None
            if sys.platform != "win32":
                if status.st_uid not in (effective_user(), 0):
                    raise OSError(0, "it belongs to somebody else") from None
                if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                    raise OSError(0, "others may write to it") from None

    def _migrate_file(self, connection: sqlite3.Connection) -> None:
        """One process at a time: the change to another journal mode does not wait for a lock by itself."""
        version, newest = _read_version(connection), len(self._migrations)
        if version > newest:
            raise sqlite3.OperationalError(f"it was written by a later toolgate, format {version}; this one knows {newest}")
        if version == newest:
            return
        with files.lock_folder(os.path.dirname(self.path)):
            journal = "DELETE" if is_on_network(self.path) else "WAL"
            connection.execute(f"PRAGMA journal_mode = {journal}")
            connection.execute("BEGIN IMMEDIATE")
            for number in range(_read_version(connection), newest):
                for statement in self._migrations[number].split(";"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {number + 1}")
            connection.execute("COMMIT")

    def _move_damaged_file(self) -> None:
        """Moves the file aside, unless another process has done so already and there is a new one."""
        damaged = getattr(self._held, "file", None)
        self.close()
        try:
            with files.lock_folder(os.path.dirname(self.path)):
                if damaged is None or _file_identity(self.path) != damaged:
                    return
                kept = f"{self.path}.damaged-{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{os.getpid()}"
                for end in ("", "-wal", "-shm"):
                    if os.path.lexists(self.path + end):
                        os.replace(self.path + end, kept + end)
        except OSError:
            return  # it stays in place, and every access reports it


class _Connection(sqlite3.Connection):
    """One thread's own connection. It is closed by the garbage collector, on any thread."""

    def __del__(self) -> None:
        self.close()


def _load_document(connection: sqlite3.Connection, key: Key, now: float) -> Document:
    row = connection.execute(_LOAD_QUERY, (*_key_columns(key), now)).fetchone()
    return _decode_document(row[0]) if row else EMPTY_DOCUMENT


def _decode_document(body: str) -> Document:
    try:
        found: Document = json.loads(body)
    except ValueError:
        raise DamagedDocument("a document in it is no JSON") from None
    return found


def _delete_expired(connection: sqlite3.Connection, now: float) -> None:
    """Expired entries must not reappear when the clock is set back."""
    for table in ("documents", "lists"):
        connection.execute(f"DELETE FROM {table} WHERE until <= ?", (now,))


def _key_columns(key: Key) -> tuple[str, str, str]:
    return key.scope.kind, escape_scope_name(key.scope.name), key.name


def _encode_document(document: Document) -> str:
    return json.dumps(document, separators=(",", ":"))


def _read_version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def _file_identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _is_damage(problem: sqlite3.Error) -> bool:
    return isinstance(problem, DamagedDocument) or (getattr(problem, "sqlite_errorcode", 0) & 0xFF) in _DAMAGE_CODES
