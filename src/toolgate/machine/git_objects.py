"""Commits, read from a repository's loose objects and packs (gitformat-pack(5))."""

import mmap
import os
import re
import struct
import zlib
from typing import NamedTuple

_MAX_COMMIT_BYTES = 1_000_000  # bytes of a commit
_MAX_DELTA_DEPTH = 60  # chained deltas
_CHUNK_BYTES = 4_096
_OFFSET_DELTA, _REFERENCE_DELTA, _COMMIT_TYPE = 6, 7, 1
_COMMITTER_TIME = re.compile(rb"(?m)^committer .* (\d+) [-+]\d{4}$")


class Commit(NamedTuple):
    tree: str
    parents: tuple[str, ...]
    time: int


class ObjectStore:
    """The commits in one folder of objects, and in its alternates."""

    def __init__(self, folder: str) -> None:
        self._folders = [folder, *_read_alternates(folder)]
        self._packs: list[_Pack] | None = None

    def read_commit(self, digest: str) -> Commit | None:
        """Returns a commit; None if there is none, or it cannot be read."""
        for folder in self._folders:
            try:
                with open(f"{folder}/{digest[:2]}/{digest[2:]}", "rb") as opened:
                    data = zlib.decompressobj().decompress(opened.read(_MAX_COMMIT_BYTES), _MAX_COMMIT_BYTES)
            except FileNotFoundError:
                continue
            except (OSError, zlib.error):
                return None
            kind, _, body = data.partition(b"\0")
            return _parse_commit(body) if kind.startswith(b"commit ") else None
        if self._packs is None:
            self._packs = [pack for folder in self._folders for pack in _find_packs(folder)]
        for pack in self._packs:
            try:
                found = pack.read_object(bytes.fromhex(digest), 0)
            except (OSError, ValueError, IndexError, struct.error, zlib.error):
                continue
            if found is not None:
                return _parse_commit(found[1]) if found[0] == _COMMIT_TYPE else None
        return None

    def read_write_time(self, digest: str) -> int:
        """Returns when the file of an object in this repository was written, in nanoseconds; 0 if it is in a pack."""
        try:
            return os.stat(f"{self._folders[0]}/{digest[:2]}/{digest[2:]}").st_ctime_ns
        except FileNotFoundError:
            return 0


def _parse_commit(body: bytes) -> Commit | None:
    head = body.partition(b"\n\n")[0]
    lines = head.split(b"\n")
    time = _COMMITTER_TIME.search(head)
    if not lines[0].startswith(b"tree ") or time is None:
        return None
    parents = tuple(line[7:].decode("ascii", "replace") for line in lines if line.startswith(b"parent "))
    return Commit(lines[0][5:].decode("ascii", "replace"), parents, int(time[1]))


def _read_alternates(folder: str) -> list[str]:
    try:
        with open(f"{folder}/info/alternates", encoding="utf-8", errors="surrogateescape") as opened:
            lines = opened.read(_CHUNK_BYTES).splitlines()
    except OSError:
        return []
    return [os.path.join(folder, line) for line in lines if line and not line.startswith("#")]


def _find_packs(folder: str) -> list["_Pack"]:
    try:
        names = sorted(os.listdir(f"{folder}/pack"))
    except OSError:
        return []
    return [_Pack(f"{folder}/pack/{name[:-4]}") for name in names if name.endswith(".idx")]


class _Pack:
    """A pack with a version 2 index, mapped on first use."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._index: mmap.mmap | None = None
        self._data: mmap.mmap | None = None

    def read_object(self, name: bytes, depth: int) -> tuple[int, bytes] | None:
        """Returns the type and content of an object; None if it is in another pack."""
        if self._index is None:
            self._index = _map_file(f"{self._path}.idx")
        index = self._index
        if index[:8] != b"\xfftOc\0\0\0\2":
            return None
        low = struct.unpack_from(">I", index, 8 + 4 * (name[0] - 1))[0] if name[0] else 0
        high, count = (struct.unpack_from(">I", index, 8 + 4 * n)[0] for n in (name[0], 255))
        while low < high:
            middle = (low + high) // 2
            at = 1_032 + 20 * middle
            if index[at : at + 20] < name:
                low = middle + 1
            else:
                high = middle
        if low >= count or index[1_032 + 20 * low : 1_052 + 20 * low] != name:
            return None
        offset = struct.unpack_from(">I", index, 1_032 + 24 * count + 4 * low)[0]
        if offset & 0x80000000:
            offset = struct.unpack_from(">Q", index, 1_032 + 28 * count + 8 * (offset & 0x7FFFFFFF))[0]
        return self._object_at(offset, depth)

    def _object_at(self, offset: int, depth: int) -> tuple[int, bytes] | None:
        if depth > _MAX_DELTA_DEPTH:
            return None
        if self._data is None:
            self._data = _map_file(f"{self._path}.pack")
        data = self._data
        byte = data[offset]
        kind, at = byte >> 4 & 7, offset + 1
        while byte & 0x80:
            byte = data[at]
            at += 1
        if kind == _OFFSET_DELTA:
            byte, at = data[at], at + 1
            back = byte & 0x7F
            while byte & 0x80:
                byte, at = data[at], at + 1
                back = (back + 1) << 7 | byte & 0x7F
            base = self._object_at(offset - back, depth + 1)
        elif kind == _REFERENCE_DELTA:
            base, at = self.read_object(data[at : at + 20], depth + 1), at + 20
        else:
            return kind, _inflate(data, at)
        return None if base is None else (base[0], _apply_delta(base[1], _inflate(data, at)))


def _map_file(path: str) -> mmap.mmap:
    with open(path, "rb") as opened:
        return mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)


def _inflate(data: mmap.mmap, at: int) -> bytes:
    stream, out = zlib.decompressobj(), b""
    while not stream.eof and len(out) <= _MAX_COMMIT_BYTES:
        piece = data[at : at + _CHUNK_BYTES]
        if not piece:
            break
        out += stream.decompress(piece, _MAX_COMMIT_BYTES)
        at += _CHUNK_BYTES
    return out


def _apply_delta(base: bytes, delta: bytes) -> bytes:
    at, out = 0, b""
    for _ in range(2):  # the sizes of both sides
        while delta[at] & 0x80:
            at += 1
        at += 1
    while at < len(delta) and len(out) <= _MAX_COMMIT_BYTES:
        code = delta[at]
        at += 1
        if not code & 0x80:
            out += delta[at : at + code]
            at += code
            continue
        start = size = 0
        for n in range(7):
            if code & 1 << n:
                if n < 4:
                    start |= delta[at] << 8 * n
                else:
                    size |= delta[at] << 8 * (n - 4)
                at += 1
        out += base[start : start + (size or 0x10000)]
    return out
