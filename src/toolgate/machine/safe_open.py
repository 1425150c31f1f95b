"""Opening files below a folder without following links on the way. POSIX only."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from .descriptors import CLOEXEC, NOCTTY, NOFOLLOW, NONBLOCK

_FOLDER_FLAGS = os.O_RDONLY | CLOEXEC | NOFOLLOW | getattr(os, "O_DIRECTORY", 0)
_FILE_FLAGS = os.O_RDONLY | CLOEXEC | NONBLOCK | NOFOLLOW | NOCTTY


@contextmanager
def hold_folder(path: str) -> Iterator[int]:
    """Opens the folder at an absolute path as a descriptor. Raises OSError if one of its components is a link."""
    descriptor = open_folder(path)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def open_folder(path: str) -> int:
    descriptor = os.open("/", _FOLDER_FLAGS)
    for name in path.split("/"):
        if name in ("", "."):
            continue
        above = descriptor
        try:
            descriptor = os.open(name, _FOLDER_FLAGS, dir_fd=above)
        finally:
            os.close(above)
    return descriptor


def open_file(name: str, folder: int) -> int:
    """Opens a file in an open folder for reading; a pipe or a device does not make it wait."""
    return os.open(name, _FILE_FLAGS, dir_fd=folder)


def split_path(path: str) -> tuple[str, str]:
    """Returns the folder of a path, and the name in it."""
    folder, _, name = path.rstrip("/").rpartition("/")
    return folder or "/", name
