"""Stopping, uninstalling or reconfiguring the gate.

Only the person does that, on a terminal of their own: `toolgate uninstall` and `toolgate doctor --repair` always work there.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import Context
from toolgate.model.word import some

NAMES = ("toolgate", "claude-safety-hook", "nous-plan-enforcer", "nous-execute-stop")


def check(operation: Operation, _options: None, _context: Context) -> Iterator[Match]:
    target = operation.target
    if operation.name == "gate.control":
        yield Match(operation, f"This is `toolgate {target.shown if target else ''}`: only the user may change or stop the gate.")
    elif operation.name == "package.install" and operation.flag("replaces") is not True:
        return
    elif operation.name == "service.control" and some(map(operation.flag, ("stop", "disable"))) is False:
        return  # one that is restarted is back in a moment, and who calls in between waits
    elif target is not None and any(target.contains(name) is True for name in NAMES):
        yield Match(operation, "This stops, removes or replaces the gate itself: only the user may do that.")
