"""Stopping, uninstalling or reconfiguring the gate, running its programs, reading its state.

Only the person does that, on a terminal of their own: `toolgate uninstall` and `toolgate doctor --repair` always work there.
"""

from collections.abc import Iterator

from toolgate import designs
from toolgate.model.decision import Match
from toolgate.model.effect import Operation, Read, Run
from toolgate.model.place import LOCAL
from toolgate.model.rule import RuleContext
from toolgate.model.word import Maybe, Word, maybe_all, maybe_any

GATE_PROGRAMS = ("toolgate", *designs.GATE_PROGRAMS)
GATE_COMMANDS = ("toolgate", "toolgate-hook")


_PROCESS_OPERATIONS = ("process.kill", "process.attach")
_PROCESS_FINDERS = ("pgrep", "pidof", "grep", "egrep", "fgrep", "rg", "awk", "gawk", "mawk")
"""Programs that select processes by name."""

_ADVICE = "leave the gate as it is; only the user changes it."


def check(effect: Operation | Run | Read, _options: None, context: RuleContext) -> Iterator[Match]:
    match effect:
        case Run():
            yield from _check_run(effect)
        case Read():
            yield from _check_read(effect, context.scene.home)
        case Operation():
            yield from _check_operation(effect, context)


def _check_run(run: Run) -> Iterator[Match]:
    """Matches every program of the gate's environment except its own commands, whose rows describe each verb."""
    if run.place is None or run.place.machine != LOCAL or run.place.is_anywhere:
        return
    sure = run.place.is_in("gate-programs")
    if sure is not False and not _is_gate_command(run):
        reason = f"Runs {run.argv[0].display_text}, a program of the environment that the gate itself runs in."
        yield Match(run, reason, "use the project's own environment, or another Python.", sure=sure)


def _is_gate_command(run: Run) -> bool:
    """Returns whether the run is `toolgate VERB` or `python -m toolgate VERB`, whose rows report their effects."""
    name = run.argv[0].file_name
    module = [word.text for word in run.argv[1:3]] == ["-m", "toolgate"]
    return name in GATE_COMMANDS or module


def _check_read(effect: Read, home: str) -> Iterator[Match]:
    place = effect.place
    if place.machine != LOCAL or place.is_anywhere:
        return
    sure = maybe_any((place.is_in("gate-state"), _includes_gate_state(effect)))
    if sure is None and place.path is None and not (place.anchor or "").startswith(f"{home.rstrip('/')}/."):
        return  # a search of the home folder or the whole machine
    if sure is not False:
        reason = f"Reads {place.display_text}, where the gate keeps its keys, approvals and records."
        yield Match(effect, reason, "ask the user to look with `toolgate log` or `toolgate stats`.", sure)


def _includes_gate_state(effect: Read) -> Maybe:
    """Returns whether a folder is read that contains the gate's state. Whether a copy leaves it out is unknown; the home folder
    as a whole does not count."""
    if effect.place.can_reach("home", "home-parent", "root") is True:
        return False
    return maybe_all((effect.place.can_reach("gate-state"), None)) if effect.tree else False


def _check_operation(operation: Operation, context: RuleContext) -> Iterator[Match]:
    target = operation.target
    if operation.name == "gate.control":
        command = (target.outline if target else "").removeprefix("toolgate.")
        yield Match(operation, f"Runs `toolgate {command}`, which changes or stops the gate.", _ADVICE)
    elif operation.name == "package.install" and operation.get_flag("replaces") is not True:
        return
    elif operation.name == "service.control" and maybe_any(map(operation.get_flag, ("stop", "disable"))) is False:
        return  # a restarted service is back in a moment, and callers wait for it
    elif target is not None and (
        _has_gate_name(target) or (operation.name in _PROCESS_OPERATIONS and _is_found_by_gate_name(target, context))
    ):
        message = f"Stops, removes or replaces the gate itself: {context.effects.quote_command(operation)}."
        yield Match(operation, message, _ADVICE)


def _has_gate_name(word: Word) -> bool:
    return any(word.contains(name) is True for name in GATE_PROGRAMS)


def _is_found_by_gate_name(target: Word, context: RuleContext) -> bool:
    """Returns whether the process id was looked up by the gate's name (`kill $(pgrep toolgate)`). A path may contain the name by
    chance."""
    if target.text is not None:
        return False
    feeding = context.effects.commands_feeding(target.src)
    return any(
        isinstance(run, Run)
        and (run.origin.command in feeding or not target.src)
        and run.argv[0].file_name in _PROCESS_FINDERS
        and any(_has_gate_name(word) and word.contains("/") is False for word in run.argv[1:])
        for run in context.effects.all
    )
