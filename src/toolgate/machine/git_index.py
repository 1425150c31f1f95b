"""git's index, as far as it tells whether a file is as it was committed (gitformat-index(5), versions 2 and 3)."""

import hashlib
import os
import struct

_LARGEST = 4_000_000  # bytes: some 40,000 files
_STATUS = struct.Struct(">10I20sH")
_EXTENDED, _STAGE, _ASSUMED = 0x4000, 0x3000, 0x8000
_EXTENSION = struct.Struct(">4sI")


def is_as_staged(top: str, path: str) -> bool | None:
    """Is the file what the index holds of it, and the index itself a tree that git has written, so that no copy is the only one?

    None where that cannot be told: another format, a file too new to be told by its time, marks that tell git to look away.
    Raises OSError where there is no such file or index.
    """
    file = f"{top.rstrip('/')}/.git/index"
    written = os.stat(file)
    if written.st_size > _LARGEST:
        return None
    with open(file, "rb") as opened:
        data = opened.read(_LARGEST + 1)
    body = data[:-20]
    if data[:4] != b"DIRC" or hashlib.sha1(body, usedforsecurity=False).digest() != data[-20:]:
        return None
    version, count = struct.unpack(">II", data[4:12])
    if version not in (2, 3):
        return None
    entry, end = _entry(body, count, os.fsencode(path[len(top.rstrip("/")) + 1 :]))
    if entry is None or not _is_a_tree(body, end):
        return None if entry is None else False
    now = os.lstat(path)
    times = (*divmod(now.st_ctime_ns, 10**9), *divmod(now.st_mtime_ns, 10**9))
    if entry[:4] != times or entry[5] != now.st_ino & 0xFFFFFFFF or entry[9] != now.st_size & 0xFFFFFFFF:
        return False
    return True if now.st_mtime_ns < written.st_mtime_ns else None


def _entry(body: bytes, count: int, name: bytes) -> tuple[tuple[int, ...] | None, int]:
    """What is recorded of a file, where git trusts it, and where the entries end."""
    found, at = None, 12
    for _ in range(count):
        *status, _digest, flags = _STATUS.unpack_from(body, at)
        start = at + _STATUS.size + (2 if flags & _EXTENDED else 0)
        end = body.index(b"\0", start)
        if body[start:end] == name and not flags & (_EXTENDED | _STAGE | _ASSUMED):
            found = tuple(status)
        at += (end - at + 8) // 8 * 8
    return found, at


def _is_a_tree(body: bytes, at: int) -> bool:
    """The index remembers the tree it was made from or into, and forgets it when something else is staged."""
    known = False
    while at + _EXTENSION.size <= len(body):
        signature, size = _EXTENSION.unpack_from(body, at)
        at += _EXTENSION.size
        if signature == b"link":
            return False  # a part of it stands elsewhere
        if signature == b"TREE":
            known = body[at : at + 1] == b"\0" and body[at + 1 : at + 2].isdigit()
        at += size
    return known
