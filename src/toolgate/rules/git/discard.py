"""Throwing away uncommitted work: checkout or restore of files, a forced switch, dropping a stash.

`git stash -u` puts the work aside instead; `git diff` shows what would be lost. Taking
a file out of another commit passes where git holds what the file holds now.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation, Run
from toolgate.model.rule import Context
from toolgate.model.word import some

_HOW = {
    "git.checkout": ("discards", "force"),
    "git.restore": ("discards",),
    "git.switch": ("force",),
    "git.stash": ("drop", "clear"),
    "git.worktree": ("force",),
}

_LEAVES = frozenset(("fetch", "status", "log", "diff", "show", "rev-parse", "branch", "ls-files"))
_ASIDE = ("cd", "echo", "ls", "pwd", "cat", "set", "true", "mkdir")
"""What can come before and brings no file anything new."""


def check(operation: Operation, _options: None, context: Context) -> Iterator[Match]:
    sure = some(operation.flag(name) for name in _HOW[operation.name] if name != "discards" or not _is_held(operation, context))
    if sure is not False:
        what = "stashed" if operation.name == "git.stash" else "uncommitted"
        instead = "git stash -u" if what == "uncommitted" and _is_git(operation, context) else ""
        yield Match(operation, f"This throws away {what} work.", instead=instead, sure=sure)


def _is_git(operation: Operation, context: Context) -> bool:
    runs = (effect for effect in context.effects.of(operation.origin.command) if isinstance(effect, Run))
    return all(run.argv[0].shown.rpartition("/")[2] not in _OTHERS for run in runs)


_OTHERS = ("hg", "sl", "svn", "p4")
"""They keep versions, too, and know no stash."""


def _is_held(operation: Operation, context: Context) -> bool:
    """Git holds what the files held before this call, and nothing of it brings them something else first (`git stash pop`)."""
    if operation.flag("held") is not True:
        return False
    for run in context.effects.all:
        if isinstance(run, Run) and run.origin.command < operation.origin.command:
            words = [word.shown for word in run.argv]
            if words[0].rpartition("/")[2] not in _ASIDE and (words[0] != "git" or not set(words[1:2]) & _LEAVES):
                return False
    return True
