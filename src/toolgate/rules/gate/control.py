"""Stopping, uninstalling or reconfiguring the gate, running its programs, reading its state.

Only the person does that, on a terminal of their own: `toolgate uninstall` and `toolgate doctor --repair` always work there.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation, Read, Run
from toolgate.model.place import LOCAL
from toolgate.model.rule import Context
from toolgate.model.word import Maybe, Word, every, some

NAMES = ("toolgate", "claude-safety-hook", "nous-plan-enforcer", "nous-execute-stop")
COMMANDS = ("toolgate", "toolgate-hook")


_TO_PROCESSES = ("process.kill", "process.attach")
_FINDERS = ("pgrep", "pidof", "grep", "egrep", "fgrep", "rg", "awk", "gawk", "mawk")
"""Programs that select processes by name."""


def check(effect: Operation | Run | Read, _options: None, context: Context) -> Iterator[Match]:
    match effect:
        case Run():
            yield from _started(effect)
        case Read():
            yield from _read(effect, context.scene.home)
        case Operation():
            yield from _operated(effect, context)


def _started(run: Run) -> Iterator[Match]:
    """Matches every program of the gate's environment except its own commands, whose rows describe each verb."""
    if run.place is None or run.place.machine != LOCAL or run.place.anywhere:
        return
    sure = run.place.is_in("gate-programs")
    if sure is not False and not _is_a_command_of_ours(run):
        reason = f"This runs {run.argv[0].shown}, a program of the environment that the gate itself runs in."
        yield Match(run, reason, "use the project's own environment, or another Python.", sure=sure)


def _is_a_command_of_ours(run: Run) -> bool:
    """Returns whether the run is `toolgate VERB` or `python -m toolgate VERB`, whose rows report their effects."""
    name = run.argv[0].tail.rpartition("/")[2]
    module = [word.text for word in run.argv[1:3]] == ["-m", "toolgate"]
    return name in COMMANDS or module


def _read(effect: Read, home: str) -> Iterator[Match]:
    place = effect.place
    if place.machine != LOCAL or place.anywhere:
        return
    sure = some((place.is_in("gate-state"), _with_its_folder(effect)))
    if sure is None and place.path is None and not (place.anchor or "").startswith(f"{home.rstrip('/')}/."):
        return  # a search of the home folder or the whole machine
    if sure is not False:
        reason = f"This reads {place.shown}, where the gate keeps its keys, approvals and records."
        yield Match(effect, reason, "ask the user to look with `toolgate log` or `toolgate stats`.", sure=sure)


def _with_its_folder(effect: Read) -> Maybe:
    """Returns whether a folder is read that contains the gate's state. Whether a copy leaves it out is unknown; the home folder
    as a whole does not count."""
    if effect.place.reaches("home", "home-parent", "root") is True:
        return False
    return every((effect.place.reaches("gate-state"), None)) if effect.tree else False


def _operated(operation: Operation, context: Context) -> Iterator[Match]:
    target = operation.target
    if operation.name == "gate.control":
        yield Match(operation, f"This is `toolgate {target.shown if target else ''}`: only the user may change or stop the gate.")
    elif operation.name == "package.install" and operation.flag("replaces") is not True:
        return
    elif operation.name == "service.control" and some(map(operation.flag, ("stop", "disable"))) is False:
        return  # a restarted service is back in a moment, and callers wait for it
    elif target is not None and (_is_ours(target) or (operation.name in _TO_PROCESSES and _was_found(target, context))):
        yield Match(operation, "This stops, removes or replaces the gate itself: only the user may do that.")


def _is_ours(word: Word) -> bool:
    return any(word.contains(name) is True for name in NAMES)


def _was_found(target: Word, context: Context) -> bool:
    """Returns whether the process id was looked up by the gate's name (`kill $(pgrep toolgate)`). A path may contain the name by
    chance."""
    if target.text is not None:
        return False
    feeding = context.effects.feeding(target.src)
    return any(
        isinstance(run, Run)
        and (run.origin.command in feeding or not target.src)
        and run.argv[0].tail.rpartition("/")[2] in _FINDERS
        and any(_is_ours(word) and word.contains("/") is False for word in run.argv[1:])
        for run in context.effects.all
    )
