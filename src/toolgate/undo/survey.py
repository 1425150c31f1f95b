"""Lists the files, folders and links that a call would lose, counted against a budget before anything is copied."""

import os
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from toolgate.machine.safe_open import hold_folder, split_path

from .entry import Item, OmittedPath

_KINDS = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}
_BLOCK = 512
SPECIAL_FILE = "it is neither a file nor a folder"
UNREADABLE = "it cannot be opened"

ExplainProtection = Callable[[str], str]
"""Returns why nothing at a path is copied or restored; empty where it may be."""
SkipCheck = Callable[[str, os.stat_result], bool]
"""Returns whether a file or folder is left out because git holds it, or a tool generates it."""


class OverBudget(Exception):
    """There is more than the budget allows."""


class SurveyedItem(NamedTuple):
    """An item whose content is still to be copied, and the identity of its file."""

    item: Item
    identity: tuple[int, int]


@dataclass(slots=True)
class Survey:
    """`entries`, `bytes`: the remaining budget. `protects` and `skips` are called for every path."""

    entries: float
    bytes: float
    protects: ExplainProtection
    skips: SkipCheck = lambda _path, _status: False
    found: list[SurveyedItem] = field(default_factory=list)
    left_out: list[OmittedPath] = field(default_factory=list)
    _names: dict[tuple[int, int], str] = field(default_factory=dict)
    _seen: set[str] = field(default_factory=set)

    def add_trees(self, roots: Iterable[str]) -> None:
        """Adds everything at and inside each root. Raises OverBudget."""
        for root in roots:
            if self._add_root(root) == "folder":
                self._descend(root)

    def add_single(self, paths: Iterable[str]) -> None:
        """Adds each path without its contents. Raises OverBudget."""
        for path in paths:
            self._add_root(path)

    def _add_root(self, path: str) -> str:
        if path in self._seen:
            return ""
        folder, name = split_path(path)
        try:
            with hold_folder(folder) as opened:
                status = os.stat(name, dir_fd=opened, follow_symlinks=False)
                target = os.readlink(name, dir_fd=opened) if stat.S_ISLNK(status.st_mode) else ""
        except OSError as problem:
            if isinstance(problem, FileNotFoundError | NotADirectoryError) and not os.path.exists(path):
                self._seen.add(path)
                self.found.append(SurveyedItem(Item(path, "absent"), (0, 0)))
            else:
                self._leave_out(path, UNREADABLE)  # or it is reached through a link
            return ""
        return self._add_path(path, status, target)

    def _descend(self, root: str) -> None:
        waiting = [root]
        while waiting:
            folder = waiting.pop()
            try:
                with hold_folder(folder) as opened, os.scandir(opened) as entries:
                    for entry in entries:
                        path = f"{folder.rstrip('/')}/{entry.name}"
                        status = entry.stat(follow_symlinks=False)
                        target = os.readlink(entry.name, dir_fd=opened) if entry.is_symlink() else ""
                        if path not in self._seen and self._add_path(path, status, target) == "folder":
                            waiting.append(path)
            except OSError:
                self._leave_out(folder, UNREADABLE)

    def _add_path(self, path: str, status: os.stat_result, target: str) -> str:
        """Returns the kind of the added item; empty where it is left out."""
        if self.skips(path, status):
            return ""
        if why := self.protects(path):
            self._leave_out(path, why)
            return ""
        kind = _KINDS.get(stat.S_IFMT(status.st_mode))
        if kind is None:
            self._leave_out(path, SPECIAL_FILE)
            return ""
        self._seen.add(path)
        self._spend_budget(status.st_size if kind == "file" else 0, status)
        identity = (status.st_dev, status.st_ino)
        shared = kind == "file" and status.st_nlink > 1
        twin = self._names.get(identity, "") if shared else ""
        self._names.setdefault(identity, path)
        item = Item(
            path,
            kind,  # type: ignore[arg-type]
            restorable_mode(status.st_mode),
            status.st_mtime_ns,
            status.st_size if kind == "file" else 0,
            (status.st_uid, status.st_gid),
            target=target,
            twin=twin,
            shared=identity if shared else (0, 0),
        )
        self.found.append(SurveyedItem(item, identity))
        return kind

    def _spend_budget(self, size: int, status: os.stat_result) -> None:
        """A sparse file costs its stored size."""
        self.entries -= 1
        self.bytes -= min(size, getattr(status, "st_blocks", size) * _BLOCK)
        if self.entries < 0 or self.bytes < 0:
            raise OverBudget

    def _leave_out(self, path: str, why: str) -> None:
        self.left_out.append(OmittedPath(path, why))


def restorable_mode(mode: int) -> int:
    """Returns the permissions that a copy keeps: no restored file runs as another account."""
    dropped = stat.S_ISUID if stat.S_ISDIR(mode) else stat.S_ISUID | stat.S_ISGID
    return stat.S_IMODE(mode) & ~dropped
