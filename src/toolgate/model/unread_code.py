"""Finds text that would run and was not read, which is reported as Opaque."""

import re
from collections.abc import Iterator

from .effect import Opaque, Origin
from .word import Hole, Word

_AT_COMMAND_START = re.compile(r"(?:\A|[\n;&|(){}`])[ \t]*\Z")


def opaque_for_unread(name: str, cause: str, origin: Origin) -> Opaque:
    """Returns the effect for text of this name that would run and was not read."""
    return Opaque(f"{name} would run, but was not read: {cause}", origin, is_unread=True)


def find_unread_code(code: Word, origin: Origin) -> Iterator[Opaque]:
    """Yields the unread parts of some code. A part after the name of a command (`kill $(cat pid)`) is an argument."""
    before = ""
    for part in code.parts:
        if not isinstance(part, Hole):
            before = part
            continue
        if part.unread is not None and _AT_COMMAND_START.search(before):
            yield opaque_for_unread(part.why, part.unread.cause, origin)
        before = "$" if part.unread is None else ""
