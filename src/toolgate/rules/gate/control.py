"""Stopping, uninstalling or reconfiguring the gate.

Only the person does that, on a terminal of their own: `toolgate uninstall` and `toolgate doctor --repair` always work there.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import Context


def check(operation: Operation, _options: None, _context: Context) -> Iterator[Match]:
    target = operation.target
    if operation.name == "gate.control":
        yield Match(operation, f"This is `toolgate {target.shown if target else ''}`: only the user may change or stop the gate.")
    elif target is not None and target.contains("toolgate") is True:
        yield Match(operation, "This stops or removes the gate itself: only the user may do that.")
