"""Rewriting all history: filter-branch, filter-repo, replaying it from the root.

Every commit gets a new id: each clone and each open branch of other people must be recreated. Work on a fresh clone.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext


def check(operation: Operation, _options: None, context: RuleContext) -> Iterator[Match]:
    message = f"Rewrites the history of the whole repository: {context.effects.quote_command(operation)}."
    yield Match(operation, message, instead="work on a fresh clone.")
