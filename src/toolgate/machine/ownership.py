"""Who could change a file: whoever may write a folder above it could replace the file, whatever its own mode."""

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import PurePath

from . import descriptors
from .current_account import effective_user

_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


def find_weak_path(path: str) -> str:
    """Returns the first of the path, the folders above it and the targets of links that an account other than root could change.
    Empty if there is none. A missing path is weak: somebody could create it."""
    for each in _iter_parents(path):
        try:
            status = os.lstat(each)
        except OSError:
            return each
        if stat.S_ISLNK(status.st_mode):
            if status.st_uid != 0:
                return each
            continue
        kept = stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX  # sticky: only owners delete
        groups_own = status.st_mode & stat.S_IWGRP and not status.st_mode & stat.S_IWOTH and status.st_gid == 0
        if status.st_uid != 0 or (status.st_mode & _OTHERS_MAY_WRITE and not kept and not groups_own):
            return each
    return ""


def find_weak_path_below(folder: str) -> str:
    """The same for a folder and everything in it."""
    if found := find_weak_path(folder):
        return found
    for top, folders, names in os.walk(folder):
        for name in (*folders, *names):
            status = os.lstat(f"{top}/{name}")
            if status.st_uid != 0 or (status.st_mode & stat.S_IWOTH and not stat.S_ISLNK(status.st_mode)):
                return f"{top}/{name}"
    return ""


def find_changeable_path(path: str) -> str:
    """Returns the part of the path that this account could change, by trying it; empty if none."""
    for each in _iter_parents(path):
        if os.path.isdir(each):
            if os.access(each, os.W_OK, effective_ids=os.access in os.supports_effective_ids) and not _sticky_of_others(each):
                return each
        elif os.path.exists(each):
            try:
                os.close(os.open(each, os.O_WRONLY | os.O_APPEND | descriptors.NONBLOCK | descriptors.CLOEXEC))
            except OSError:
                continue
            return each
    return ""


def _iter_parents(path: str) -> Iterator[str]:
    """Yields the path and every folder above it, as written and as resolved."""
    ways = (os.path.abspath(path), os.path.realpath(path))
    return iter(dict.fromkeys(each for way in ways for each in (way, *map(str, PurePath(way).parents))))


def _sticky_of_others(folder: str) -> bool:
    status = os.stat(folder)
    return bool(status.st_mode & stat.S_ISVTX) and sys.platform != "win32" and status.st_uid != effective_user()
