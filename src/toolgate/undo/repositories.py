"""Finds and adds what a call takes from git: uncommitted and untracked files, refs, reflogs, stashes, the index. Never runs git.

Commits and staged contents stay in the object store for weeks; the copy holds the refs and logs that lead to them. It holds none
of git's files that run something: no configuration, no hook.
"""

import operator
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from toolgate.machine.counting import Tree
from toolgate.machine.git_repository import Repository, open_repository
from toolgate.machine.git_state import Git
from toolgate.model.effect import Effects, Operation
from toolgate.model.stakes import INSTALLED, MADE_ANEW
from toolgate.model.word import some

from .survey import Survey, TooMuch

_HARMS: Mapping[str, tuple[str, ...]] = {
    "git.branch": ("force",),
    "git.checkout": ("discards", "force"),
    "git.clean": ("force",),
    "git.reset": ("hard",),
    "git.restore": ("discards",),
    "git.stash": ("drop", "clear"),
    "git.switch": ("force",),
}
"""The flags with which a subcommand loses something."""
_IN_THE_INDEX = (".", "./", ":/", "*")
_OWN = (
    *("HEAD", "index", "ORIG_HEAD", "MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE", "SQUASH_MSG"),
    *("CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "rebase-merge", "rebase-apply", "sequencer", "BISECT_LOG"),
)
_SHARED, _EXACT = ("packed-refs",), ("refs", "logs")


class GitLoss(NamedTuple):
    """What one working tree loses: uncommitted `files`, `untracked` and `ignored` ones. `whole`: tracked files change to those of
    another commit."""

    top: str
    files: bool = False
    untracked: bool = False
    ignored: bool = False
    whole: bool = False


def is_losing(operation: Operation) -> bool:
    """Returns whether it is a subcommand of git that loses something that a copy can hold."""
    if operation.name == "git.clean" and operation.flag("dry_run") is True:
        return False
    return some(operation.flag(name) for name in _HARMS.get(operation.name, ())) is not False


def find_git_losses(effects: Effects) -> tuple[GitLoss, ...] | None:
    """Returns what the call takes from each working tree; None where a working tree is unknown."""
    found: dict[str, GitLoss] = {}
    for operation in filter(is_losing, effects.of_kind(Operation)):
        if not operation.work_tree:
            return None
        before, now = found.get(operation.work_tree, GitLoss(operation.work_tree)), _loss_of(operation)
        found[operation.work_tree] = GitLoss(operation.work_tree, *map(operator.or_, before[1:], now[1:]))
    return tuple(found.values())


def _loss_of(operation: Operation) -> GitLoss:
    name, top = operation.name, operation.work_tree
    if name in ("git.stash", "git.branch"):
        return GitLoss(top)
    if name == "git.clean":
        return GitLoss(top, untracked=True, ignored=operation.flag("ignored") is not False)
    target = operation.target.text if operation.target is not None else "HEAD"
    moves = target not in ("HEAD", "@", *_IN_THE_INDEX) and operation.flag("discards") is not True
    whole = moves or operation.flag("from_commit") is not False
    return GitLoss(top, files=True, untracked=whole, whole=whole)


def add_repository(survey: Survey, loss: GitLoss, git: Git, home: str) -> tuple[str, ...] | None:
    """Adds what a working tree would lose. Returns the folders that have to be restored exactly; None where git's files cannot be
    read. Raises OverBudget."""
    repository = open_repository(loss.top)
    if repository is None or os.path.exists(f"{repository.common}/reftable") or not os.path.isfile(f"{repository.own}/HEAD"):
        return None
    exact = tuple(f"{repository.common}/{name}" for name in _EXACT)
    own_log = f"{repository.own}/logs"
    survey.skips = lambda path, _status: path.endswith(_LOCK)
    survey.add_trees((*exact, *_paths(repository), *((own_log,) if repository.own != repository.common else ())))
    if not loss.files and not loss.untracked:
        return exact
    tree = git.tree(loss.top, home)
    if tree is None:
        return None
    _add_files(survey, loss, tree)
    return exact


def index_of(top: str) -> str:
    """Returns the index file of a working tree; empty where there is none."""
    repository = open_repository(top)
    return "" if repository is None else f"{repository.own}/index"


_LOCK = ".lock"


def _paths(repository: Repository) -> Iterator[str]:
    yield from (f"{repository.own}/{name}" for name in _OWN)
    yield from (f"{repository.common}/{name}" for name in _SHARED)


def _add_files(survey: Survey, loss: GitLoss, tree: Tree) -> None:
    left = _LOOKED_AT

    def skips(path: str, status: os.stat_result) -> bool:
        nonlocal left
        left -= 1
        if left < 0:
            raise TooMuch
        if stat.S_ISDIR(status.st_mode):
            return _is_another(path, tree, loss)
        if tree.is_tracked(path):
            return not loss.whole and (not loss.files or tree.is_held(path))
        return not loss.untracked or (not loss.ignored and tree.ignores_path(path, folder=False))

    survey.skips = skips
    survey.add_trees((tree.top,))
    survey.skips = lambda _path, _status: False
    if loss.files and tree.index is not None:
        survey.add_single(_missing((f"{tree.top.rstrip('/')}/{name}" for name in tree.index.names_beneath("")), survey))


_LOOKED_AT = 50_000
"""Files and folders of a working tree that are scanned."""


def _is_another(path: str, tree: Tree, loss: GitLoss) -> bool:
    """Returns whether git does not touch the folder, or a tool generates its contents."""
    name = path.rpartition("/")[2]
    if name == ".git" or name in INSTALLED:
        return True
    if path == tree.top:
        return False
    if (name in MADE_ANEW or not loss.ignored) and tree.ignores_path(path, folder=True):
        return True
    return loss.files and os.path.lexists(f"{path}/.git")


def _missing(paths: Iterable[str], survey: Survey) -> Iterator[str]:
    """Yields tracked files that do not exist."""
    known = {found.item.path for found in survey.found}
    return (path for path in paths if path not in known and not os.path.lexists(path))
