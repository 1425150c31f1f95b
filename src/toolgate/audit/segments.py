"""Reads the files of the audit log: one for each day, or several where a day has many records."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import suppress

from .chain import read_link

MAX_LINE_LENGTH = 1024 * 1024  # bytes: no record comes near it
_SEGMENT = re.compile(r"\d{4}-\d\d-\d\d(?:_\d{3,})?\.jsonl")


def list_segments(folder: str) -> list[str]:
    """Returns the names of the log's files, oldest first; none where there is no folder. Raises OSError."""
    return sorted(filter(_SEGMENT.fullmatch, os.listdir(folder))) if os.path.isdir(folder) else []


def next_segment(name: str) -> str:
    """Returns the name of the file that follows this one on the same day. Names sort in the order of their records."""
    day, _, number = name.removesuffix(".jsonl").partition("_")
    return f"{day}_{int(number or 1) + 1:03}.jsonl"


def read_lines(path: str) -> Iterator[bytes]:
    """Yields the lines of a file without their ends; the beginning of a line longer than MAX_LINE_LENGTH. Raises OSError."""
    return (line for _, line in read_places(path))


def read_places(path: str, start: int = 0, end: int = sys.maxsize) -> Iterator[tuple[int, bytes]]:
    """Yields the lines that begin between two places in a file, each with its place. Raises OSError."""
    with open(path, "rb") as file:
        file.seek(start)
        while start < end and (line := file.readline(MAX_LINE_LENGTH)):
            yield start, line.removesuffix(b"\n")
            start += len(line)
            while line and not line.endswith(b"\n"):  # the rest of a line that is too long
                line = file.readline(MAX_LINE_LENGTH)
                start += len(line)


def follow_lines(folder: str) -> Iterator[list[bytes]]:
    """Yields the complete lines that were written since the step before, from now on. Raises OSError.

    A file that was removed is left out. Of one that was written anew, as when a session is deleted, the new lines are those whose
    number in the chain is higher than every one before."""
    return _iter_new_lines(_Follower(folder))


def _iter_new_lines(follower: "_Follower") -> Iterator[list[bytes]]:
    while True:
        found: list[bytes] = []
        for name in list_segments(follower.folder):
            with suppress(FileNotFoundError):
                found += follower.read_new_lines(name)
        yield found


class _Follower:
    """Where reading stopped: for each file its inode and the end of its last complete line; and the highest number so far."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._ends: dict[str, tuple[int, int]] = {}
        self._newest = 0
        for name in list_segments(folder):
            with suppress(FileNotFoundError):
                path, status = f"{folder}/{name}", os.stat(f"{folder}/{name}")
                self._ends[name] = status.st_ino, _find_last_line_end(path, 0, status.st_size)
                self._newest = max(self._newest, _find_newest_number(path, status.st_size))

    def read_new_lines(self, name: str) -> list[bytes]:
        path = f"{self.folder}/{name}"
        status = os.stat(path)
        inode, start = self._ends.get(name, (status.st_ino, 0))
        is_replaced = inode != status.st_ino or status.st_size < start
        start = 0 if is_replaced else start
        end = _find_last_line_end(path, start, status.st_size)
        found, before = [], self._newest
        for _, line in read_places(path, start, end):
            link = read_link(line)
            number = 0 if link is None else link.number
            if not is_replaced or number > before:
                found.append(line)
            self._newest = max(self._newest, number)
        self._ends[name] = status.st_ino, end
        return found


def _find_newest_number(path: str, size: int) -> int:
    start = max(0, size - MAX_LINE_LENGTH)
    links = (read_link(line) for _, line in read_places(path, start, size))
    return max((link.number for link in links if link is not None), default=0)


def _find_last_line_end(path: str, start: int, end: int) -> int:
    """Returns the place after the last line end between two places in a file, or `start` where there is none."""
    with open(path, "rb") as file:
        while end > start:
            before = max(start, end - MAX_LINE_LENGTH)
            file.seek(before)
            if (found := file.read(end - before).rfind(b"\n")) >= 0:
                return before + found + 1
            end = before
    return start
