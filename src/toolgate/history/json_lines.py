"""Reads lines of JSON in files that may be large, broken, of another encoding, or still being written."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

MAX_LINE_LENGTH = 16 * 1024 * 1024  # bytes; the text that a call writes is part of its line
_FIRST_LINES = 40  # lines that are read to recognise a file's format


class JsonLine(NamedTuple):
    """`value` is None where the line is no object; `cause` then says why."""

    number: int
    value: dict[str, Any] | None
    cause: str = ""


def read_objects(path: str, *marks: bytes) -> Iterator[JsonLine]:
    """Yields the lines of a file that contain one of the marks; without marks, all of them. Raises OSError.

    A last line without an end that does not parse is skipped: it is still being written."""
    with open(path, "rb") as file:
        number = 0
        while text := file.readline(MAX_LINE_LENGTH):
            number += 1
            is_whole = text.endswith(b"\n")
            if not is_whole and len(text) == MAX_LINE_LENGTH:
                _skip_rest(file.readline)
                yield JsonLine(number, None, f"longer than {MAX_LINE_LENGTH // 1024 // 1024} MiB")
                continue
            if text.strip() and (not marks or any(mark in text for mark in marks)):
                line = _parse_line(number, text)
                if line.value is not None or is_whole:
                    yield line


def read_first_objects(path: str) -> list[dict[str, Any]]:
    """Returns the objects among the first lines of a file. Raises OSError."""
    found = []
    for line in read_objects(path):
        if line.number > _FIRST_LINES:
            break
        if line.value is not None:
            found.append(line.value)
    return found


def _skip_rest(readline: Any) -> None:
    while (rest := readline(MAX_LINE_LENGTH)) and not rest.endswith(b"\n"):
        pass


def _parse_line(number: int, text: bytes) -> JsonLine:
    try:
        value = json.loads(text.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return JsonLine(number, None, "does not parse as JSON")
    return JsonLine(number, value) if isinstance(value, dict) else JsonLine(number, None, "is no JSON object")
