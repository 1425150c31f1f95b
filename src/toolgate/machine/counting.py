"""Counts the files at or below a path, and those that git cannot restore, within a budget of entries."""

import os
import stat
from dataclasses import dataclass, field

from toolgate.model.stakes import DEPENDENCY_FOLDERS, GENERATED_FOLDERS, Stakes

from .git_ignore import IgnoreRules
from .git_index import Index

MAX_ENTRIES = 20_000
"""Files and folders that are read in one call."""


@dataclass(slots=True)
class WorkTree:
    """What git knows of one work tree; without one (`top` empty) nothing is tracked or ignored."""

    top: str = ""
    index: Index | None = None
    ignores: IgnoreRules | None = None
    _cut: int = field(init=False)

    def __post_init__(self) -> None:
        self._cut = len(self.top.rstrip("/")) + 1

    def ignores_path(self, path: str, *, folder: bool) -> bool:
        """Returns whether git ignores a path. Its parent folders were checked before."""
        return self.ignores is not None and path != self.top and self.ignores.is_ignored(path[self._cut :], folder=folder)

    def is_tracked(self, path: str) -> bool:
        return self.index is not None and path[self._cut :] in self.index

    def is_recoverable(self, path: str) -> bool:
        """Returns whether git can restore the content of a tracked file."""
        name = path[self._cut :]
        return self.index is not None and self.index.is_in_written_tree(name) and self.index.has_staged_content(name) is True


class Counter:
    """Counts for one call; all counts share the budget."""

    def __init__(self) -> None:
        self.left = MAX_ENTRIES

    def count(self, path: str, tree: WorkTree) -> Stakes:
        """Returns the counts for everything at or below a path.

        Ignored files are counted last: the budget goes to possible only copies. Raises OSError if the path does not exist.
        """
        status, tally = os.lstat(path), _Tally()
        if not stat.S_ISDIR(status.st_mode):
            self.left -= 1
            tally.add_file(path, status, tree)
            return tally.build_stakes()
        ignored = tree.ignores_path(path, folder=True) or path.rpartition("/")[2] in DEPENDENCY_FOLDERS
        waiting, later = ([], [path]) if ignored else ([path], [])
        while waiting and not tally.more_unheld:
            self._count_folder(waiting.pop(), tally, tree, waiting, later)
        tally.more_unheld |= bool(waiting)
        while later and not tally.more:
            self._count_ignored(later.pop(), tally, later)
        return tally.build_stakes()

    def _count_folder(self, folder: str, tally: "_Tally", tree: WorkTree, waiting: list[str], later: list[str]) -> None:
        """Counts what git does not ignore; ignored folders are put off until `later`."""
        git = f"{tree.top.rstrip('/')}/.git"
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if self.left <= 0:
                        tally.more = tally.more_unheld = True
                        return
                    self.left -= 1
                    if entry.is_dir(follow_symlinks=False):
                        if entry.path == git:
                            continue  # other rules protect it
                        ignored = tree.ignores_path(entry.path, folder=True)
                        tally.ignored += ignored and entry.name not in GENERATED_FOLDERS
                        (later if ignored or entry.name in DEPENDENCY_FOLDERS else waiting).append(entry.path)
                    else:
                        tally.add_file(entry.path, entry.stat(follow_symlinks=False), tree)
        except OSError:
            tally.more = tally.more_unheld = True

    def _count_ignored(self, folder: str, tally: "_Tally", later: list[str]) -> None:
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if self.left <= 0:
                        tally.more = True
                        return
                    self.left -= 1
                    if entry.is_dir(follow_symlinks=False):
                        later.append(entry.path)
                    else:
                        tally.add_status(entry.stat(follow_symlinks=False))
        except OSError:
            tally.more = True


@dataclass(slots=True)
class _Tally:
    files: int = 0
    size: int = 0
    newest: int = 0
    unheld: int = 0
    unheld_size: int = 0
    untracked: int = 0
    ignored: int = 0
    more: bool = False
    more_unheld: bool = False

    def add_status(self, status: os.stat_result) -> None:
        self.files += 1
        self.size += status.st_size
        if status.st_mtime_ns > self.newest:
            self.newest = status.st_mtime_ns

    def add_file(self, path: str, status: os.stat_result, tree: WorkTree) -> None:
        self.add_status(status)
        tracked = tree.is_tracked(path)
        if tracked and tree.is_recoverable(path):
            return
        if not tracked and tree.ignores_path(path, folder=False):
            self.ignored += 1
            return
        self.unheld += 1
        self.unheld_size += status.st_size
        self.untracked += not tracked

    def build_stakes(self) -> Stakes:
        return Stakes(
            self.files,
            self.size,
            self.newest,
            self.unheld,
            self.unheld_size,
            self.untracked,
            self.ignored,
            self.more,
            self.more_unheld,
        )
