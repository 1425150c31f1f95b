"""Throwing away uncommitted work: checkout or restore of files, a forced switch, dropping a stash.

`git stash -u` puts the work aside instead; `git diff` shows what would be lost.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import Context
from toolgate.model.word import some

_HOW = {
    "git.checkout": ("discards", "force"),
    "git.restore": ("discards",),
    "git.switch": ("force",),
    "git.stash": ("drop", "clear"),
    "git.worktree": ("force",),
}


def check(operation: Operation, _options: None, _context: Context) -> Iterator[Match]:
    sure = some(operation.flag(name) for name in _HOW[operation.name])
    if sure is not False:
        what = "stashed" if operation.name == "git.stash" else "uncommitted"
        yield Match(operation, f"This throws away {what} work.", instead="" if what == "stashed" else "git stash -u", sure=sure)
