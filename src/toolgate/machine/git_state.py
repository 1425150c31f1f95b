"""What git has of this machine's files and commits, by reading its files. git itself is never run."""

from toolgate.model.stakes import GENERATED_FOLDERS, Stakes
from toolgate.model.world import ABSENT, UNKNOWN, CommitEntry, NoAnswer

from .counting import Counter, WorkTree
from .git_history import History
from .git_ignore import IgnoreRules
from .git_index import Index, read_index
from .git_repository import Repository, find_worktrees, open_repository

_MAX_FILES = 20_000
"""Files that are compared for one answer."""


class GitReader:
    """The repositories of one call. Each index and each history is read once."""

    def __init__(self) -> None:
        self._repositories: dict[str, Repository | None] = {}
        self._indexes: dict[str, Index | None] = {}
        self._histories: dict[str, History] = {}
        self._counter = Counter()

    def find_repository(self, top: str) -> Repository | None:
        if top not in self._repositories:
            self._repositories[top] = open_repository(top)
        return self._repositories[top]

    def find_index(self, top: str) -> Index | None:
        """Returns the index. Raises OSError if there is none."""
        if top not in self._indexes:
            repository = self.find_repository(top)
            self._indexes[top] = read_index(repository) if repository is not None else None
        return self._indexes[top]

    def _find_history(self, top: str) -> History | None:
        repository = self.find_repository(top)
        if repository is None:
            return None
        if top not in self._histories:
            self._histories[top] = History(repository)
        return self._histories[top]

    def has_committed_content(self, top: str, path: str) -> bool | NoAnswer:
        """Returns whether git has the file's content, with nothing else staged beside it. Raises OSError if there is no file."""
        index, name = self.find_index(top), _relative_name(top, path)
        if index is None or name not in index:
            return UNKNOWN
        found = index.has_staged_content(name)
        return UNKNOWN if found is None else found and index.is_in_written_tree(name)

    def has_staged_content(self, top: str, path: str) -> bool | NoAnswer:
        """Returns whether every tracked file at or below the path has the content in the index; a missing file loses
        nothing more."""
        index, name = self.find_index(top), _relative_name(top, path)
        if index is None:
            return UNKNOWN
        names = [name] if name in index else index.names_below(name)
        if not names or len(names) > _MAX_FILES:
            return UNKNOWN
        for each in names:
            try:
                found = index.has_staged_content(each)
            except (FileNotFoundError, NotADirectoryError):
                continue
            if found is not True:
                return UNKNOWN if found is None else False
        return True

    def is_clean(self, top: str) -> bool | NoAnswer:
        """Returns whether every tracked file is as committed: files as staged, and nothing staged beside HEAD."""
        index, history = self.find_index(top), self._find_history(top)
        if index is None or history is None:
            return UNKNOWN
        staged, committed = index.trees.get(b""), history.tree_of_revision("HEAD")
        if committed is None:
            return UNKNOWN
        return self.has_staged_content(top, top) if staged == committed else False

    def count_lost_commits(self, top: str, dropped_refs: str, kept_ref: str) -> int | NoAnswer:
        history = self._find_history(top)
        found = None if history is None else history.count_lost(tuple(dropped_refs.split()), kept_ref)
        return UNKNOWN if found is None else found

    def list_commits(self, top: str, ref: str, limit: int) -> tuple[CommitEntry, ...] | NoAnswer:
        history = self._find_history(top)
        return UNKNOWN if history is None else history.list_commits(ref, limit)

    def list_worktrees(self, top: str) -> tuple[str, ...] | NoAnswer:
        repository = self.find_repository(top)
        return ABSENT if repository is None else find_worktrees(repository)

    def count_stakes(self, path: str, top: str, home: str) -> Stakes:
        """Counts everything at or below a path. `top`: of the repository around it, empty if there is none.

        Raises OSError if the path does not exist.
        """
        tree = self.find_work_tree(top, home) if top else None
        if tree is None:
            return self._counter.count(path, WorkTree())
        if not _is_below_ignored(path, tree):
            return self._counter.count(path, tree)
        made_anew = not GENERATED_FOLDERS.isdisjoint(path.split("/"))
        found = self._counter.count(path, WorkTree())
        return found._replace(unheld=0, unheld_size=0, untracked=0, ignored=0 if made_anew else 1, more_unheld=False)

    def find_work_tree(self, top: str, home: str) -> WorkTree | None:
        """Returns what git knows of a work tree; None if its index cannot be read."""
        try:
            index = self.find_index(top)
        except OSError:
            index = None
        if index is None:
            return None
        return WorkTree(top, index, IgnoreRules(top, home, lambda file: self._is_recoverable(top, file)))

    def _is_recoverable(self, top: str, file: str) -> bool:
        try:
            return self.has_committed_content(top, f"{top.rstrip('/')}/{file}") is True
        except OSError:
            return False


def _is_below_ignored(path: str, tree: WorkTree) -> bool:
    """Returns whether git ignores a folder above the path."""
    above = path.rpartition("/")[0]
    while len(above) > len(tree.top.rstrip("/")):
        if tree.ignores_path(above, folder=True):
            return True
        above = above.rpartition("/")[0]
    return False


def _relative_name(top: str, path: str) -> str:
    return path[len(top.rstrip("/")) + 1 :]
