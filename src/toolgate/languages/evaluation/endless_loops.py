"""Loops that neither end nor wait: what every round of them starts, keeps, writes or requests."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from toolgate.model.effect import Connect, Write

from . import nodes

if TYPE_CHECKING:
    from .shared_state import Evaluation

_PAUSING_NAMES = frozenset("sleep usleep wait pause delay setTimeout wait_for_timeout waitForTimeout input".split())
_WAITING_NAMES = _PAUSING_NAMES | frozenset("await communicate recv accept read readline join poll get".split())
_STARTING_NAMES = frozenset("fork pcntl_fork forkpty Popen Process spawn exec spawnl spawnlp spawnv spawnvp posix_spawn".split())
_KEEPING_CALLS = frozenset(("list.append", "list.extend", "list.push", "+="))
_APPENDING_CALLS = frozenset(
    (
        *("file.write", "file.puts", "file.print", "file.writelines", "fs.appendFile", "File.appendAll"),
        *("append to", "print to", "file_put_contents", "fwrite"),
    )
)


def report_endless_loop(evaluation: Evaluation, names: AbstractSet[str], first_effect: int) -> None:
    """Reports what a loop does without end. `names`: what every round calls; `first_effect`: of the first round."""
    report = evaluation.report
    methods = {name.rpartition(".")[2] for name in names}
    if report.code.file:
        return
    if methods.isdisjoint(_PAUSING_NAMES) and _is_described(evaluation, names):
        if not names.isdisjoint(_APPENDING_CALLS) and any(isinstance(each, Write) for each in report.effects):
            report.operation("disk.fill")
        for target in [each.target for each in report.effects[first_effect:] if isinstance(each, Connect)]:
            report.operation("network.flood", target)
    if not methods.isdisjoint(_WAITING_NAMES):
        return
    if not methods.isdisjoint(_STARTING_NAMES):
        report.operation("process.replicate")
    if not names.isdisjoint(_KEEPING_CALLS):
        report.operation("memory.fill")


def may_leave(part: object) -> bool:
    """Returns whether a part of a loop's body returns or raises; functions that it defines are left out."""
    if isinstance(part, nodes.Return | nodes.Raise):
        return True
    if not isinstance(part, tuple) or isinstance(part, nodes.Lambda | nodes.Definition | nodes.ClassDefinition):
        return False
    return any(map(may_leave, part))


def _is_described(evaluation: Evaluation, names: AbstractSet[str]) -> bool:
    """Returns whether the library describes all functions. Any other may wait, or end the loop."""
    return all("." not in name or (name[0] != "?" and evaluation.library.has_call(name)) for name in names)
