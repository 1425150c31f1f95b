"""Reads lines of JSON in files that may be large, broken, of another encoding, or still being written."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

LONGEST_LINE = 16 * 1024 * 1024  # bytes; the text that a call writes is part of its line
_FIRST = 40  # lines that are read to recognise a file's format


class Line(NamedTuple):
    """`value` is None where the line is no object; `cause` then says why."""

    number: int
    value: dict[str, Any] | None
    cause: str = ""


def read_objects(path: str, *marks: bytes) -> Iterator[Line]:
    """Yields the lines of a file that contain one of the marks; without marks, all of them. Raises OSError.

    A last line without an end that does not parse is skipped: it is still being written."""
    with open(path, "rb") as file:
        number = 0
        while text := file.readline(LONGEST_LINE):
            number += 1
            is_whole = text.endswith(b"\n")
            if not is_whole and len(text) == LONGEST_LINE:
                _skip_rest(file.readline)
                yield Line(number, None, f"longer than {LONGEST_LINE // 1024 // 1024} MiB")
                continue
            if text.strip() and (not marks or any(mark in text for mark in marks)):
                line = _parse(number, text)
                if line.value is not None or is_whole:
                    yield line


def first_objects(path: str) -> list[dict[str, Any]]:
    """Returns the objects among the first lines of a file. Raises OSError."""
    found = []
    for line in read_objects(path):
        if line.number > _FIRST:
            break
        if line.value is not None:
            found.append(line.value)
    return found


def _skip_rest(readline: Any) -> None:
    while (rest := readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
        pass


def _parse(number: int, text: bytes) -> Line:
    try:
        value = json.loads(text.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return Line(number, None, "does not parse as JSON")
    return Line(number, value) if isinstance(value, dict) else Line(number, None, "is no JSON object")
