"""Stopping, uninstalling or reconfiguring the gate.

Only the person does that, on a terminal of their own: `toolgate uninstall` and `toolgate doctor --repair` always work there.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation, Run
from toolgate.model.rule import Context
from toolgate.model.word import Word, some

NAMES = ("toolgate", "claude-safety-hook", "nous-plan-enforcer", "nous-execute-stop")


_FINDERS = ("pgrep", "pidof", "grep", "egrep", "fgrep", "rg", "awk", "gawk", "mawk")
"""What chooses processes by their names."""


def check(operation: Operation, _options: None, context: Context) -> Iterator[Match]:
    target = operation.target
    if operation.name == "gate.control":
        yield Match(operation, f"This is `toolgate {target.shown if target else ''}`: only the user may change or stop the gate.")
    elif operation.name == "package.install" and operation.flag("replaces") is not True:
        return
    elif operation.name == "service.control" and some(map(operation.flag, ("stop", "disable"))) is False:
        return  # one that is restarted is back in a moment, and who calls in between waits
    elif target is not None and (_is_ours(target) or (operation.name == "process.kill" and _was_found(target, context))):
        yield Match(operation, "This stops, removes or replaces the gate itself: only the user may do that.")


def _is_ours(word: Word) -> bool:
    return any(word.contains(name) is True for name in NAMES)


def _was_found(target: Word, context: Context) -> bool:
    """Is it a number that was looked up by the gate's name (`kill $(pgrep toolgate)`)? A path may hold the name by chance."""
    if target.text is not None:
        return False
    feeding = context.effects.feeding(target.src)
    return any(
        isinstance(run, Run)
        and run.origin.command in feeding
        and run.argv[0].shown.rpartition("/")[2] in _FINDERS
        and any(_is_ours(word) and word.contains("/") is False for word in run.argv[1:])
        for run in context.effects.all
    )
