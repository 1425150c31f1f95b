"""What git has of this machine's files and commits, by reading its files. git itself is never run."""

from toolgate.model.stakes import MADE_ANEW, Stakes
from toolgate.model.world import ABSENT, UNKNOWN, NoAnswer

from .counting import Counter, Tree
from .git_history import History
from .git_ignore import Ignores
from .git_index import Index, read_index
from .git_repository import Repository, find_worktrees, open_repository

_FILES = 20_000
"""Files that are compared for one answer."""


class Git:
    """The repositories of one call. Each index and each history is read once."""

    def __init__(self) -> None:
        self._repositories: dict[str, Repository | None] = {}
        self._indexes: dict[str, Index | None] = {}
        self._histories: dict[str, History] = {}
        self._counter = Counter()

    def repository(self, top: str) -> Repository | None:
        if top not in self._repositories:
            self._repositories[top] = open_repository(top)
        return self._repositories[top]

    def index(self, top: str) -> Index | None:
        """Return the index. Raises OSError if there is none."""
        if top not in self._indexes:
            repository = self.repository(top)
            self._indexes[top] = read_index(repository) if repository is not None else None
        return self._indexes[top]

    def _history(self, top: str) -> History | None:
        repository = self.repository(top)
        if repository is None:
            return None
        if top not in self._histories:
            self._histories[top] = History(repository)
        return self._histories[top]

    def is_as_committed(self, top: str, path: str) -> bool | NoAnswer:
        """Tell whether git has the file's content, with nothing else staged beside it. Raises OSError if there is no file."""
        index, name = self.index(top), _name(top, path)
        if index is None or name not in index:
            return UNKNOWN
        found = index.is_as_staged(name)
        return UNKNOWN if found is None else found and index.is_in_a_tree(name)

    def is_as_staged(self, top: str, path: str) -> bool | NoAnswer:
        """Tell whether every tracked file at or below the path has the content in the index; a missing file loses
        nothing more."""
        index, name = self.index(top), _name(top, path)
        if index is None:
            return UNKNOWN
        names = [name] if name in index else index.names_beneath(name)
        if not names or len(names) > _FILES:
            return UNKNOWN
        for each in names:
            try:
                found = index.is_as_staged(each)
            except (FileNotFoundError, NotADirectoryError):
                continue
            if found is not True:
                return UNKNOWN if found is None else False
        return True

    def is_clean(self, top: str) -> bool | NoAnswer:
        """Tell whether every tracked file is as committed: files as staged, and nothing staged beside HEAD."""
        index, history = self.index(top), self._history(top)
        if index is None or history is None:
            return UNKNOWN
        staged, committed = index.trees.get(b""), history.tree("HEAD")
        if committed is None:
            return UNKNOWN
        return self.is_as_staged(top, top) if staged == committed else False

    def lost_commits(self, top: str, dropped: str, kept: str) -> int | NoAnswer:
        history = self._history(top)
        found = None if history is None else history.count_lost(tuple(dropped.split()), kept)
        return UNKNOWN if found is None else found

    def worktrees(self, top: str) -> tuple[str, ...] | NoAnswer:
        repository = self.repository(top)
        return ABSENT if repository is None else find_worktrees(repository)

    def count(self, path: str, top: str, home: str) -> Stakes:
        """Count everything at or below a path. `top`: of the repository around it, empty if there is none.

        Raises OSError if the path does not exist.
        """
        tree = self.tree(top, home) if top else None
        if tree is None:
            return self._counter.count(path, Tree())
        if not _is_beneath_ignored(path, tree):
            return self._counter.count(path, tree)
        made_anew = not MADE_ANEW.isdisjoint(path.split("/"))
        found = self._counter.count(path, Tree())
        return found._replace(unheld=0, unheld_size=0, untracked=0, ignored=0 if made_anew else 1, more_unheld=False)

    def tree(self, top: str, home: str) -> Tree | None:
        """Return what git knows of a work tree; None if its index cannot be read."""
        try:
            index = self.index(top)
        except OSError:
            index = None
        if index is None:
            return None
        return Tree(top, index, Ignores(top, home, lambda file: self._is_held(top, file)))

    def _is_held(self, top: str, file: str) -> bool:
        try:
            return self.is_as_committed(top, f"{top.rstrip('/')}/{file}") is True
        except OSError:
            return False


def _is_beneath_ignored(path: str, tree: Tree) -> bool:
    """Tell whether git ignores a folder above the path."""
    above = path.rpartition("/")[0]
    while len(above) > len(tree.top.rstrip("/")):
        if tree.ignores_path(above, folder=True):
            return True
        above = above.rpartition("/")[0]
    return False


def _name(top: str, path: str) -> str:
    return path[len(top.rstrip("/")) + 1 :]
