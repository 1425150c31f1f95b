"""State on a PostgreSQL server: shared by every machine of a fleet, and approved by other people than those who ask.

`toolgate store migrate` creates the tables and grants rights to two roles. The gate's role may do everything except approve:
people's answers are in a table of their own, which only the approver's role writes.
"""

import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import psycopg
from psycopg import sql

from toolgate.model.errors import StoreError
from toolgate.model.store import ANSWERS, EMPTY_DOCUMENT, Change, Document, Key, Scope, escape_scope_name

T = TypeVar("T")
Connection = psycopg.Connection[tuple[Any, ...]]
TIMEOUT_SECONDS = 1  # second for a lock or a statement, two for a connection (libpq's minimum); the gate's own deadline is 2
MAX_IDLE_CONNECTIONS = 8  # connections kept for the next call
MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE toolgate.documents (
        kind text, scope text, name text, body text NOT NULL, until double precision, PRIMARY KEY (kind, scope, name));
    CREATE TABLE toolgate.answers (LIKE toolgate.documents INCLUDING ALL);
    CREATE TABLE toolgate.lists (
        number bigserial PRIMARY KEY, kind text, scope text, name text, body text NOT NULL, until double precision);
    CREATE INDEX ON toolgate.lists (kind, scope, name);
    """,
)
"""One script from each version of the schema to the next."""

_NOT_EXPIRED_SQL = "(until IS NULL OR until > %s)"
_KEY_SQL = "kind = %s AND scope = %s AND name = %s"
_STALE_SECONDS = 86400.0  # entries that expired longer ago are deleted


def open_store(url: str, _folder: str) -> "PostgresStore":
    return PostgresStore(url)


class PostgresStore:
    """Connections are kept and shared by the threads of a process; one is opened only when none is free."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._idle: list[Connection] = []
        self._left_behind: list[Connection] = []

    def load(self, keys: tuple[Key, ...], now: float) -> tuple[Document, ...]:
        def read(connection: Connection) -> tuple[Document, ...]:
            query = sql.SQL(" UNION ALL ").join(sql.SQL(_load_query(n, key)) for n, key in enumerate(keys))
            found: dict[int, str] = dict(
                connection.execute(query, [part for key in keys for part in (*_key_columns(key), now)]).fetchall()
            )
            return tuple(json.loads(found[n]) if n in found else EMPTY_DOCUMENT for n in range(len(keys)))

        return self._run_with_retry(read) if keys else ()

    def update(self, key: Key, change: Change[T], now: float, until: float | None = None) -> T:
        table = _table_name(key)

        def write(connection: Connection) -> T:
            with connection.transaction():
                insert = f"INSERT INTO {table} VALUES (%s, %s, %s, '{{}}', %s) ON CONFLICT DO NOTHING"
                connection.execute(insert, (*_key_columns(key), now))
                row = connection.execute(
                    f"SELECT body, until FROM {table} WHERE {_KEY_SQL} FOR UPDATE", _key_columns(key)
                ).fetchone()
                before: Document = json.loads(row[0]) if row and (row[1] is None or row[1] > now) else EMPTY_DOCUMENT
                after, answer = change(before)
                if after != before or not after:
                    ends = until if after else now
                    connection.execute(
                        f"UPDATE {table} SET body = %s, until = %s WHERE {_KEY_SQL}",
                        (_encode_document(after), ends, *_key_columns(key)),
                    )
            return answer

        return self._run_once(write)

    def append(self, key: Key, entry: Document, now: float, until: float | None = None) -> None:
        insert = "INSERT INTO toolgate.lists (kind, scope, name, body, until) VALUES (%s, %s, %s, %s, %s)"

        def write(connection: Connection) -> None:
            connection.execute(f"DELETE FROM toolgate.lists WHERE {_KEY_SQL} AND until <= %s", (*_key_columns(key), now))
            connection.execute(insert, (*_key_columns(key), _encode_document(entry), until))

        self._run_once(write)

    def entries(self, key: Key, now: float) -> tuple[Document, ...]:
        query = f"SELECT body FROM toolgate.lists WHERE {_KEY_SQL} AND {_NOT_EXPIRED_SQL} ORDER BY number"
        found = self._run_with_retry(lambda open_: open_.execute(query, (*_key_columns(key), now)).fetchall())
        return tuple(json.loads(body) for (body,) in found)

    def scopes(self, name: str, now: float) -> Iterator[tuple[Scope, Document]]:
        table = _table_name(Key(Scope("global"), name))
        condition = f"name = %s AND {_NOT_EXPIRED_SQL} AND body <> '{{}}'"
        query = f"SELECT kind, scope, body FROM {table} WHERE {condition} ORDER BY kind, scope"
        found = self._run_with_retry(lambda open_: open_.execute(query, (name, now)).fetchall())
        return iter([(Scope(kind, scope), json.loads(body)) for kind, scope, body in found])

    def forget(self, scope: Scope) -> None:
        def write(connection: Connection) -> None:
            for table in ("documents", "lists"):
                connection.execute(
                    f"DELETE FROM toolgate.{table} WHERE kind = %s AND scope = %s", (scope.kind, escape_scope_name(scope.name))
                )
                stale = "extract(epoch FROM now()) - %s"
                connection.execute(f"DELETE FROM toolgate.{table} WHERE until < {stale}", (_STALE_SECONDS,))

        self._run_once(write)

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def migrate(self, gate: str = "", approver: str = "") -> int:
        """Creates or updates the tables, and grants rights to two existing roles. Returns the schema's version. For the owner of
        the database; raises StoreError."""

        def run(connection: Connection) -> int:
            with connection.transaction():
                connection.execute("CREATE SCHEMA IF NOT EXISTS toolgate")
                connection.execute("CREATE TABLE IF NOT EXISTS toolgate.version (number integer PRIMARY KEY)")
                connection.execute("LOCK TABLE toolgate.version")
                row = connection.execute("SELECT max(number) FROM toolgate.version").fetchone()
                for number in range((row and row[0]) or 0, len(MIGRATIONS)):
                    connection.execute(MIGRATIONS[number])
                    connection.execute("INSERT INTO toolgate.version VALUES (%s)", (number + 1,))
                for role, grants in ((gate, _GATE_GRANTS), (approver, _APPROVER_GRANTS)):
                    for grant in grants if role else ():
                        connection.execute(sql.SQL(grant).format(role=sql.Identifier(role)))
            return len(MIGRATIONS)

        return self._run_once(run)

    # ---- connections

    def _run_with_retry(self, read: Callable[[Connection], T]) -> T:
        """Repeats a failed read once: a kept connection may be to a server that has been restarted."""
        with self._report_errors():
            try:
                return self._run_on_connection(read)
            except psycopg.OperationalError:
                self.close()
                return self._run_on_connection(read)

    def _run_once(self, write: Callable[[Connection], T]) -> T:
        """Does not repeat a failed write, which may have reached the disk. A kept connection is tested first."""
        with self._report_errors():
            return self._run_on_connection(write, proved=True)

    def _run_on_connection(self, work: Callable[[Connection], T], *, proved: bool = False) -> T:
        connection = self._take_connection(proved=proved)
        try:
            answer = work(connection)
        except BaseException:
            connection.close()
            raise
        with self._lock:
            if len(self._idle) < MAX_IDLE_CONNECTIONS and self._process == os.getpid():
                self._idle.append(connection)
                return answer
        connection.close()
        return answer

    def _take_connection(self, *, proved: bool) -> Connection:
        while True:
            with self._lock:
                if self._process != os.getpid():  # a fork shares its parent's connections, and must not use them
                    self._left_behind += self._idle
                    self._process, self._idle = os.getpid(), []
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                limits = f"-c statement_timeout={TIMEOUT_SECONDS}s -c lock_timeout={TIMEOUT_SECONDS}s"
                return psycopg.connect(self.url, autocommit=True, connect_timeout=TIMEOUT_SECONDS, options=limits)
            try:
                if proved:
                    connection.execute("SELECT 1")
            except psycopg.OperationalError:
                connection.close()
                continue
            return connection

    @contextmanager
    def _report_errors(self) -> Iterator[None]:
        """Turns errors of the server into StoreError; the URL may hold a password and is not repeated."""
        try:
            yield
        except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
            raise StoreError(
                "the PostgreSQL store", "its tables are not there", "toolgate store migrate, as their owner"
            ) from None
        except psycopg.errors.InsufficientPrivilege:
            remedy = "approve with the approver's role: toolgate approve, with its TOOLGATE_STORE_URL"
            raise StoreError("the PostgreSQL store", "this role may not do that", remedy) from None
        except psycopg.Error as problem:
            problem_name = type(problem).__name__
            raise StoreError(
                "the PostgreSQL store", f"it does not answer ({problem_name})", "see whether the server runs"
            ) from None


_GATE_TABLES = "toolgate.documents, toolgate.lists"
_GATE_GRANTS = (
    "GRANT USAGE ON SCHEMA toolgate TO {role}",
    "GRANT SELECT ON ALL TABLES IN SCHEMA toolgate TO {role}",
    f"GRANT INSERT, UPDATE, DELETE ON {_GATE_TABLES} TO {{role}}",
    "GRANT USAGE ON ALL SEQUENCES IN SCHEMA toolgate TO {role}",
)
_APPROVER_GRANTS = (
    "GRANT USAGE ON SCHEMA toolgate TO {role}",
    "GRANT SELECT ON ALL TABLES IN SCHEMA toolgate TO {role}",
    "GRANT INSERT, UPDATE, DELETE ON toolgate.answers TO {role}",
)


def _load_query(number: int, key: Key) -> str:
    return f"SELECT {number}, body FROM {_table_name(key)} WHERE {_KEY_SQL} AND {_NOT_EXPIRED_SQL}"


def _table_name(key: Key) -> str:
    return "toolgate.answers" if key.name == ANSWERS else "toolgate.documents"


def _key_columns(key: Key) -> tuple[str, str, str]:
    return key.scope.kind, escape_scope_name(key.scope.name), key.name


def _encode_document(document: Document) -> str:
    return json.dumps(document, separators=(",", ":"))
