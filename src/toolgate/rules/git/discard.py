"""Throwing away uncommitted work: checkout or restore of files, a forced switch, dropping a stash.

`git stash -u` puts the work aside instead; `git diff` shows what would be lost. Where git holds the current contents of the
files, nothing is lost and the call passes. So does removing a working tree in which every file is as the session created it.
"""

from collections.abc import Iterator

from toolgate.creations import is_own_tree
from toolgate.model.decision import Match
from toolgate.model.effect import Operation, Run, Write
from toolgate.model.rule import RuleContext
from toolgate.model.word import maybe_any
from toolgate.temporary_folders import is_in_temporary_folder

from .context import is_made_by_call, is_unchanged_before

_DISCARDING_FLAGS = {
    "git.checkout": ("discards", "force"),
    "git.restore": ("discards",),
    "git.switch": ("force",),
    "git.stash": ("drop", "clear"),
    "git.worktree": ("force",),
}


def check(operation: Operation, _options: None, context: RuleContext) -> Iterator[Match]:
    sure = maybe_any(operation.get_flag(name) for name in _DISCARDING_FLAGS[operation.name])
    if sure is False or (operation.get_flag("held") is True and is_unchanged_before(operation, context)):
        return
    is_worktree = operation.name == "git.worktree"
    if _is_own_worktree(operation, context) if is_worktree else is_made_by_call(operation, context):
        return
    if operation.name == "git.stash":
        message = f"Discards stashed work: {context.effects.quote_command(operation)}."
        yield Match(operation, message, "look at it with `git stash show -p`, and let the user drop it.", sure)
    else:
        instead = "git stash -u" if _is_git(operation, context) else ""
        message = f"Discards uncommitted work: {context.effects.quote_command(operation)}."
        yield Match(operation, message, instead, sure, advice="commit it, or copy it elsewhere, first.")


def _is_own_worktree(removal: Operation, context: RuleContext) -> bool:
    """Returns whether this call adds the work tree, or the session did and every file is as it left it."""
    if removal.target is not None and is_in_temporary_folder(removal.target):
        return True
    added = (write.place.path for write in context.effects.of_kind(Write) if write.tree)
    return (removal.work_tree in added and is_made_by_call(removal, context)) or is_own_tree(removal.work_tree, context)


def _is_git(operation: Operation, context: RuleContext) -> bool:
    runs = (effect for effect in context.effects.of_command(operation.origin.command) if isinstance(effect, Run))
    return all(run.argv[0].file_name not in _OTHER_VCS for run in runs)


_OTHER_VCS = ("hg", "sl", "svn", "p4")
"""Version control systems without a stash."""
