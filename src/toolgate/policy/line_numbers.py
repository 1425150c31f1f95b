"""Finds the line of a key in a TOML text, approximately: the standard library's parser keeps no positions."""

import re

_HEADER = re.compile(r"^\s*(\[\[?)\s*(.+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""^\s*((?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+))*)\s*=""")
_PART = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*\.?""")


def find_line(text: str, key: tuple[str | int, ...]) -> int | None:
    """Returns the line that comes nearest to the key: its own, else that of the table around it."""
    if not key:
        return None
    best, found = 0, None
    table: tuple[str | int, ...] = ()
    counts: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        here: tuple[str | int, ...]
        if header := _HEADER.match(line):
            here = table = split_key(header[2])
            if header[1] == "[[":
                counts[header[2]] = counts.get(header[2], -1) + 1
                here = table = (*table, counts[header[2]])
        elif entry := _KEY.match(line):
            here = (*table, *split_key(entry[1]))
        else:
            continue
        shared = _count_shared_parts(here, key)
        if shared > best and shared == len(here):
            best, found = shared, number
    return found


def split_key(text: str) -> tuple[str | int, ...]:
    """Returns the parts of a dotted key, without their quotes."""
    return tuple(part[1] or part[2] or part[3] or "" for part in _PART.finditer(text) if part[0].strip())


def _count_shared_parts(first: tuple[str | int, ...], second: tuple[str | int, ...]) -> int:
    return next((n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second)))
