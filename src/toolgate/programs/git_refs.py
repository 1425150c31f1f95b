"""git's refs: subcommands that move an existing branch away from its commits, or delete a ref."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Operation, Reported
from toolgate.model.place import LOCAL
from toolgate.model.seen import Seen
from toolgate.model.stakes import Stakes
from toolgate.model.word import Maybe, Word, known

from .git_files import git_folder, own_folder, settings, work_tree
from .options import Given

_BRANCHES = "refs/heads/"


_ELSEWHERE = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE", "GIT_COMMON_DIR")


def operation(name: str, seen: Seen, target: Word | None = None, *, stakes: Stakes | None = None, **flags: Maybe) -> Operation:
    tree = _known_work_tree(seen) if name in _LOSING else ""
    return Operation(f"git.{name}", seen.origin, target, tuple(flags.items()), stakes, tree)


_LOSING = frozenset(("branch", "checkout", "clean", "reset", "restore", "stash", "switch"))
"""Subcommands that may discard uncommitted files, or commits that only one ref leads to."""


def _known_work_tree(seen: Seen) -> str:
    return (work_tree(seen) or "") if works_here(seen) else ""


def works_here(seen: Seen) -> bool:
    """Tell whether git uses the repository around the current directory: no variable or setting names another."""
    if seen.site.machine != LOCAL or any(seen.variables(name) for name in _ELSEWHERE):
        return False
    return not any(setting.name in ("core.worktree", "extensions.worktreeconfig") for setting in settings(seen))


def is_current(target: Word | None, seen: Seen) -> bool:
    """Tell whether a revision is surely HEAD: `HEAD` itself, or the branch it names."""
    if target is None or target.text in ("HEAD", "@"):
        return True
    top = work_tree(seen)
    own = own_folder(top, seen) if top is not None else None
    heads = seen.contents(known(f"{own}/HEAD")) if own is not None else ()
    return len(heads) == 1 and target.text is not None and (heads[0].text or "").strip() == f"ref: {_BRANCHES}{target.text}"


def moved(branch: Word, seen: Seen) -> Iterator[Operation]:
    """Yield that an existing branch gets other commits; creating a branch loses nothing."""
    there = _is_there(branch, seen)
    if there is not False:
        yield Operation("git.branch", seen.origin, branch, (("force", there),), work_tree=_known_work_tree(seen))


def _is_there(branch: Word, seen: Seen) -> Maybe:
    top = work_tree(seen) if seen.site.machine == LOCAL else None
    name = branch.text
    if top is None or name is None:
        return None
    folder = git_folder(top, seen)
    if seen.contents(known(f"{folder}/{_BRANCHES}{name}")):
        return True
    packed = re.compile(rf"(?m)^\S+ {_BRANCHES}{re.escape(name)}$")
    if any(packed.search(text.text or "") for text in seen.contents(known(f"{folder}/packed-refs"))):
        return True
    return False if seen.contents(known(f"{folder}/HEAD")) else None


def update_ref(given: Given, argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """A branch is moved by its full name, and `-d` deletes a ref. Moving HEAD alone is like `reset --soft`."""
    if given.flag("-d") is True or (given.flag("--stdin") is True and seen.stdin.contains("delete ") is not False):
        yield Operation("git.erase", seen.origin, argv[0])
    elif len(given.operands) > 1 and given.operands[0].starts(_BRANCHES) is True:
        yield from moved(given.operands[0].cut(len(_BRANCHES)), seen)


def symbolic_ref(given: Given, argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """HEAD is set to another branch; the files remain those of the old one."""
    if given.flag("--delete") is True:
        yield Operation("git.erase", seen.origin, argv[0])
    elif len(given.operands) > 1:
        yield Operation("git.branch", seen.origin, given.operands[0], (("force", None),))
