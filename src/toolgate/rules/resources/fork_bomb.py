"""Starting a function that starts itself in the background or in a pipe.

Each start makes at least one more: within seconds the machine has no processes left and must be restarted.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext


def check(operation: Operation, _options: None, _context: RuleContext) -> Iterator[Match]:
    name = operation.target.display_text if operation.target else "A function"
    message = f"{name} starts itself over and over: a fork bomb."
    yield Match(operation, message, "start a fixed number of processes.")
