"""Force-pushing, which rewrites a branch that others may have built on, or deleting it on the server.

Their commits become unreachable on the server. `--force-with-lease` does the same only where nobody pushed in between.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext
from toolgate.model.word import maybe_any
from toolgate.model.world import GitState


@dataclass(frozen=True, slots=True)
class Options:
    """`lease_is_fine`: `--force-with-lease` alone passes. `delete_is_fine`: deleting a remote branch passes."""

    lease_is_fine: bool = True
    delete_is_fine: bool = False


def check(push: Operation, options: Options, context: RuleContext) -> Iterator[Match]:
    if push.get_flag("dry_run") is True:
        return
    state = context.world.git(context.scene.cwd)
    branch = push.target.display_text if push.target else (isinstance(state, GitState) and state.branch) or "a branch"
    force = maybe_any(
        (push.get_flag("force"), push.get_flag("mirror"), False if options.lease_is_fine else push.get_flag("lease"))
    )
    if force is not False:
        yield Match(
            push,
            f"Force-push to {branch.lstrip('+')} discards commits that others may have pushed there.",
            "git push --force-with-lease",
            sure=force,
            without=("--force", "-f"),
            advice="push to a branch of your own.",
        )
    deleted = False if options.delete_is_fine else push.get_flag("delete")
    if deleted is not False:
        message = f"Deletes {branch.lstrip(':')} on the server, where others may still use it."
        yield Match(push, message, "leave it to the user.", deleted)
