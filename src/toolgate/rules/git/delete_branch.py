"""Deleting a local branch that is not merged, or moving it away from its commits.

Commits that only it held are left to the reflog, which forgets. `git branch -d` deletes a branch only when it is merged.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import Context


def check(branch: Operation, _options: None, _context: Context) -> Iterator[Match]:
    sure = branch.flag("force")
    if sure is not False:
        name = branch.target.shown if branch.target else "a branch"
        yield Match(branch, f"This takes away {name}, merged or not.", instead="git branch -d", sure=sure)
