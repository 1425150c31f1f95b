"""Who could change a file. Its own mode is the least of it: whoever may write a folder above it may put another in its place."""

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import PurePath

_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def weak_link(path: str) -> str:
    """The first of the path and the folders above it, links and what they lead to, that another account than root's could change.
    Empty where there is none. What is not there is weak: anybody who may make it could."""
    for each in _chain(path):
        try:
            status = os.lstat(each)
        except OSError:
            return each
        if stat.S_ISLNK(status.st_mode):
            if status.st_uid != 0:
                return each
            continue
        kept = stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX  # nobody takes away what is another's there
        groups_own = status.st_mode & stat.S_IWGRP and not status.st_mode & stat.S_IWOTH and status.st_gid == 0
        if status.st_uid != 0 or (status.st_mode & _OTHERS and not kept and not groups_own):
            return each
    return ""


def weak_link_below(folder: str) -> str:
    """The same for a folder and everything in it."""
    if found := weak_link(folder):
        return found
    for top, folders, names in os.walk(folder):
        for name in (*folders, *names):
            status = os.lstat(f"{top}/{name}")
            if status.st_uid != 0 or (status.st_mode & stat.S_IWOTH and not stat.S_ISLNK(status.st_mode)):
                return f"{top}/{name}"
    return ""


def changeable(path: str) -> str:
    """What of the path this very account could change, tried and not told by modes; empty where nothing."""
    for each in _chain(path):
        if os.path.isdir(each):
            if os.access(each, os.W_OK, effective_ids=os.access in os.supports_effective_ids) and not _sticky_of_others(each):
                return each
        elif os.path.exists(each):
            try:
                os.close(os.open(each, os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK | os.O_CLOEXEC))
            except OSError:
                continue
            return each
    return ""


def _chain(path: str) -> Iterator[str]:
    """The path and every folder above it, as it is written and as its links lead."""
    ways = (os.path.abspath(path), os.path.realpath(path))
    return iter(dict.fromkeys(each for way in ways for each in (way, *map(str, PurePath(way).parents))))


def _sticky_of_others(folder: str) -> bool:
    status = os.stat(folder)
    return bool(status.st_mode & stat.S_ISVTX) and sys.platform != "win32" and status.st_uid != os.geteuid()
