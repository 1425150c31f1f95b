"""Flags of `os.open`, and reading at a position, on platforms that lack some of them.

Windows has no pipes, terminals or folders that `os.open` could wait for, take over or open, and no flag against following links.
A file is always opened for its bytes, and never handed to a child process.
"""

import os

CLOEXEC: int = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOINHERIT", 0) | getattr(os, "O_BINARY", 0)
NOFOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
NONBLOCK: int = getattr(os, "O_NONBLOCK", 0)
NOCTTY: int = getattr(os, "O_NOCTTY", 0)


def read_at(descriptor: int, count: int, position: int) -> bytes:
    """Returns at most `count` bytes from a position of an open file. The file's own position may change."""
    if hasattr(os, "pread"):
        return os.pread(descriptor, count, position)
    os.lseek(descriptor, position, os.SEEK_SET)
    return os.read(descriptor, count)


def write_at(descriptor: int, data: bytes, position: int) -> int:
    """Writes at a position of a file that was not opened for appending. Returns the number of bytes written."""
    if hasattr(os, "pwrite"):
        return os.pwrite(descriptor, data, position)
    os.lseek(descriptor, position, os.SEEK_SET)
    return os.write(descriptor, data)
