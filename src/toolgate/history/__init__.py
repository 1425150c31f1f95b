"""Reads past calls from the records of hosts, and judges them again.

GROWS: a record format is a file with a `read` and a line in `RECORD_READERS`.
"""

import os
from collections.abc import Iterable, Iterator

from . import claude_code, codex, copilot, opencode, recorded_calls, requests
from .calls import PastCall, RecordReader, UnreadableLine
from .json_lines import read_first_objects

RECORD_READERS: dict[str, RecordReader] = {
    "claude-code": claude_code.TranscriptReader(),
    "copilot": copilot.EventsReader(),
    "codex": codex.RolloutReader(),
    "opencode": opencode.DatabaseReader(),
    "audit": recorded_calls.AuditReader(),
    "requests": requests.RequestsReader(),
}
"""The first objects of a file are compared with the formats in this order."""


class UnknownFormat(Exception):
    """A file is in no known format."""


def list_record_folders(host: str, home: str, environ: dict[str, str]) -> tuple[str, ...]:
    """Returns the folders in which a host on this account keeps the records of its sessions; none for an unknown host."""
    form = RECORD_READERS.get(host)
    return () if form is None else form.list_folders(home, environ)


def find_files(paths: Iterable[str]) -> Iterator[str]:
    """Yields the files at and inside some paths, in order; links to folders are not followed."""
    for path in paths:
        if not os.path.isdir(path):
            yield path
            continue
        for folder, names, files in os.walk(path):
            names.sort()
            yield from (
                os.path.join(folder, name) for name in sorted(files) if name.endswith(".jsonl") or name == opencode.DATABASE
            )


def read_file(path: str) -> Iterator[PastCall | UnreadableLine]:
    """Yields the calls in a file of any format, and the lines that could not be read. Raises UnknownFormat, and OSError."""
    if opencode.is_database(path):
        return RECORD_READERS["opencode"].read(path)
    beginning = read_first_objects(path)
    for form in RECORD_READERS.values():
        if any(form.is_own_format(each) for each in beginning):
            return form.read(path)
    if beginning:
        raise UnknownFormat(path)
    return iter(())
