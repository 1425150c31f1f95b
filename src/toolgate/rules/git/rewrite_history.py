"""Rewriting all history: filter-branch, filter-repo, replaying it from the root.

Every commit gets a new id: each clone and each open branch of other people must be recreated. Work on a fresh clone.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext


def check(operation: Operation, _options: None, _context: RuleContext) -> Iterator[Match]:
    yield Match(operation, "Rewrites all history of the repository.", instead="do it on a fresh clone")
