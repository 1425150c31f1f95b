"""One JSON object on each line, one file for each day, chained by `audit.chain`: `audit/2026-11-20.jsonl`. A day of more than
MAX_SEGMENT_BYTES continues in `2026-11-20_002.jsonl`.

Several processes write at once: each holds the lock of the head file while it appends. A process that does not get the lock in
time appends its record outside the chain, in one write, which the kernel appends as a whole: nothing is lost. Readers skip blank
lines, and a line that a full disk cut short. The first record of a file removes files that are too old.
"""

import json
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from toolgate.audit.chain import (
    EMPTY_HEAD,
    HEAD_BYTES,
    HEAD_FILE,
    RETENTION_KIND,
    Head,
    chain_line,
    decode_head,
    digest_line,
    read_link,
)
from toolgate.audit.segments import list_segments, next_segment
from toolgate.machine import descriptors
from toolgate.machine.current_account import effective_user
from toolgate.model.rule import LOG_LIMITS, LogLimits

if sys.platform != "win32":
    import fcntl

MAX_SEGMENT_BYTES = 32 * 1024 * 1024  # bytes of a file to which another record is added
OPEN_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | descriptors.CLOEXEC | descriptors.NOFOLLOW
_TAIL_BYTES = 64 * 1024  # bytes: more than the longest record
_LOCK_WAITS = (0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128)  # seconds between attempts at the lock


def append_record(folder: str, day: str, line: str, key_file: str = "", limits: LogLimits = LOG_LIMITS) -> str:
    """Adds a record, which is a whole line. Returns what went wrong, in a sentence for the user; empty when nothing did.

    `key_file`: the key that signs the line about removed days, where there is one. `limits`: of all files before the newest."""
    try:
        with lock_head(folder) as head:
            if head is None:
                appended_line = _append_alone(folder, day, line.rstrip("\n").encode())
            else:
                appended_line = _append_chained(folder, day, line.rstrip("\n").encode(), head, key_file, limits)
    except OSError as problem:
        lost = f"{problem.strerror or problem}; decisions go on, unrecorded"
        return f"the audit log {folder}/{day}.jsonl cannot be written: {lost}"
    return "" if appended_line else f"the audit log {folder}/{day}.jsonl took only a part of a record; is the disk full?"


# ---- the head


@contextmanager
def lock_head(folder: str) -> Iterator[int | None]:
    """Yields the descriptor of the head file, locked against every other writer; None where the lock is held for too long."""
    descriptor = _open_head(folder)
    try:
        yield descriptor if _lock_file(descriptor) else None
    finally:
        os.close(descriptor)


def _open_head(folder: str) -> int:
    """The folder's permissions are checked once for each process, and again when the head is missing."""
    file = f"{folder}/{HEAD_FILE}"
    if folder in _CHECKED_FOLDERS:
        try:
            return os.open(file, os.O_RDWR | descriptors.CLOEXEC | descriptors.NOFOLLOW)
        except FileNotFoundError:
            pass
    _ensure_private_folder(folder)
    _CHECKED_FOLDERS.add(folder)
    return os.open(file, os.O_RDWR | os.O_CREAT | descriptors.CLOEXEC | descriptors.NOFOLLOW, 0o600)


_CHECKED_FOLDERS: set[str] = set()


def _lock_file(descriptor: int) -> bool:
    if sys.platform == "win32":
        return True
    for wait in _LOCK_WAITS:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(wait)
            continue
        return True
    return False


def read_head(folder: str, descriptor: int) -> Head:
    """Returns the newest line of the chain, from the head file, or, where that is empty or broken, from the logs themselves."""
    head = decode_head(descriptors.read_at(descriptor, HEAD_BYTES, 0))
    if head is not None:
        return head
    newest = EMPTY_HEAD
    for name in list_segments(folder):
        with open(f"{folder}/{name}", "rb") as file:
            newest = _advance_head(newest, name, file.fileno(), os.fstat(file.fileno()).st_size)
    return newest


def _advance_head(head: Head, segment: str, descriptor: int, size: int) -> Head:
    """Returns the head after the lines beyond it in a file: those of a writer that was killed, or that did not get the lock."""
    tail = descriptors.read_at(descriptor, _TAIL_BYTES, max(0, size - _TAIL_BYTES)).rstrip(b"\n").rpartition(b"\n")[2]
    place = read_link(tail)
    if place is not None and place.number < head.number:
        return head
    if place is None and segment != head.segment:
        return head
    return Head(segment, size, place.number if place is not None else head.number, place.digest if place else digest_line(tail))


# ---- a record


def _append_alone(folder: str, day: str, line: bytes) -> bool:
    """Returns whether the whole line was written, without a place in the chain."""
    newest = max((name for name in list_segments(folder) if name.startswith(day)), default=f"{day}.jsonl")
    file = os.open(f"{folder}/{newest}", OPEN_FLAGS, 0o600)
    try:
        data = _missing_line_end(file, os.lseek(file, 0, os.SEEK_END)) + line + b"\n"
        return os.write(file, data) == len(data)
    finally:
        os.close(file)


def _choose_segment(day: str, head: Head) -> str:
    """Returns the file to which the next record of a day is added."""
    if not head.segment.startswith(day):
        return f"{day}.jsonl"
    return head.segment if head.size < MAX_SEGMENT_BYTES else next_segment(head.segment)


def _append_chained(folder: str, day: str, line: bytes, descriptor: int, key_file: str, limits: LogLimits) -> bool:
    """Returns whether the whole line was written, chained to the one before it. `descriptor`: of the locked head."""
    head, separator = read_head(folder, descriptor), b""
    segment = _choose_segment(day, head)
    file = os.open(f"{folder}/{segment}", OPEN_FLAGS, 0o600)
    try:
        size = os.lseek(file, 0, os.SEEK_END)
        if (segment, size) != (head.segment, head.size) and size:
            head, separator = _advance_head(head, segment, file, size), _missing_line_end(file, size)
        lines = [line]
        if not size and (removed := _remove_old_segments(folder, segment, key_file, limits)):
            lines.insert(0, removed)
        for each in lines:
            linked = chain_line(each, head)
            data = separator + linked + b"\n"
            if os.write(file, data) != len(data):
                os.ftruncate(file, size)
                return False
            size += len(data)
            separator = b""
            head = Head(segment, size, head.number + 1, digest_line(linked))
        descriptors.write_at(descriptor, head.encode(), 0)
    finally:
        os.close(file)
    return True


def _missing_line_end(descriptor: int, size: int) -> bytes:
    """Returns a line end where a killed writer or a full disk has cut the last line short."""
    return b"" if not size or descriptors.read_at(descriptor, 1, size - 1) == b"\n" else b"\n"


def _remove_old_segments(folder: str, newest: str, key_file: str, limits: LogLimits) -> bytes:
    """Removes whole files: those that are too old, then the oldest until the others are not too large. The newest stays. A file
    that cannot be removed is left for the next time. Returns the line that records it, empty where nothing was removed."""
    from datetime import date, timedelta  # only needed once a file

    oldest = (date.fromisoformat(newest[:10]) - timedelta(days=limits.keep_days)).isoformat()
    names = [name for name in list_segments(folder) if name < newest]
    sizes = {name: os.stat(f"{folder}/{name}").st_size for name in names}
    left = sum(sizes.values())
    removed, last = [], EMPTY_HEAD
    for name in names:
        if name[:10] < oldest or left > limits.keep_bytes:
            try:
                with open(f"{folder}/{name}", "rb") as file:
                    last = _advance_head(last, name, file.fileno(), sizes[name])
                os.unlink(f"{folder}/{name}")
            except OSError:
                continue
            left -= sizes[name]
            removed.append(name[:10])
    if not removed:
        return b""
    from toolgate.audit.checkpoints import sign_table

    record = {"kind": RETENTION_KIND, "days": list(dict.fromkeys(removed)), "through": last.number, "digest": last.digest}
    return json.dumps(sign_table(record, key_file), separators=(",", ":")).encode()


def _ensure_private_folder(folder: str) -> None:
    """Creates the folder for this account alone: others could replace a folder that they may write to."""
    os.makedirs(os.path.dirname(folder), 0o700, exist_ok=True)
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        status = os.lstat(folder)
        if not stat.S_ISDIR(status.st_mode):
            raise NotADirectoryError(0, "there is something else in its place") from None
        if sys.platform != "win32" and (status.st_uid != effective_user() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)):
            raise PermissionError(0, "others may write to its folder") from None
