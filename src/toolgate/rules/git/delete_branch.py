"""Deleting a local branch that is not merged, or moving it away from its commits.

Commits that only it held remain in the reflog until that expires. `git branch -d` deletes a branch only when it is merged. `-D`
passes too where other branches, tags or remotes keep its commits, or where the session created the branch and every commit that
would be lost.
"""

from collections.abc import Iterator

from toolgate.branch_creations import is_made_in_call, is_own_loss
from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext
from toolgate.model.stakes import NOTHING_AT_STAKE, describe_lost_commits

from .context import is_made_by_call, is_unchanged_before

_BRANCH_SUBCOMMANDS = frozenset(("checkout", "switch", "pull", "push", "worktree"))


def check(branch: Operation, _options: None, context: RuleContext) -> Iterator[Match]:
    sure = branch.get_flag("force")
    if sure is False or is_made_by_call(branch, context) or is_made_in_call(branch, context):
        return
    loses_nothing_else = branch.stakes == NOTHING_AT_STAKE or is_own_loss(branch, context)
    if loses_nothing_else and is_unchanged_before(branch, context, _BRANCH_SUBCOMMANDS):
        return
    name = branch.target.display_text if branch.target else "a branch"
    lost = describe_lost_commits(branch.stakes)
    message = (
        f"Deletes the branch {name}: {lost} would be lost."
        if lost
        else f"Deletes or moves the branch {name}, merged or not; commits that only it has are lost."
    )
    instead = f"git branch -d {name}" if branch.target and branch.target.text else ""
    yield Match(branch, message, instead, sure, advice="merge or tag what it holds first.")
