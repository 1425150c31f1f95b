"""Throwing away uncommitted changes with `git reset --hard`, which leaves later commits only to the reflog.

`git stash -u` puts the work aside instead, and `git stash pop` brings it back. Where everything is committed and the target or
another branch keeps the commits, nothing is lost and the call passes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext
from toolgate.model.stakes import describe_lost_commits
from toolgate.model.world import GitState

from .context import is_made_by_call, is_unchanged_before


@dataclass(frozen=True, slots=True)
class Options:
    """`branches`: only a reset to one of these matches; every reset does where the list is empty."""

    branches: tuple[str, ...] = ()


def check(reset: Operation, options: Options, context: RuleContext) -> Iterator[Match]:
    hard = reset.get_flag("hard")
    if (reset.get_flag("held") is True and is_unchanged_before(reset, context)) or is_made_by_call(reset, context):
        return
    if hard is not False and (not options.branches or _is_reset_of_branch(reset, options.branches, context)):
        lost = describe_lost_commits(reset.stakes)
        also = f", and {lost}" if lost else ""
        message = f"Discards uncommitted work{also}: {context.effects.quote_command(reset)}."
        yield Match(reset, message, "git stash -u", hard, advice="commit the work, or copy it elsewhere, first.")


def _is_reset_of_branch(reset: Operation, branches: tuple[str, ...], context: RuleContext) -> bool:
    """Returns whether the reset names one of these branches, or one of them is the current branch."""
    named = (reset.target.outline if reset.target else "").rpartition("/")[2]
    state = context.world.git(context.scene.cwd)
    current = state.branch if isinstance(state, GitState) else None
    return re.split(r"[~^@]", named)[0] in branches or current in branches
