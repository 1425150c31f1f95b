"""Restores the contents of a copy: through descriptors of folders, without following links, with each file complete before it
gets its name."""

import os
import stat
from collections.abc import Iterable
from dataclasses import replace

from toolgate.machine import descriptors
from toolgate.machine.current_account import effective_user
from toolgate.machine.safe_open import hold_folder, open_folder, split_path
from toolgate.model.rule import UndoLimits

from .comparison import Change
from .copier import write_all
from .entry import Entry, Item
from .survey import ExplainProtection, OverBudget, Survey
from .vault import NotKept, Vault

_CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | descriptors.CLOEXEC | descriptors.NOFOLLOW
_CHUNK = 1 << 20


def keep_present(entry: Entry, changes: Iterable[Change], vault: Vault, protects: ExplainProtection, limits: UndoLimits) -> Entry:
    """Copies the present state where restoring will change it, so that restoring can be undone. Raises NotKept."""
    survey = Survey(limits.max_entries, limits.max_bytes, protects)
    try:
        survey.add_trees(change.item.path for change in changes if change.act == "remove" or change.item.kind != "folder")
        survey.add_single(change.item.path for change in changes)
    except OverBudget:
        raise NotKept("the present files exceed the limits of a copy") from None
    if survey.left_out:
        raise NotKept(f"{survey.left_out[0].path} cannot be kept: {survey.left_out[0].why}")
    return vault.save_copy(replace(entry, roots=tuple(change.item.path for change in changes)), survey, limits)


def restore(entry: Entry, changes: Iterable[Change], vault: Vault) -> None:
    """Makes the changes. Raises OSError; changes made until then stay, and the copy is still complete."""
    todo = list(changes)
    for folder in {split_path(item.path)[0] for item in entry.items}:
        _remove_leftovers(folder, entry)
    for change in sorted(todo, key=lambda each: each.item.path, reverse=True):
        if change.act in ("remove", "replace"):
            _remove_path(change.item.path, only_folders=change.item.kind in ("file", "link"))
    for change in todo:
        if change.act in ("create", "replace"):
            _create_item(change.item, entry, vault)
    for change in reversed(todo):
        if change.item.kind in ("file", "folder"):
            _restore_metadata(change.item)


def _remove_leftovers(folder: str, entry: Entry) -> None:
    """Removes what a killed restore has left half written."""
    try:
        with hold_folder(folder) as opened:
            os.unlink(_temporary_name(entry), dir_fd=opened)
    except OSError:
        pass  # there is none


def _temporary_name(entry: Entry) -> str:
    return f".toolgate-undo-{entry.id}"


def _remove_path(path: str, *, only_folders: bool) -> None:
    """Removes what is there. A file need not be removed where another one is renamed over it."""
    folder, name = split_path(path)
    try:
        with hold_folder(folder) as opened:
            if stat.S_ISDIR(os.stat(name, dir_fd=opened, follow_symlinks=False).st_mode):
                _remove_tree(name, opened)
            elif not only_folders:
                os.unlink(name, dir_fd=opened)
    except (FileNotFoundError, NotADirectoryError):
        pass


def _remove_tree(name: str, above: int) -> None:
    opened = os.open(name, os.O_RDONLY | os.O_DIRECTORY | descriptors.NOFOLLOW | descriptors.CLOEXEC, dir_fd=above)
    try:
        for _folder, folders, names, folder in os.fwalk(".", topdown=False, dir_fd=opened, follow_symlinks=False):
            for each in names:
                os.unlink(each, dir_fd=folder)
            for each in folders:
                if stat.S_ISLNK(os.stat(each, dir_fd=folder, follow_symlinks=False).st_mode):
                    os.unlink(each, dir_fd=folder)
                else:
                    os.rmdir(each, dir_fd=folder)
    finally:
        os.close(opened)
    os.rmdir(name, dir_fd=above)


def _create_item(item: Item, entry: Entry, vault: Vault) -> None:
    folder, name = split_path(item.path)
    _make_folders(folder)
    with hold_folder(folder) as opened:
        if item.kind == "folder":
            try:
                os.mkdir(name, 0o700, dir_fd=opened)
            except FileExistsError:
                pass  # a folder above was needed earlier
            return
        if item.kind == "file" and (_rewrite_shared_file(item, entry, vault, opened, name) or _link_twin(item, opened, name)):
            return
        temporary = _temporary_name(entry)
        if item.kind == "link":
            os.symlink(item.target, temporary, dir_fd=opened)
        else:
            _write_file(item, entry, vault, opened, temporary)
        os.rename(temporary, name, src_dir_fd=opened, dst_dir_fd=opened)


def _rewrite_shared_file(item: Item, entry: Entry, vault: Vault, opened: int, name: str) -> bool:
    """Writes the content back into the same file, so that its other names show it, too; returns whether that is possible."""
    if item.shared == (0, 0):
        return False
    try:
        target = os.open(name, os.O_WRONLY | descriptors.NOFOLLOW | descriptors.NONBLOCK | descriptors.CLOEXEC, dir_fd=opened)
    except OSError:
        return False
    try:
        status = os.fstat(target)
        if (status.st_dev, status.st_ino) != item.shared or not stat.S_ISREG(status.st_mode):
            return False
        os.ftruncate(target, 0)
        with vault.open_content(entry.id, item) as (kept, offset):
            _copy_content(kept, offset, target, item.size)
        return True
    finally:
        os.close(target)


def _link_twin(item: Item, opened: int, name: str) -> bool:
    """Restores the file's other name, and returns whether that succeeded."""
    if not item.twin:
        return False
    folder, first = split_path(item.twin)
    try:
        with hold_folder(folder) as twin_folder:
            os.link(first, name, src_dir_fd=twin_folder, dst_dir_fd=opened, follow_symlinks=False)
    except OSError:
        return False
    return True


def _write_file(item: Item, entry: Entry, vault: Vault, opened: int, temporary: str) -> None:
    target = os.open(temporary, _CREATE_FLAGS, 0o600, dir_fd=opened)
    try:
        with vault.open_content(entry.id, item) as (kept, offset):
            _copy_content(kept, offset, target, item.size)
        for attribute, value in item.attributes:
            os.setxattr(target, attribute, bytes.fromhex(value))
    finally:
        os.close(target)


def _copy_content(kept: int, offset: int, target: int, size: int) -> None:
    position = 0
    while position < size:
        data = descriptors.read_at(kept, min(_CHUNK, size - position), offset + position)
        if not data:
            raise OSError(f"the copy ends {size - position} bytes too early")
        if data.strip(b"\0"):
            os.lseek(target, position, os.SEEK_SET)
            write_all(target, data)
        position += len(data)
    os.ftruncate(target, size)


def _make_folders(path: str) -> None:
    """Creates the missing folders above a path."""
    missing: list[str] = []
    while path != "/":
        try:
            os.close(open_folder(path))
            break
        except FileNotFoundError:
            folder, name = split_path(path)
            missing.append(name)
            path = folder
    for name in reversed(missing):
        with hold_folder(path) as opened:
            os.mkdir(name, 0o755, dir_fd=opened)
        path = f"{path.rstrip('/')}/{name}"


def _restore_metadata(item: Item) -> None:
    """Restores mode, time and, where this account may give files away, owner."""
    folder, name = split_path(item.path)
    with hold_folder(folder) as opened:
        flags = os.O_RDONLY | descriptors.NOFOLLOW | descriptors.NONBLOCK | descriptors.CLOEXEC
        try:
            descriptor = os.open(name, flags, dir_fd=opened)
        except PermissionError:
            return  # its mode is unchanged, or it would open
        try:
            if effective_user() == 0:
                os.fchown(descriptor, *item.owner)
            os.fchmod(descriptor, item.mode)
            os.utime(descriptor, ns=(item.modified, item.modified))
        finally:
            os.close(descriptor)
