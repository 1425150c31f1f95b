"""Reads the files of the audit log, one for each day."""

import os
import re
from collections.abc import Iterator

MAX_LINE_LENGTH = 1024 * 1024  # bytes: no record comes near it
_DAY_FILE = re.compile(r"\d{4}-\d\d-\d\d\.jsonl")


def list_segments(folder: str) -> list[str]:
    """Returns the names of the log's files, oldest first; none where there is no folder. Raises OSError."""
    return sorted(name for name in os.listdir(folder) if _DAY_FILE.fullmatch(name)) if os.path.isdir(folder) else []


def read_lines(path: str) -> Iterator[bytes]:
    """Yields the lines of a file without their ends; the beginning of a line longer than MAX_LINE_LENGTH. Raises OSError."""
    with open(path, "rb") as file:
        while line := file.readline(MAX_LINE_LENGTH):
            yield line.removesuffix(b"\n")
            while line and not line.endswith(b"\n"):  # the rest of a line that is too long
                line = file.readline(MAX_LINE_LENGTH)


def follow_lines(folder: str) -> Iterator[list[bytes]]:
    """Yields the complete lines that were written since the step before, from now on. Raises OSError."""
    sizes = {name: os.stat(f"{folder}/{name}").st_size for name in list_segments(folder)}
    return _iter_new_lines(folder, sizes)


def _iter_new_lines(folder: str, sizes: dict[str, int]) -> Iterator[list[bytes]]:
    while True:
        found: list[bytes] = []
        for name in list_segments(folder):
            with open(f"{folder}/{name}", "rb") as file:
                file.seek(sizes.get(name, 0))
                whole = file.read().rpartition(b"\n")[0]
            if whole:
                sizes[name] = sizes.get(name, 0) + len(whole) + 1
                found += whole.split(b"\n")
        yield found
