"""An index of the audit log in SQLite, brought up to date from its lines whenever it is asked. The log stays the truth.

The index has no text of a call: what matches is read from the log, and compared with the query again. Of a file that grew, only
the new lines are read; a file that was changed otherwise is indexed anew. Whether the log was altered is told by `audit verify`,
which does not use the index.
"""

import os
import sqlite3
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from fnmatch import fnmatchcase
from typing import BinaryIO, NamedTuple

from toolgate.machine import descriptors

from .chain import OUTCOME_KIND
from .fields import RecordLine
from .query import LAST_ID, Query, has_id, is_near_miss, is_spoken, iter_rules
from .segments import MAX_LINE_LENGTH, list_segments, read_places
from .summary import parse_line

VERSION = 1
BUSY_SECONDS = 2.0  # seconds to wait for another process that brings it up to date
_TEXTS = ("id", "time", "session", "agent", "tool", "tool_use_id", "verdict")
_SCHEMA = """
    CREATE TABLE segments (name TEXT PRIMARY KEY, inode INTEGER, size INTEGER, changed INTEGER);
    CREATE TABLE calls (segment TEXT, start INTEGER, id TEXT, time TEXT, session TEXT, agent TEXT, tool TEXT, call TEXT,
        verdict TEXT, near INTEGER, spoken INTEGER, PRIMARY KEY (segment, start)) WITHOUT ROWID;
    CREATE TABLE rules (rule TEXT, segment TEXT, start INTEGER);
    CREATE TABLE outcomes (segment TEXT, start INTEGER, session TEXT, call TEXT, outcome TEXT);
    CREATE INDEX calls_by_session ON calls (session, segment, start);
    CREATE INDEX calls_by_verdict ON calls (verdict, segment, start);
    CREATE INDEX calls_to_explain ON calls (spoken, segment, start) WHERE spoken;
    CREATE INDEX rules_by_name ON rules (rule, segment, start);
    CREATE INDEX rules_of_segments ON rules (segment);
    CREATE INDEX outcomes_by_call ON outcomes (session, call);
    CREATE INDEX outcomes_of_segments ON outcomes (segment);
"""
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table'"


class Unusable(Exception):
    """The index cannot be opened, written or read."""


class LogIndex:
    """The index of the log in `folder`, kept in `file`. Raises Unusable, and OSError where the log cannot be read."""

    def __init__(self, folder: str, file: str) -> None:
        self._folder, self._file = folder, file

    def select(self, query: Query) -> Generator[RecordLine, None, None]:
        """Yields the readable records that match, the newest first."""
        with self._open_updated() as database:
            conditions, values = _to_sql(query, database)
            for line in self._read_lines(database, conditions, values):
                if query.is_match(line):
                    yield line

    def find_by_id(self, part_of_id: str) -> Generator[RecordLine, None, None]:
        """Yields the records whose id begins or ends with `part_of_id`, or for `last`, those that did not pass in silence; the
        newest first."""
        with self._open_updated() as database:
            if part_of_id == LAST_ID:
                yield from filter(is_spoken, self._read_lines(database, ["spoken"], []))
                return
            conditions = ["(substr(id, 1, length(?)) = ? OR substr(id, -length(?)) = ?)"]
            for line in self._read_lines(database, conditions, [part_of_id] * 4):
                if has_id(line, part_of_id):
                    yield line

    def _read_lines(self, database: sqlite3.Connection, conditions: list[str], values: list[object]) -> Iterator[RecordLine]:
        where = " AND ".join(conditions) or "1"
        outcome = "(SELECT outcome FROM outcomes WHERE outcomes.session = calls.session AND outcomes.call = calls.call)"
        statement = f"SELECT segment, start, {outcome} FROM calls WHERE {where} ORDER BY segment DESC, start DESC"
        with closing(_LineReader(self._folder)) as reader:
            for segment, start, came_to in database.execute(statement, values):
                line = parse_line(reader.read_line(segment, start))
                if line and line.get("kind") is None:
                    yield {**line, "outcome": came_to} if came_to else line

    @contextmanager
    def _open_updated(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(self._connect()) as database:
                _Update(database, self._folder).bring_up_to_date()
                yield database
        except sqlite3.OperationalError as problem:  # locked, or the disk is full
            raise Unusable(str(problem)) from None
        except sqlite3.Error as problem:
            self.remove()
            raise Unusable(str(problem)) from None

    def remove(self) -> None:
        """Removes the index; the next question builds it again."""
        try:
            os.unlink(self._file)
        except OSError:
            return

    def _connect(self) -> sqlite3.Connection:
        """Opens the index, created for this account alone; one of another version is created anew."""
        try:
            os.makedirs(os.path.dirname(self._file), 0o700, exist_ok=True)
            os.close(os.open(self._file, os.O_RDWR | os.O_CREAT | descriptors.CLOEXEC | descriptors.NOFOLLOW, 0o600))
        except OSError as problem:
            raise Unusable(str(problem)) from None
        database = sqlite3.connect(self._file, timeout=BUSY_SECONDS, isolation_level=None)
        database.execute("PRAGMA synchronous = OFF")  # whatever is lost is built again
        if database.execute("PRAGMA user_version").fetchone()[0] != VERSION:
            database.execute("BEGIN IMMEDIATE")
            for (name,) in database.execute(_TABLES).fetchall():
                database.execute(f'DROP TABLE "{name}"')
            for each in _SCHEMA.split(";"):
                database.execute(each)
            database.execute(f"PRAGMA user_version = {VERSION}")
            database.execute("COMMIT")
        return database


class _LineReader:
    """Reads single lines of the log, and keeps the file of the last one open."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._name = ""
        self._file: BinaryIO | None = None

    def read_line(self, segment: str, start: int) -> bytes:
        if self._file is None or segment != self._name:
            self.close()
            self._name, self._file = segment, open(f"{self._folder}/{segment}", "rb")  # noqa: SIM115  (closed by `close`)
        self._file.seek(start)
        return self._file.readline(MAX_LINE_LENGTH)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


class _Update:
    """Brings the index up to date with the files of the log, in one transaction."""

    def __init__(self, database: sqlite3.Connection, folder: str) -> None:
        self._database, self._folder = database, folder

    def bring_up_to_date(self) -> None:
        present = {name: self._describe(name) for name in list_segments(self._folder)}
        if present == {name: _Version(*row) for name, *row in self._database.execute("SELECT * FROM segments").fetchall()}:
            return
        self._database.execute("BEGIN IMMEDIATE")
        known = {name: _Version(*row) for name, *row in self._database.execute("SELECT * FROM segments").fetchall()}
        for name in known.keys() - present.keys():
            self._forget(name)
        for name, found in present.items():
            if known.get(name) != found:
                self._index_segment(name, known.get(name), found)
        self._database.execute("COMMIT")

    def _describe(self, name: str) -> "_Version":
        status = os.stat(f"{self._folder}/{name}")
        return _Version(status.st_ino, status.st_size, status.st_mtime_ns)

    def _forget(self, name: str) -> None:
        for table in ("calls", "rules", "outcomes"):
            self._database.execute(f"DELETE FROM {table} WHERE segment = ?", (name,))

    def _index_segment(self, name: str, before: "_Version | None", found: "_Version") -> None:
        """Indexes the lines that were appended, or else the whole file."""
        path, start = f"{self._folder}/{name}", 0
        if before is not None and before.inode == found.inode and before.size < found.size:
            start = self._find_last_start(name)
        if not start:
            self._forget(name)
        for place, line in read_places(path, start, found.size):
            self._index_line(name, place, line)
        self._database.execute("INSERT OR REPLACE INTO segments VALUES (?, ?, ?, ?)", (name, *found))

    def _find_last_start(self, name: str) -> int:
        """Returns where the last indexed line begins, which may have been half a line; what it said is forgotten."""
        (start,) = self._database.execute("SELECT max(start) FROM calls WHERE segment = ?", (name,)).fetchone()
        for table in ("calls", "rules", "outcomes"):
            self._database.execute(f"DELETE FROM {table} WHERE segment = ? AND start >= ?", (name, start or 0))
        return start or 0

    def _index_line(self, segment: str, start: int, text: bytes) -> None:
        line = parse_line(text)
        if line.get("kind") == OUTCOME_KIND:
            values = (segment, start, str(line.get("session")), str(line.get("tool_use_id")), str(line.get("outcome")))
            self._database.execute("INSERT INTO outcomes VALUES (?, ?, ?, ?, ?)", _storable(values))
        elif line and line.get("kind") is None:
            texts = (str(line.get(name, "")) for name in _TEXTS)
            call = (segment, start, *_storable(texts), is_near_miss(line), is_spoken(line))
            self._database.execute(f"INSERT INTO calls VALUES ({', '.join('?' * len(call))})", call)
            rules = {(rule, segment, start) for rule, _ in iter_rules(line)}
            self._database.executemany("INSERT INTO rules VALUES (?, ?, ?)", map(_storable, rules))


class _Version(NamedTuple):
    """A file of the log as it was indexed."""

    inode: int
    size: int
    changed: int


def _storable(values: Iterable[object]) -> tuple[object, ...]:
    """Returns the values without half characters, which SQLite does not take."""
    return tuple(v.encode("utf-8", "replace").decode() if isinstance(v, str) else v for v in values)


def _to_sql(query: Query, database: sqlite3.Connection) -> tuple[list[str], list[object]]:
    """Returns the conditions that the index can answer; `Query.is_match` decides about the rest."""
    conditions, values = list[str](), list[object]()

    def add(condition: str, *given: object) -> None:
        conditions.append(condition)
        values.extend(_storable(given))

    for name, beginning in (("session", query.session), ("agent", query.agent)):
        if beginning:
            add(f"substr({name}, 1, length(?)) = ?", beginning, beginning)
    if query.tool:
        add("tool = ?", query.tool)
    if query.verdicts:
        add(f"verdict IN ({', '.join('?' * len(query.verdicts))})", *sorted(query.verdicts))
    if query.near:
        add("near")
    if query.since:
        add("time >= ?", query.since)
    if query.until:
        add("time <= ?", query.until)
    if query.rule:
        names = [name for (name,) in database.execute("SELECT DISTINCT rule FROM rules") if fnmatchcase(name, query.rule)]
        add(f"(segment, start) IN (SELECT segment, start FROM rules WHERE rule IN ({', '.join('?' * len(names))}))", *names)
    return conditions, values
