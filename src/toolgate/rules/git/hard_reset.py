"""Throwing away uncommitted changes with `git reset --hard`, which leaves later commits only to the reflog.

`git stash -u` puts the work aside instead, and `git stash pop` brings it back. Where everything is committed and the target or
another branch keeps the commits, nothing is lost and the call passes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import Context
from toolgate.model.stakes import commits_lost
from toolgate.model.world import GitState

from .context import changes_nothing


@dataclass(frozen=True, slots=True)
class Options:
    """`branches`: only a reset to one of these matches; every reset does where the list is empty."""

    branches: tuple[str, ...] = ()


def check(reset: Operation, options: Options, context: Context) -> Iterator[Match]:
    hard = reset.flag("hard")
    if reset.flag("held") is True and changes_nothing(reset, context):
        return
    if hard is not False and (not options.branches or _is_on(reset, options.branches, context)):
        lost = commits_lost(reset.stakes)
        also = f", and {lost}" if lost else ""
        yield Match(reset, f"This throws away work that is not committed{also}.", instead="git stash -u", sure=hard)


def _is_on(reset: Operation, branches: tuple[str, ...], context: Context) -> bool:
    """Returns whether the reset names one of these branches, or one of them is the current branch."""
    named = (reset.target.shown if reset.target else "").rpartition("/")[2]
    state = context.world.git(context.scene.cwd)
    current = state.branch if isinstance(state, GitState) else None
    return re.split(r"[~^@]", named)[0] in branches or current in branches
