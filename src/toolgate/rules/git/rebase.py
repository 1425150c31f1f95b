"""Rewriting local commits on another base.

Off by default: it is a developer's daily work, and the reflog keeps the old commits. For teams whose branches are shared.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext


def check(operation: Operation, _options: None, context: RuleContext) -> Iterator[Match]:
    if operation.get_flag("under_way") is not True:
        message = f"Rewrites commits that others may have built on: {context.effects.quote_command(operation)}."
        yield Match(operation, message, "git merge", advice="merge instead of rebasing.")
