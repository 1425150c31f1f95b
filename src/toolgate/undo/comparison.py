"""Compares a copy with the present state: what restoring would change, and which of that is newer work."""

import os
import stat
from collections.abc import Iterator
from typing import Literal, NamedTuple

from toolgate.machine import descriptors
from toolgate.machine.git_state import GitReader
from toolgate.machine.safe_open import hold_folder, open_file, split_path

from .entry import Entry, Item
from .survey import ExplainProtection
from .vault import Vault

Act = Literal["create", "replace", "remove", "modes"]
_CHUNK = 1 << 20


class Change(NamedTuple):
    """One action of restoring. `newer`: the present state was changed after the call, or at an unknown time. `refused`: why it is
    not done."""

    act: Act
    item: Item
    newer: bool = False
    refused: str = ""


def compare(entry: Entry, vault: Vault, protects: ExplainProtection) -> tuple[Change, ...]:
    """Returns the changes that restore the former state, folders before their contents. Raises OSError."""
    since = vault.read_finish_time(entry.id)
    changes = [change for item in entry.items if (change := _compare_item(item, entry, vault, since)) is not None]
    changes = [change._replace(newer=change.newer and not _is_index(change.item.path, entry)) for change in changes]
    changes += (*_iter_extra_files(entry, since), *_iter_checked_out_files(entry, since))
    at_work = any(_is_index(item.path, entry) and os.path.lexists(f"{item.path}.lock") for item in entry.items)
    return tuple(change._replace(refused=GIT_RUNNING) if at_work else _refuse_protected(change, protects) for change in changes)


GIT_RUNNING = "git is at work in this repository"


def _is_index(path: str, entry: Entry) -> bool:
    """Returns whether the path is git's index: `git status` rewrites it, and staged contents stay in the object store."""
    folder, name = split_path(path)
    return name == "index" and any(item.path == f"{folder}/HEAD" for item in entry.items)


def _refuse_protected(change: Change, protects: ExplainProtection) -> Change:
    why = protects(change.item.path)
    return change._replace(refused=why) if why else change


def _compare_item(item: Item, entry: Entry, vault: Vault, since: float | None) -> Change | None:
    folder, name = split_path(item.path)
    try:
        with hold_folder(folder) as opened:
            status = os.stat(name, dir_fd=opened, follow_symlinks=False)
            newer = _is_newer(status, since)
            if item.kind == "absent":
                return Change("remove", item, newer or _has_newer_contents(item.path, status, since))
            if _file_kind(status) != item.kind:
                return Change("replace", item, newer or _has_newer_contents(item.path, status, since))
            if item.kind == "folder":
                return Change("modes", item) if stat.S_IMODE(status.st_mode) & 0o7777 != item.mode else None
            if item.kind == "link":
                return None if os.readlink(name, dir_fd=opened) == item.target else Change("replace", item, newer)
            if not _has_content(item, entry, vault, opened, name, status):
                return Change("replace", item, newer)
            same = stat.S_IMODE(status.st_mode) == item.mode and status.st_mtime_ns == item.modified
            return None if same else Change("modes", item)
    except (FileNotFoundError, NotADirectoryError):
        return None if item.kind == "absent" else Change("create", item)


def _has_content(item: Item, entry: Entry, vault: Vault, folder: int, name: str, status: os.stat_result) -> bool:
    if status.st_size != item.size:
        return False
    now = open_file(name, folder)
    try:
        with vault.open_content(entry.id, item) as (kept, offset):
            position = 0
            while position < item.size:
                length = min(_CHUNK, item.size - position)
                one, other = os.read(now, length), descriptors.read_at(kept, length, offset + position)
                if not one or one != other[: len(one)]:
                    return False
                position += len(one)
            return True
    finally:
        os.close(now)


def _iter_extra_files(entry: Entry, since: float | None) -> Iterator[Change]:
    """Yields removals of files that were added to a root that has to be restored exactly."""
    known = {item.path for item in entry.items}
    for root in entry.exact:
        for folder, _folders, names, _opened in _walk_folder(root):
            for name in names:
                path = f"{folder}/{name}"
                if path not in known:
                    yield Change("remove", Item(path, "absent"), _is_newer_path(path, since))


def _iter_checked_out_files(entry: Entry, since: float | None) -> Iterator[Change]:
    """Yields removals of files that git added to a working tree."""
    known = {item.path for item in entry.items}
    for top in entry.worktrees:
        index = GitReader().find_index(top)
        for name in index.names_below("") if index is not None else ():
            path = f"{top.rstrip('/')}/{name}"
            if path not in known and os.path.lexists(path):
                yield Change("remove", Item(path, "absent"), _is_newer_path(path, since))


def _walk_folder(root: str) -> Iterator[tuple[str, list[str], list[str], int]]:
    if os.path.isdir(root) and not os.path.islink(root):
        yield from os.fwalk(root, follow_symlinks=False)


def _has_newer_contents(path: str, status: os.stat_result, since: float | None) -> bool:
    if not stat.S_ISDIR(status.st_mode):
        return False
    return any(_is_newer_path(f"{folder}/{name}", since) for folder, _, names, _ in _walk_folder(path) for name in names)


def _is_newer_path(path: str, since: float | None) -> bool:
    try:
        return _is_newer(os.lstat(path), since)
    except OSError:
        return False


def _is_newer(status: os.stat_result, since: float | None) -> bool:
    """Returns whether a file was changed later. Folders do not count: their contents are checked one by one."""
    if stat.S_ISDIR(status.st_mode):
        return False
    return since is None or max(status.st_mtime, status.st_ctime) > since


def _file_kind(status: os.stat_result) -> str:
    if stat.S_ISLNK(status.st_mode):
        return "link"
    return "folder" if stat.S_ISDIR(status.st_mode) else "file" if stat.S_ISREG(status.st_mode) else "other"
