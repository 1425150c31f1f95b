"""Rewriting all history: filter-branch, filter-repo, replaying it from the root.

Every commit gets a new id: each clone and each open branch of other people must be recreated. Work on a fresh clone: one that
the call itself makes in a folder for temporary files passes.
"""

from collections.abc import Iterator

from toolgate.flows.made_folders import is_made_here
from toolgate.model.decision import Match
from toolgate.model.effect import Operation, Run
from toolgate.model.rule import RuleContext


def check(operation: Operation, _options: None, context: RuleContext) -> Iterator[Match]:
    runs = (run for run in context.effects.of_kind(Run) if run.origin.command == operation.origin.command)
    if any(run.cwd is not None and is_made_here(run.cwd, operation, context.effects) for run in runs):
        return
    message = f"Rewrites the history of the whole repository: {context.effects.quote_command(operation)}."
    yield Match(operation, message, instead="work on a fresh clone.")
