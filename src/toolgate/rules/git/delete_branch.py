"""Deleting a local branch that is not merged, or moving it away from its commits.

Commits that only it held remain in the reflog until that expires. `git branch -d` deletes a branch only when it is merged. `-D`
passes too where other branches, tags or remotes keep its commits.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import Context
from toolgate.model.stakes import NOTHING_AT_STAKE, commits_lost

from .context import changes_nothing

_MOVES_ON = frozenset(("checkout", "switch", "pull", "push", "worktree"))


def check(branch: Operation, _options: None, context: Context) -> Iterator[Match]:
    sure = branch.flag("force")
    if sure is False or (branch.stakes == NOTHING_AT_STAKE and changes_nothing(branch, context, _MOVES_ON)):
        return
    name = branch.target.shown if branch.target else "a branch"
    lost = commits_lost(branch.stakes)
    told = (
        f"This deletes the branch {name}: {lost} would be lost."
        if lost
        else f"This deletes or moves the branch {name}, merged or not: commits that only it holds would be lost."
    )
    yield Match(branch, told, instead=f"git branch -d {name}" if branch.target and branch.target.text else "", sure=sure)
