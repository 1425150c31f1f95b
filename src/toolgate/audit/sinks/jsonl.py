"""One JSON object a line, a file a day: `audit/2026-11-20.jsonl`.

Several processes write at once. Each record is one write to a file opened for appending, which the kernel puts at the end whole.
Readers skip blank lines, and a line that a full disk cut short.
"""

import os
import stat
import sys

WAYS_IN = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


def append(folder: str, day: str, line: str) -> str:
    """Adds a record, which is a whole line. What went wrong, in a sentence for the user; empty when nothing did."""
    file = f"{folder}/{day}.jsonl"
    try:
        _ensure(folder)
        descriptor = os.open(file, WAYS_IN, 0o600)
        try:
            whole = _after_a_torn_one(descriptor) + line.encode()
            written = os.write(descriptor, whole)
        finally:
            os.close(descriptor)
    except OSError as problem:
        return f"the audit log {file} cannot be written: {problem.strerror or problem}; decisions go on, unrecorded"
    if written != len(whole):
        return f"the audit log {file} took only a part of a record; is the disk full?"
    return ""


def _after_a_torn_one(descriptor: int) -> bytes:
    """A full disk may have cut the last record short: the next one gets a line of its own.

    Another process's record may be seen half written; then a blank line is all that comes of it.
    """
    size = os.fstat(descriptor).st_size
    if not size or os.pread(descriptor, 1, size - 1) == b"\n" or os.fstat(descriptor).st_size != size:
        return b""
    return b"\n"


def _ensure(folder: str) -> None:
    """Ours alone: a folder that others may write to could be swapped for theirs."""
    os.makedirs(os.path.dirname(folder), 0o700, exist_ok=True)
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        status = os.lstat(folder)
        if not stat.S_ISDIR(status.st_mode):
            raise NotADirectoryError(0, "there is something else in its place") from None
        if sys.platform != "win32" and (status.st_uid != os.geteuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)):
            raise PermissionError(0, "others may write to its folder") from None
