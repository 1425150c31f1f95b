"""Throwing away uncommitted work: checkout or restore of files, a forced switch, dropping a stash.

`git stash -u` puts the work aside instead; `git diff` shows what would be lost. Where git holds the current contents of the
files, nothing is lost and the call passes.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation, Run
from toolgate.model.rule import Context
from toolgate.model.word import some

from .context import changes_nothing

_HOW = {
    "git.checkout": ("discards", "force"),
    "git.restore": ("discards",),
    "git.switch": ("force",),
    "git.stash": ("drop", "clear"),
    "git.worktree": ("force",),
}


def check(operation: Operation, _options: None, context: Context) -> Iterator[Match]:
    sure = some(operation.flag(name) for name in _HOW[operation.name])
    if sure is False or (operation.flag("held") is True and changes_nothing(operation, context)):
        return
    if operation.name == "git.stash":
        what = f" ({operation.target.shown})" if operation.target is not None else ""
        yield Match(operation, f"This throws away stashed work{what}.", sure=sure)
    else:
        instead = "git stash -u" if _is_git(operation, context) else ""
        yield Match(operation, "This throws away uncommitted work.", instead=instead, sure=sure)


def _is_git(operation: Operation, context: Context) -> bool:
    runs = (effect for effect in context.effects.of(operation.origin.command) if isinstance(effect, Run))
    return all(run.argv[0].shown.rpartition("/")[2] not in _OTHERS for run in runs)


_OTHERS = ("hg", "sl", "svn", "p4")
"""Version control systems without a stash."""
