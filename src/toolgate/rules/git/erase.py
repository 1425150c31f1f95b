"""Removing what git could still restore: expiring the reflog, pruning objects, deleting refs by hand.

Deleted branches, dropped stashes and undone commits stay there until then. `git gc` without `--prune=now` keeps them for weeks.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext

from .context import is_made_by_call


def check(operation: Operation, _options: None, context: RuleContext) -> Iterator[Match]:
    if is_made_by_call(operation, context):
        return
    message = f"Removes what git could still restore, for good: {context.effects.quote_command(operation)}."
    yield Match(operation, message, "git gc", advice="leave it to git's own schedule.")
