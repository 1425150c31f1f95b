"""git's index: which files git tracks, without running git (gitformat-index(5), versions 2 and 3)."""

import hashlib
import os
import stat
import struct

from toolgate.model.word import Maybe

from . import descriptors
from .git_repository import Repository

_MAX_INDEX_BYTES = 16_000_000  # bytes: some 150,000 files
_MAX_HASHED_BYTES = 4_000_000
"""Bytes of files whose content is compared in one call, if their times are inconclusive."""
_ENTRY_STRUCT = struct.Struct(">10I20sH")
_EXTENDED_FLAG, _STAGE_MASK, _ASSUME_VALID, _NAME_LENGTH_MASK, _SKIP_WORKTREE = 0x4000, 0x3000, 0x8000, 0xFFF, 0x4000
_EXTENSION_STRUCT = struct.Struct(">4sI")


class Index:
    """The entries of one index, by name; `trees` has the folders whose entries are a tree that git has written."""

    def __init__(self, body: bytes, index_time: int, top: str) -> None:
        self._body, self._written, self._top = body, index_time, top
        self._entries: dict[bytes, int] = {}
        self._names: list[bytes] | None = None
        self._hashed = 0
        end = self._read_entries()
        self.trees = _read_tree_extension(body, end)

    def _read_entries(self) -> int:
        body, at = self._body, 12
        for _ in range(struct.unpack_from(">I", body, 8)[0]):
            flags = body[at + 60] << 8 | body[at + 61]
            start = at + (64 if flags & _EXTENDED_FLAG else 62)
            end = (
                start + (flags & _NAME_LENGTH_MASK)
                if flags & _NAME_LENGTH_MASK != _NAME_LENGTH_MASK
                else body.index(b"\0", start)
            )
            self._entries[body[start:end]] = -1 if flags & _STAGE_MASK else at  # a conflict has several contents
            at += (end - at + 8) // 8 * 8
        return at

    def __contains__(self, name: str) -> bool:
        return os.fsencode(name) in self._entries

    def names_below(self, folder: str) -> list[str]:
        """Returns the names of all entries below a folder; the empty name is the top."""
        from bisect import bisect_left

        if self._names is None:
            self._names = sorted(self._entries)
        prefix = os.fsencode(f"{folder}/") if folder else b""
        start = bisect_left(self._names, prefix)
        end = bisect_left(self._names, prefix[:-1] + b"0") if prefix else len(self._names)  # "0" comes after "/"
        return [os.fsdecode(name) for name in self._names[start:end]]

    def is_in_written_tree(self, name: str) -> bool:
        """Returns whether git has written the tree of this entry's folder, as a commit does."""
        return bool(self.trees.get(os.fsencode(name.rpartition("/")[0])))

    def has_staged_content(self, name: str) -> Maybe:
        """Returns whether the file has the content in the index; None if unknown.

        Raises OSError if there is no such file.
        """
        at = self._entries.get(os.fsencode(name), -1)
        if at < 0:
            return None
        *status, digest, flags = _ENTRY_STRUCT.unpack_from(self._body, at)
        if flags & _ASSUME_VALID or (flags & _EXTENDED_FLAG and self._body[at + 62] << 8 & _SKIP_WORKTREE):
            return None
        path = f"{self._top}/{name}"
        now = os.lstat(path)
        times = (*divmod(now.st_ctime_ns, 10**9), *divmod(now.st_mtime_ns, 10**9))
        size = now.st_size & 0xFFFFFFFF
        same = tuple(status[:4]) == times and status[5] == now.st_ino & 0xFFFFFFFF and status[9] == size
        if same and now.st_mtime_ns < self._written:
            return True
        if status[9] not in (size, 0):  # git sets a size to 0 if it does not trust it
            return False
        return self._has_digest(path, now, digest)

    def _has_digest(self, path: str, now: os.stat_result, digest: bytes) -> Maybe:
        """Returns whether the content has the digest in the index. Content changed by filters or line endings does not."""
        self._hashed += now.st_size
        if self._hashed > _MAX_HASHED_BYTES or not (stat.S_ISREG(now.st_mode) or stat.S_ISLNK(now.st_mode)):
            return None
        if stat.S_ISLNK(now.st_mode):
            content = os.fsencode(os.readlink(path))
        else:
            with open(os.open(path, os.O_RDONLY | descriptors.NONBLOCK | descriptors.CLOEXEC), "rb") as opened:
                content = opened.read(now.st_size + 1)
        return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).digest() == digest


def read_index(repository: Repository) -> Index | None:
    """Returns the index of a work tree; None if it has another format, is too large or broken.

    Raises OSError if there is none.
    """
    file = f"{repository.own}/index"
    written = os.stat(file)
    if written.st_size > _MAX_INDEX_BYTES:
        return None
    with open(file, "rb") as opened:
        data = opened.read(_MAX_INDEX_BYTES + 1)
    body = data[:-20]
    if data[:4] != b"DIRC" or hashlib.sha1(body, usedforsecurity=False).digest() != data[-20:]:
        return None
    if struct.unpack_from(">I", data, 4)[0] not in (2, 3):
        return None
    try:
        return Index(body, written.st_mtime_ns, repository.top.rstrip("/"))
    except (struct.error, ValueError, IndexError):
        return None


def _read_tree_extension(body: bytes, at: int) -> dict[bytes, str]:
    """Returns the digests of the folders' trees cached in the index; git drops one when something in it is staged."""
    found: dict[bytes, str] = {}
    while at + _EXTENSION_STRUCT.size <= len(body):
        signature, size = _EXTENSION_STRUCT.unpack_from(body, at)
        at += _EXTENSION_STRUCT.size
        if signature == b"link":
            return {}  # a part of the index is in another file
        if signature == b"TREE":
            _read_trees(body[at : at + size], found)
        at += size
    return found


def _read_trees(data: bytes, found: dict[bytes, str]) -> None:
    """Read, for each folder, depth first: its name, the number of its entries (-1: dropped) and subfolders, and its digest."""
    at, above = 0, [(b"", 1)]
    while at < len(data) and above:
        folder, left = above.pop()
        end = data.index(b"\0", at)
        line = data.index(b"\n", end)
        entries, subfolders = data[end + 1 : line].split(b" ")
        name = data[at:end]
        path = folder + b"/" + name if folder else name
        at = line + 1
        if int(entries) >= 0:
            found[path] = data[at : at + 20].hex()
            at += 20
        if left > 1:
            above.append((folder, left - 1))
        if int(subfolders):
            above.append((path, int(subfolders)))
