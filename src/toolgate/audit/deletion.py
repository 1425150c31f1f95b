"""Deletes the records of a session: a line with each one's number and digest stays, so that the chain remains valid."""

import json
from collections.abc import Iterator

from toolgate.machine.files import write_file

from .chain import DELETED_KIND, DELETION_KIND, NUMBER_KEY, PREVIOUS_KEY, ChainLink, read_link
from .checkpoints import sign_table
from .segments import list_segments, read_lines
from .sinks import jsonl


class LogInUse(Exception):
    """Another process has held the log's lock for too long."""


def delete_session(folder: str, session: str, time: str, key_file: str = "") -> int:
    """Deletes the records of a session, and appends a line that lists them, signed where there is a key. Returns their number.

    `session` is its whole id, `time` the time of the deletion as records write it. Raises LogInUse and OSError; then some files
    may be done, and repeating the call does the rest."""
    numbers: list[int] = []
    with jsonl.lock_head(folder) as head:
        if head is None:
            raise LogInUse
        for name in list_segments(folder):
            numbers += _delete_from(f"{folder}/{name}", session)
    if numbers:
        record = sign_table({"kind": DELETION_KIND, "time": time, "records": list(_iter_ranges(sorted(numbers)))}, key_file)
        if problem := jsonl.append_record(folder, time[:10], json.dumps(record, separators=(",", ":")), key_file):
            raise OSError(0, problem)
    return len(numbers)


def _delete_from(path: str, session: str) -> list[int]:
    numbers = []
    lines = []
    for line in read_lines(path):
        link = read_link(line)
        if link is not None and link.table.get("session") == session:
            numbers.append(link.number)
            lines.append(_render_replacement(link))
        else:
            lines.append(line)
    if numbers:
        write_file(path, b"\n".join((*lines, b"")), mode=0o600)
    return numbers


def _render_replacement(link: ChainLink) -> bytes:
    table = {"kind": DELETED_KIND, "digest": link.digest, NUMBER_KEY: link.number, PREVIOUS_KEY: link.previous}
    return json.dumps(table, separators=(",", ":")).encode()


def _iter_ranges(numbers: list[int]) -> Iterator[tuple[int, int]]:
    first = last = numbers[0]
    for number in numbers[1:]:
        if number > last + 1:
            yield first, last
            first = number
        last = number
    yield first, last
