"""Finds and adds what a call takes from git: uncommitted and untracked files, refs, reflogs, stashes, the index. Never runs git.

Commits and staged contents stay in the object store for weeks; the copy holds the refs and logs that lead to them. It holds none
of git's files that run something: no configuration, no hook.
"""

import operator
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from toolgate.machine.counting import WorkTree
from toolgate.machine.git_repository import Repository, open_repository
from toolgate.machine.git_state import GitReader
from toolgate.model.effect import Effects, Operation
from toolgate.model.stakes import DEPENDENCY_FOLDERS, GENERATED_FOLDERS
from toolgate.model.word import maybe_any

from .survey import OverBudget, Survey

_LOSING_FLAGS: Mapping[str, tuple[str, ...]] = {
    "git.branch": ("force",),
    "git.checkout": ("discards", "force"),
    "git.clean": ("force",),
    "git.reset": ("hard",),
    "git.restore": ("discards",),
    "git.stash": ("drop", "clear"),
    "git.switch": ("force",),
}
"""The flags with which a subcommand loses something."""
_WHOLE_TREE_TARGETS = (".", "./", ":/", "*")
_WORKTREE_FILES = (
    *("HEAD", "index", "ORIG_HEAD", "MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE", "SQUASH_MSG"),
    *("CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "rebase-merge", "rebase-apply", "sequencer", "BISECT_LOG"),
)
_COMMON_FILES, _EXACT_FOLDERS = ("packed-refs",), ("refs", "logs")


class GitLoss(NamedTuple):
    """What one working tree loses: uncommitted `files`, `untracked` and `ignored` ones. `whole`: tracked files change to those of
    another commit."""

    top: str
    files: bool = False
    untracked: bool = False
    ignored: bool = False
    whole: bool = False


def is_git_loss(operation: Operation) -> bool:
    """Returns whether it is a subcommand of git that loses something that a copy can hold."""
    if operation.name == "git.clean" and operation.get_flag("dry_run") is True:
        return False
    return maybe_any(operation.get_flag(name) for name in _LOSING_FLAGS.get(operation.name, ())) is not False


def find_git_losses(effects: Effects) -> tuple[GitLoss, ...] | None:
    """Returns what the call takes from each working tree; None where a working tree is unknown."""
    found: dict[str, GitLoss] = {}
    for operation in filter(is_git_loss, effects.of_kind(Operation)):
        if not operation.work_tree:
            return None
        before, now = found.get(operation.work_tree, GitLoss(operation.work_tree)), _find_loss(operation)
        found[operation.work_tree] = GitLoss(operation.work_tree, *map(operator.or_, before[1:], now[1:]))
    return tuple(found.values())


def _find_loss(operation: Operation) -> GitLoss:
    name, top = operation.name, operation.work_tree
    if name in ("git.stash", "git.branch"):
        return GitLoss(top)
    if name == "git.clean":
        return GitLoss(top, untracked=True, ignored=operation.get_flag("ignored") is not False)
    target = operation.target.text if operation.target is not None else "HEAD"
    moves = target not in ("HEAD", "@", *_WHOLE_TREE_TARGETS) and operation.get_flag("discards") is not True
    is_whole = moves or operation.get_flag("from_commit") is not False
    return GitLoss(top, files=True, untracked=is_whole, whole=is_whole)


def add_repository(survey: Survey, loss: GitLoss, git: GitReader, home: str) -> tuple[str, ...] | None:
    """Adds what a working tree would lose. Returns the folders that have to be restored exactly; None where git's files cannot be
    read. Raises OverBudget."""
    repository = open_repository(loss.top)
    if repository is None or os.path.exists(f"{repository.common}/reftable") or not os.path.isfile(f"{repository.own}/HEAD"):
        return None
    exact = tuple(f"{repository.common}/{name}" for name in _EXACT_FOLDERS)
    own_log = f"{repository.own}/logs"
    survey.skips = lambda path, _status: path.endswith(_LOCK_SUFFIX)
    survey.add_trees((*exact, *_iter_git_paths(repository), *((own_log,) if repository.own != repository.common else ())))
    if not loss.files and not loss.untracked:
        return exact
    tree = git.find_work_tree(loss.top, home)
    if tree is None:
        return None
    _add_files(survey, loss, tree)
    return exact


def find_index(top: str) -> str:
    """Returns the index file of a working tree; empty where there is none."""
    repository = open_repository(top)
    return "" if repository is None else f"{repository.own}/index"


_LOCK_SUFFIX = ".lock"


def _iter_git_paths(repository: Repository) -> Iterator[str]:
    yield from (f"{repository.own}/{name}" for name in _WORKTREE_FILES)
    yield from (f"{repository.common}/{name}" for name in _COMMON_FILES)


def _add_files(survey: Survey, loss: GitLoss, tree: WorkTree) -> None:
    left = _MAX_SCANNED

    def is_skipped(path: str, status: os.stat_result) -> bool:
        nonlocal left
        left -= 1
        if left < 0:
            raise OverBudget
        if stat.S_ISDIR(status.st_mode):
            return _is_excluded_folder(path, tree, loss)
        if tree.is_tracked(path):
            return not loss.whole and (not loss.files or tree.is_recoverable(path))
        return not loss.untracked or (not loss.ignored and tree.ignores_path(path, folder=False))

    survey.skips = is_skipped
    survey.add_trees((tree.top,))
    survey.skips = lambda _path, _status: False
    if loss.files and tree.index is not None:
        survey.add_single(_iter_missing((f"{tree.top.rstrip('/')}/{name}" for name in tree.index.names_below("")), survey))


_MAX_SCANNED = 50_000
"""Files and folders of a working tree that are scanned."""


def _is_excluded_folder(path: str, tree: WorkTree, loss: GitLoss) -> bool:
    """Returns whether git does not touch the folder, or a tool generates its contents."""
    name = path.rpartition("/")[2]
    if name == ".git" or name in DEPENDENCY_FOLDERS:
        return True
    if path == tree.top:
        return False
    if (name in GENERATED_FOLDERS or not loss.ignored) and tree.ignores_path(path, folder=True):
        return True
    return loss.files and os.path.lexists(f"{path}/.git")


def _iter_missing(paths: Iterable[str], survey: Survey) -> Iterator[str]:
    """Yields tracked files that do not exist."""
    known = {found.item.path for found in survey.found}
    return (path for path in paths if path not in known and not os.path.lexists(path))
