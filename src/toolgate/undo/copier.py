"""Copies the contents of files: cloned where the file system supports it, else copied with their holes."""

import os
import stat
import struct
import sys

from toolgate.machine import descriptors
from toolgate.machine.safe_open import open_file, open_folder, split_path

from .entry import Item
from .survey import SurveyedItem

if sys.platform != "win32":
    import fcntl

PACK_FILE = "pack"
OWN_FILE_BYTES = 262_144
"""Files of at least this size are copied into a file of their own."""
_FICLONE = 0x40049409
_CHUNK = 1 << 20
_LENGTH = struct.Struct(">Q")


class ChangedFile(Exception):
    """A file has changed since it was surveyed."""


class Copier:
    """Copies into an empty folder, given as an open descriptor. `left`: bytes that may still be written."""

    def __init__(self, folder: int, left: float) -> None:
        self._folder, self._left = folder, left
        self._pack = os.fdopen(os.open(PACK_FILE, _CREATE_FLAGS, 0o600, dir_fd=folder), "wb", buffering=_CHUNK)
        self._own_files = self._offset = 0
        self._source: tuple[str, int] | None = None
        self._copies: dict[str, Item] = {}

    def __enter__(self) -> "Copier":
        return self

    def __exit__(self, *_: object) -> None:
        self._pack.close()
        if self._source is not None:
            os.close(self._source[1])

    def copy_all(self, items: list[SurveyedItem]) -> tuple[Item, ...]:
        """Returns the items, each with the place of its content. Raises OSError, or ChangedFile where a file was replaced."""
        return tuple(self._copy_item(each) if each.item.kind == "file" else each.item for each in items)

    def finish(self, manifest: bytes) -> None:
        """Appends the manifest to the pack, and syncs it to the disk."""
        self._pack.write(manifest)
        self._pack.write(_LENGTH.pack(len(manifest)))
        self._pack.flush()
        os.fsync(self._pack.fileno())

    def _copy_item(self, found: SurveyedItem) -> Item:
        item = found.item
        if item.twin:
            before = self._copies[item.twin]
            return item._replace(at=before.at, own_file=before.own_file, size=before.size)
        folder, name = split_path(item.path)
        source = open_file(name, self._open_source_folder(folder))
        try:
            status = os.fstat(source)
            if not stat.S_ISREG(status.st_mode) or (status.st_dev, status.st_ino) != found.identity:
                raise ChangedFile(item.path)
            attributes = _read_attributes(source)
            if status.st_size >= OWN_FILE_BYTES:
                at, size, own = self._own_files, self._copy_to_own_file(source, status), True
                self._own_files += 1
            else:
                at, size, own = self._offset, self._append_to_pack(source), False
                self._offset += size
        finally:
            os.close(source)
        copied = self._copies[item.path] = item._replace(at=at, size=size, own_file=own, attributes=attributes)
        return copied

    def _open_source_folder(self, folder: str) -> int:
        if self._source is None or self._source[0] != folder:
            if self._source is not None:
                os.close(self._source[1])
                self._source = None
            self._source = folder, open_folder(folder)
        return self._source[1]

    def _append_to_pack(self, source: int) -> int:
        size = 0
        while data := os.read(source, _CHUNK):
            self._spend_bytes(len(data))
            self._pack.write(data)
            size += len(data)
        return size

    def _copy_to_own_file(self, source: int, status: os.stat_result) -> int:
        target = os.open(own_file_name(self._own_files), _CREATE_FLAGS, 0o600, dir_fd=self._folder)
        try:
            if not _clone_file(source, target):
                self._copy_sparse(source, target, status.st_size)
                os.fsync(target)
            return os.fstat(target).st_size
        finally:
            os.close(target)

    def _copy_sparse(self, source: int, target: int, size: int) -> None:
        for start, end in list_extents(source, size):
            os.lseek(source, start, os.SEEK_SET)
            os.lseek(target, start, os.SEEK_SET)
            position = start
            while position < end and (data := os.read(source, min(_CHUNK, end - position))):
                self._spend_bytes(len(data))
                write_all(target, data)
                position += len(data)
        os.ftruncate(target, size)

    def _spend_bytes(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise ChangedFile("a file grew while it was copied")


_CREATE_FLAGS = os.O_RDWR | os.O_CREAT | os.O_EXCL | descriptors.CLOEXEC | descriptors.NOFOLLOW


def read_manifest(pack: int) -> bytes:
    """Returns the manifest at the end of an open pack. Raises ValueError where there is none."""
    size = os.fstat(pack).st_size
    if size < _LENGTH.size:
        raise ValueError("the copy is damaged: its end is missing")
    (length,) = _LENGTH.unpack(descriptors.read_at(pack, _LENGTH.size, size - _LENGTH.size))
    if length > size - _LENGTH.size:
        raise ValueError("the copy is damaged: its end is missing")
    return descriptors.read_at(pack, length, size - _LENGTH.size - length)


def own_file_name(number: int) -> str:
    return f"f{number}"


def write_all(target: int, data: bytes | memoryview) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(target, view) :]


def list_extents(source: int, size: int) -> list[tuple[int, int]]:
    """Returns the parts of an open file that are not holes; the whole file where the file system does not report them."""
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


def _clone_file(source: int, target: int) -> bool:
    """Clones the source, copy on write, and returns whether that succeeded."""
    if sys.platform != "linux":
        return False
    try:
        fcntl.ioctl(target, _FICLONE, source)
    except OSError:
        return False
    return True


def _read_attributes(source: int) -> tuple[tuple[str, str], ...]:
    """Returns the extended attributes of users; the system's own belong to the file system."""
    if sys.platform != "linux":
        return ()
    try:
        names = [name for name in os.listxattr(source) if name.startswith("user.")]
        return tuple((name, os.getxattr(source, name).hex()) for name in names)
    except OSError:
        return ()
