"""The database of OpenCode: `opencode.db` in its data folder, whose `part` rows hold the calls (seen with 1.18.33).

A part of the type `tool` has the tool, its input, and its state; its session names the folder.
"""

import json
import os
import re
import sqlite3
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from .calls import CallOutcome, PastCall, UnreadableLine

HOST = "opencode"
DATABASE = "opencode.db"
BEGINNING = b"SQLite format 3\0"
_MAX_DATA_LENGTH = 16 * 1024 * 1024  # bytes of a part
_QUERY = """
    SELECT part.rowid, part.session_id, part.time_created, session.directory, length(part.data), substr(part.data, 1, ?)
    FROM part LEFT JOIN session ON session.id = part.session_id ORDER BY part.rowid
"""
_REFUSAL_PREFIXES = ("The user rejected permission ", "The user has specified a rule which prevents ", "toolgate ")
_RULE_AT_END = re.compile(r"\[[a-z]+\.[a-z-]+\]\s*$")
"""The gate's own refusals end with the rule's name."""


class DatabaseReader:
    def list_folders(self, home: str, environ: Mapping[str, str]) -> tuple[str, ...]:
        return (f"{(environ.get('XDG_DATA_HOME') or f'{home}/.local/share').rstrip('/')}/opencode",)

    def is_own_format(self, _first_object: Mapping[str, Any]) -> bool:
        return False  # a database holds no lines; it is recognised by its first bytes

    def read(self, path: str) -> Iterator[PastCall | UnreadableLine]:
        """Yields the calls in the order in which they were made. A row is a line. Raises OSError."""
        try:
            database = sqlite3.connect(f"file:{quote(os.path.abspath(path))}?mode=ro", uri=True)
            database.text_factory = lambda data: data.decode("utf-8", "replace")
            try:
                for row in database.execute(_QUERY, (_MAX_DATA_LENGTH,)):
                    if (call := _read_row(row, path)) is not None:
                        yield call
            finally:
                database.close()
        except sqlite3.Error as problem:
            raise OSError(0, f"the database cannot be read: {problem}") from None


def is_database(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(len(BEGINNING)) == BEGINNING


def _read_row(row: tuple[Any, ...], path: str) -> PastCall | UnreadableLine | None:
    number, session, created, directory, length, data = row
    if isinstance(length, int) and length > _MAX_DATA_LENGTH:
        return UnreadableLine(path, number, f"longer than {_MAX_DATA_LENGTH // 1024 // 1024} MiB")
    try:
        part = json.loads(data)
    except (ValueError, TypeError, RecursionError):
        return UnreadableLine(path, number, "does not parse as JSON")
    if not isinstance(part, dict) or part.get("type") != "tool":
        return None
    state, tool = part.get("state"), part.get("tool")
    arguments = state.get("input") if isinstance(state, dict) else None
    if not isinstance(state, dict) or not isinstance(tool, str) or not isinstance(arguments, dict):
        return UnreadableLine(path, number, "a call without the name of its tool, or without arguments")
    folder, call = str(directory or ""), f"{session}/{part.get('callID') or number}"
    return PastCall(
        HOST, str(session), call, _format_time(created), folder, folder, tool, arguments, _read_outcome(state), path, number
    )


def _read_outcome(state: Mapping[str, Any]) -> CallOutcome:
    status, error, metadata = state.get("status"), str(state.get("error", "")), state.get("metadata")
    if status == "error":
        return "refused" if error.startswith(_REFUSAL_PREFIXES) or _RULE_AT_END.search(error) else "failed"
    if status != "completed":
        return "unknown"
    return "failed" if isinstance(metadata, dict) and metadata.get("exit") not in (None, 0) else "ran"


def _format_time(milliseconds: object) -> str:
    if not isinstance(milliseconds, int) or not 0 <= milliseconds < 1 << 47:
        return ""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
