"""The store of copies: `<state>/undo`, a folder for each call, 0700.

A copy is written completely or not at all. No copy is deleted to make room before it has expired.
"""

import os
import shutil
import stat
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from toolgate.machine import descriptors
from toolgate.machine.current_account import effective_user
from toolgate.model.rule import UndoLimits

from .copier import PACK_FILE, ChangedFile, Copier, own_file_name, read_manifest
from .entry import Entry, Item, decode_entry, encode_entry
from .survey import Survey

if sys.platform != "win32":
    import fcntl

FINISHED_FILE, _INDEX_FILE = "finished", ".index"
_UNFINISHED_SUFFIX, _MARK_PREFIX = ".new", ".call-"
_LOCK_ATTEMPTS, _LOCK_PAUSE = 100, 0.01
DAY_SECONDS = 86400.0


class NotKept(Exception):
    """No copy was made; the message says why, for people."""


class FullStore(NotKept):
    """The store has reached its limit."""


class Vault:
    """`folder`: the folder of the copies, created with the first one."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def save_copy(self, entry: Entry, survey: Survey, limits: UndoLimits) -> Entry:
        """Copies the surveyed items and returns the entry with them. An existing entry of this id stays.

        Raises NotKept."""
        try:
            with self._lock_store():
                if os.path.isdir(f"{self.folder}/{entry.id}"):
                    return self.load_entry(entry.id)
                self._delete_leftovers()
                index = self._drop_expired(entry.at - limits.keep_days * DAY_SECONDS)
                expected = sum(found.item.size for found in survey.found if not found.item.twin)
                held = sum(size for _, size in index.values())
                if held + min(expected, limits.max_bytes) > limits.total_bytes:
                    raise FullStore(f"the undo store holds {held:,} bytes of {limits.total_bytes:,}")
                kept, size = self._write_copy(entry, survey, limits)
                self._add_to_index(entry.id, entry.at, size)
                return kept
        except (OSError, ValueError) as problem:
            raise NotKept(f"the undo store cannot be written ({problem})") from problem
        except ChangedFile as problem:
            raise NotKept(f"a file changed while it was copied ({problem})") from problem

    def _write_copy(self, entry: Entry, survey: Survey, limits: UndoLimits) -> tuple[Entry, int]:
        unfinished = f"{self.folder}/.{entry.id}{_UNFINISHED_SUFFIX}"
        os.mkdir(unfinished, 0o700)
        try:
            opened = os.open(unfinished, os.O_RDONLY | descriptors.CLOEXEC | os.O_DIRECTORY)
            try:
                with Copier(opened, limits.max_bytes) as copier:
                    kept = replace(entry, items=copier.copy_all(survey.found), left_out=tuple(survey.left_out))
                    copier.finish(encode_entry(kept))
            finally:
                os.close(opened)
            os.rename(unfinished, f"{self.folder}/{entry.id}")
        except (OSError, ChangedFile):
            shutil.rmtree(unfinished, ignore_errors=True)
            raise
        _sync_folder(self.folder)
        return kept, self._measure_copy(entry.id)[1]

    # ---- reading

    def list_ids(self) -> list[str]:
        try:
            return sorted(name for name in os.listdir(self.folder) if _is_id(name))
        except OSError:
            return []

    def load_entry(self, id_: str) -> Entry:
        """Raises OSError where there is none, ValueError where it is damaged."""
        with open(f"{self.folder}/{id_}/{PACK_FILE}", "rb") as file:
            return decode_entry(read_manifest(file.fileno()))

    @contextmanager
    def open_content(self, id_: str, item: Item) -> Iterator[tuple[int, int]]:
        """Yields a descriptor of the file that holds an item's content, and the offset at which that begins."""
        name = own_file_name(item.at) if item.own_file else PACK_FILE
        descriptor = os.open(f"{self.folder}/{id_}/{name}", os.O_RDONLY | descriptors.CLOEXEC)
        try:
            yield descriptor, 0 if item.own_file else item.at
        finally:
            os.close(descriptor)

    def read_finish_time(self, id_: str) -> float | None:
        """Returns when the host reported the end of the call; None where it did not."""
        try:
            return os.stat(f"{self.folder}/{id_}/{FINISHED_FILE}").st_mtime
        except OSError:
            return None

    def finish_copy(self, id_: str) -> None:
        """Records that the call is over: changes from now on are newer work."""
        try:
            os.close(
                os.open(f"{self.folder}/{id_}/{FINISHED_FILE}", os.O_WRONLY | os.O_CREAT | os.O_EXCL | descriptors.CLOEXEC, 0o600)
            )
        except OSError:
            pass  # there is no such copy, or it was recorded before

    def mark_call(self, call_mark: str, id_: str) -> None:
        """Records which copy a call has, until its end. Without the mark every change counts as newer work."""
        try:
            with open(os.open(call_mark, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | descriptors.CLOEXEC, 0o600), "w") as file:
                file.write(id_)
        except OSError:
            pass

    def finish_call(self, call_mark: str) -> None:
        try:
            with open(call_mark, "rb") as file:
                id_ = file.read(64).decode("ascii", "replace")
            os.unlink(call_mark)
        except OSError:
            return
        if _is_id(id_):
            self.finish_copy(id_)

    # ---- making room

    def delete_older(self, before_time: float) -> int:
        """Deletes copies made before a time. Returns how many were deleted. Raises OSError."""
        if not os.path.isdir(self.folder):
            return 0
        with self._lock_store():
            before = len(self.list_ids())
            return before - len(self._drop_expired(before_time))

    def _drop_expired(self, before: float) -> Mapping[str, tuple[float, int]]:
        """Deletes copies made before a time and returns the index of the rest."""
        index = self._read_index()
        left = self._delete_expired(index, before)
        if len(left) < len(index):
            self._write_index(left)
        return left

    def _delete_expired(self, index: Mapping[str, tuple[float, int]], before: float) -> dict[str, tuple[float, int]]:
        left = {id_: (at, size) for id_, (at, size) in index.items() if at >= before}
        for id_ in index.keys() - left.keys():
            gone = f"{self.folder}/.{id_}{_UNFINISHED_SUFFIX}"
            os.rename(f"{self.folder}/{id_}", gone)
            shutil.rmtree(gone, ignore_errors=True)
        return left

    def _delete_leftovers(self) -> None:
        """Deletes what a killed process has left half written, or half deleted."""
        for name in os.listdir(self.folder):
            if name.startswith(".") and name.endswith(_UNFINISHED_SUFFIX):
                shutil.rmtree(f"{self.folder}/{name}", ignore_errors=True)
            elif name.startswith(_MARK_PREFIX) and time.time() - os.lstat(f"{self.folder}/{name}").st_mtime > DAY_SECONDS:
                os.unlink(f"{self.folder}/{name}")

    def _read_index(self) -> dict[str, tuple[float, int]]:
        """Returns the time and size of each copy, measured where the index file lacks it."""
        known: dict[str, tuple[float, int]] = {}
        try:
            with open(f"{self.folder}/{_INDEX_FILE}", "rb") as file:
                lines = file.read().decode("ascii", "replace").splitlines()
        except OSError:
            lines = []  # it is written again
        for line in lines:
            id_, at, size = (*line.split(), "", "", "")[:3]
            if _is_number(at) and size.isdecimal():
                known[id_] = float(at), int(size)
        return {id_: known.get(id_) or self._measure_copy(id_) for id_ in self.list_ids()}

    def _measure_copy(self, id_: str) -> tuple[float, int]:
        folder = f"{self.folder}/{id_}"
        sizes = [os.lstat(f"{folder}/{name}").st_size for name in os.listdir(folder)]
        return os.lstat(folder).st_mtime, sum(sizes)

    def _add_to_index(self, id_: str, at: float, size: int) -> None:
        """Appends a line: rewriting the file takes longer than copying a small file."""
        with open(f"{self.folder}/{_INDEX_FILE}", "ab") as file:
            file.write(f"{id_} {at!r} {size}\n".encode())

    def _write_index(self, index: Mapping[str, tuple[float, int]]) -> None:
        _unlink_if_present(f"{self.folder}/{_INDEX_FILE}")  # without it the copies are measured
        for id_, (at, size) in index.items():
            self._add_to_index(id_, at, size)

    @contextmanager
    def _lock_store(self) -> Iterator[None]:
        """One process at a time. Raises NotKept where another one does not finish."""
        os.makedirs(self.folder, 0o700, exist_ok=True)
        status = os.lstat(self.folder)
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != effective_user():
            raise NotKept("the undo store is no folder of this account's")
        os.chmod(self.folder, 0o700)
        handle = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | descriptors.CLOEXEC)
        try:
            for _ in range(_LOCK_ATTEMPTS):
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    time.sleep(_LOCK_PAUSE)
            else:
                raise NotKept("another call is writing to the undo store")
            yield
        finally:
            os.close(handle)


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal()


def _is_id(name: str) -> bool:
    return name.isalnum()


def _unlink_if_present(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def _sync_folder(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | descriptors.CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError:
        pass  # the file system does not support it; the copy exists anyway
    finally:
        os.close(descriptor)
