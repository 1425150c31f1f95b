"""Atomic writes of files, with a lock between writers.

Errors are OSError with the name of the file, or SettingsError if a link leads out of the allowed folder.
"""

import errno
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from toolgate.model.errors import SettingsError

if sys.platform != "win32":
    import fcntl

MAX_FILE_BYTES = 16 * 1024 * 1024
"""Bytes. No settings file is nearly as large."""


def read_file(path: str) -> bytes | None:
    """Returns the whole content of a regular file; None if there is none. Raises OSError, also for other kinds of files and too
    large ones."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "not a regular file", path)
    with os.fdopen(handle, "rb") as file:
        content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise OSError(errno.EFBIG, f"larger than {MAX_FILE_BYTES} bytes", path)
    return content


def resolve_destination(path: str, within: str | None = None) -> str:
    """Returns the file that a write to `path` changes: links are followed, so that a file stored elsewhere remains a link.

    `within`: the folder that it must not leave (a project's files are untrusted). Raises SettingsError for that,
    for a broken link, and for a link that another user could change.
    """
    real = os.path.realpath(path)
    if within is not None and not _is_inside(real, os.path.realpath(within)):
        raise SettingsError(path, f"it leads out of {within}, to {real}", "replace the link by a file of its own")
    if os.path.islink(path):
        if not os.path.exists(path):
            raise SettingsError(path, f"it is a link to {real}, where nothing is", "remove the link or create its target")
        _refuse_foreign_link(path, real)
    return real


def _is_inside(path: str, folder: str) -> bool:
    return os.path.commonpath((path, folder)) == folder


def _refuse_foreign_link(path: str, real: str) -> None:
    if not hasattr(os, "geteuid"):
        return
    for name, owner in ((path, os.lstat(path).st_uid), (real, os.stat(real).st_uid)):
        if owner not in (os.geteuid(), 0):
            raise SettingsError(
                path, f"it is a link, and {name} belongs to another user", "replace the link by a file of your own"
            )


def write_file(path: str, content: bytes, mode: int = 0o644) -> None:
    """Writes the content atomically: beside the file, synced to the disk, then renamed. An existing file keeps its mode
    and, if permitted, its owner; `mode` (less the umask) is for a new one. Links are replaced: see `destination`."""
    folder = os.path.dirname(path) or "."
    os.makedirs(folder, exist_ok=True)
    try:
        before = os.stat(path)
    except FileNotFoundError:
        before = None
    handle, temporary = tempfile.mkstemp(prefix=f".{os.path.basename(path)}.", suffix=".new", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            _set_mode_and_owner(temporary, before, mode)
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        _remove_if_present(temporary)
        raise OSError(error.errno, error.strerror, path) from error
    except BaseException:
        _remove_if_present(temporary)
        raise
    _sync_folder(folder)


def remove_file(path: str) -> None:
    os.unlink(path)
    _sync_folder(os.path.dirname(path) or ".")


@contextmanager
def lock_folder(folder: str) -> Iterator[None]:
    """Holds a lock on this folder, which is created if necessary. The folder itself is locked, so that nothing is
    left behind. Without platform support there is no lock: the last writer wins, with a whole file."""
    os.makedirs(folder, exist_ok=True)
    if sys.platform == "win32":
        yield
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _set_mode_and_owner(temporary: str, before: os.stat_result | None, mode: int) -> None:
    if before is None:
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, mode & ~umask)
        return
    if hasattr(os, "chown") and (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
        try:
            os.chown(temporary, before.st_uid, before.st_gid)
        except PermissionError:
            pass  # only root may change the owner; the content matters more
    os.chmod(temporary, stat.S_IMODE(before.st_mode))


def _sync_folder(folder: str) -> None:
    """Sync the new name to the disk. Some file systems cannot, which is no reason to fail."""
    if sys.platform == "win32":
        return
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)


def _remove_if_present(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass
