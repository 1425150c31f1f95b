"""Copying the content of files: cloned where the file system can, else copied with its holes."""

import os
import stat
import struct
import sys

from toolgate.machine.beneath import open_file, open_folder, split_path

from .entry import Item
from .survey import Found

if sys.platform != "win32":
    import fcntl

PACK = "pack"
OWN_FILE = 262_144
"""Bytes from which a file is copied into one of its own."""
_FICLONE = 0x40049409
_CHUNK = 1 << 20
_LENGTH = struct.Struct(">Q")


class Changed(Exception):
    """A file is not what it was a moment ago."""


class Copier:
    """Copies into an empty folder, which an open descriptor names. `left`: bytes that may still be written."""

    def __init__(self, folder: int, left: float) -> None:
        self._folder, self._left = folder, left
        self._pack = os.fdopen(os.open(PACK, _NEW, 0o600, dir_fd=folder), "wb", buffering=_CHUNK)
        self._own_files = self._offset = 0
        self._source: tuple[str, int] | None = None
        self._copies: dict[str, Item] = {}

    def __enter__(self) -> "Copier":
        return self

    def __exit__(self, *_: object) -> None:
        self._pack.close()
        if self._source is not None:
            os.close(self._source[1])

    def copy_all(self, found: list[Found]) -> tuple[Item, ...]:
        """The items, each with where its content stands now. Raises OSError, or Changed where a file was replaced."""
        return tuple(self._copy(each) if each.item.kind == "file" else each.item for each in found)

    def finish(self, manifest: bytes) -> None:
        """Write what the pack holds at its end, and see all of it to the disk."""
        self._pack.write(manifest)
        self._pack.write(_LENGTH.pack(len(manifest)))
        self._pack.flush()
        os.fsync(self._pack.fileno())

    def _copy(self, found: Found) -> Item:
        item = found.item
        if item.twin:
            before = self._copies[item.twin]
            return item._replace(at=before.at, own_file=before.own_file, size=before.size)
        folder, name = split_path(item.path)
        source = open_file(name, self._opened(folder))
        try:
            status = os.fstat(source)
            if not stat.S_ISREG(status.st_mode) or (status.st_dev, status.st_ino) != found.identity:
                raise Changed(item.path)
            attributes = _attributes(source)
            if status.st_size >= OWN_FILE:
                at, size, own = self._own_files, self._copy_own(source, status), True
                self._own_files += 1
            else:
                at, size, own = self._offset, self._append(source), False
                self._offset += size
        finally:
            os.close(source)
        copied = self._copies[item.path] = item._replace(at=at, size=size, own_file=own, attributes=attributes)
        return copied

    def _opened(self, folder: str) -> int:
        if self._source is None or self._source[0] != folder:
            if self._source is not None:
                os.close(self._source[1])
                self._source = None
            self._source = folder, open_folder(folder)
        return self._source[1]

    def _append(self, source: int) -> int:
        size = 0
        while data := os.read(source, _CHUNK):
            self._count(len(data))
            self._pack.write(data)
            size += len(data)
        return size

    def _copy_own(self, source: int, status: os.stat_result) -> int:
        target = os.open(own_name(self._own_files), _NEW, 0o600, dir_fd=self._folder)
        try:
            if not _cloned(source, target):
                self._copy_sparse(source, target, status.st_size)
                os.fsync(target)
            return os.fstat(target).st_size
        finally:
            os.close(target)

    def _copy_sparse(self, source: int, target: int, size: int) -> None:
        for start, end in extents(source, size):
            os.lseek(source, start, os.SEEK_SET)
            os.lseek(target, start, os.SEEK_SET)
            position = start
            while position < end and (data := os.read(source, min(_CHUNK, end - position))):
                self._count(len(data))
                write_all(target, data)
                position += len(data)
        os.ftruncate(target, size)

    def _count(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise Changed("a file grew while it was copied")


_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)


def read_manifest(pack: int) -> bytes:
    """What the end of an open pack says that it holds. Raises ValueError where there is no such end."""
    size = os.fstat(pack).st_size
    if size < _LENGTH.size:
        raise ValueError("the copy is damaged: its end is missing")
    (length,) = _LENGTH.unpack(os.pread(pack, _LENGTH.size, size - _LENGTH.size))
    if length > size - _LENGTH.size:
        raise ValueError("the copy is damaged: its end is missing")
    return os.pread(pack, length, size - _LENGTH.size - length)


def own_name(number: int) -> str:
    return f"f{number}"


def write_all(target: int, data: bytes | memoryview) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(target, view) :]


def extents(source: int, size: int) -> list[tuple[int, int]]:
    """The parts of an open file that are no holes; the whole file where the file system does not tell."""
    found: list[tuple[int, int]] = []
    position = 0
    try:
        while position < size:
            start = os.lseek(source, position, os.SEEK_DATA)
            position = os.lseek(source, start, os.SEEK_HOLE)
            found.append((start, position))
    except OSError as problem:
        return found if problem.errno == _NO_MORE_DATA else [(0, size)]
    except AttributeError:  # a platform without SEEK_DATA
        return [(0, size)]
    return found


_NO_MORE_DATA = 6  # ENXIO


def _cloned(source: int, target: int) -> bool:
    """Whether the target is now a clone of the source. Both stay whole whatever becomes of the other."""
    if sys.platform != "linux":
        return False
    try:
        fcntl.ioctl(target, _FICLONE, source)
    except OSError:
        return False
    return True


def _attributes(source: int) -> tuple[tuple[str, str], ...]:
    """The extended attributes that users give; those of the system's come with the file system."""
    if sys.platform != "linux":
        return ()
    try:
        names = [name for name in os.listxattr(source) if name.startswith("user.")]
        return tuple((name, os.getxattr(source, name).hex()) for name in names)
    except OSError:
        return ()
