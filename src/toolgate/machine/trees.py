"""Reads the identity of files and folders: it changes with every change of a file, whatever times are set on it."""

import os
import stat

from toolgate.model.world import UNKNOWN, Entry, NoAnswer


def read_entry(path: str) -> Entry | NoAnswer:
    return _build_entry("", os.lstat(path))


def read_tree(path: str, limit: int) -> tuple[Entry, ...] | NoAnswer:
    """Returns every entry at or below a path (model.world.World.tree)."""
    top = os.lstat(path)
    found = [_build_entry("", top)]
    waiting = [""] if stat.S_ISDIR(top.st_mode) else []
    while waiting:
        folder = waiting.pop()
        with os.scandir(f"{path}/{folder}") as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                if status.st_dev != top.st_dev or len(found) >= limit:
                    return UNKNOWN
                name = f"{folder}/{entry.name}" if folder else entry.name
                found.append(_build_entry(name, status))
                if stat.S_ISDIR(status.st_mode):
                    waiting.append(name)
    named_once = [each for each in found if isinstance(each, Entry)]
    return tuple(sorted(named_once)) if len(named_once) == len(found) else UNKNOWN


def _build_entry(name: str, status: os.stat_result) -> Entry | NoAnswer:
    if stat.S_ISDIR(status.st_mode):
        return Entry(name, (status.st_dev, status.st_ino), status.st_mtime_ns)
    if status.st_nlink != 1:
        return UNKNOWN
    return Entry(name, (status.st_dev, status.st_ino, status.st_ctime_ns), status.st_mtime_ns)
