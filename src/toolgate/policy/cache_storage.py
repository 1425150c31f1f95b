"""Stores small files by name, which may be lost: in the user's cache folder, or in another storage."""

import os
import stat
from dataclasses import dataclass
from typing import Protocol

from toolgate.machine import descriptors

from .discovery import is_trusted_owner


class CacheStorage(Protocol):
    """A name is a kind and a file: `policy/3f2a.json`."""

    def read(self, name: str) -> bytes | None: ...

    def write(self, name: str, data: bytes) -> None:
        """Writes all or nothing; a failed write leaves no file."""

    def prune(self, before: float) -> None:
        """Deletes files of unused kinds that were written before a time, in seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class FolderStorage:
    """Files are used only where nobody but the user and root could have written them."""

    folder: str

    def read(self, name: str) -> bytes | None:
        path = f"{self.folder}/{name}"
        try:
            descriptor = os.open(path, os.O_RDONLY | descriptors.CLOEXEC | descriptors.NOFOLLOW | descriptors.NONBLOCK)
        except OSError:
            return None
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or not is_trusted_owner(status) or not is_trusted_owner(os.stat(self.folder)):
                return None
            return b"".join(iter(lambda: os.read(descriptor, 1 << 20), b""))
        except OSError:
            return None
        finally:
            os.close(descriptor)

    def write(self, name: str, data: bytes) -> None:
        import threading  # slow to import, and rarely needed

        path = f"{self.folder}/{name}"
        draft = f"{path}.{os.getpid()}.{threading.get_native_id()}"
        try:
            os.makedirs(self.folder, 0o700, exist_ok=True)
            os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | descriptors.CLOEXEC | descriptors.NOFOLLOW, 0o600)
            try:
                is_complete = os.write(descriptor, data) == len(data)
            finally:
                os.close(descriptor)
            if is_complete:
                os.replace(draft, path)
            else:
                os.unlink(draft)
        except OSError:
            return

    def prune(self, before: float) -> None:
        for kind in ("policy", "sessions"):
            try:
                with os.scandir(f"{self.folder}/{kind}") as entries:
                    for entry in entries:
                        if entry.stat(follow_symlinks=False).st_mtime < before:
                            os.unlink(entry.path)
            except OSError:
                continue
