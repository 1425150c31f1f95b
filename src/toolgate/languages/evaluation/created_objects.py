"""Methods that create machines in a loop: `run_instances`, `new RunInstancesCommand(..)`, `droplets.create`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgate.machine_names import MACHINES, names_machine
from toolgate.model.word import known_word

from .values import Instance, Unknown, Value

if TYPE_CHECKING:
    from .shared_state import Arguments, Evaluation

_MANY = 5


def report_created_machines(evaluation: Evaluation, name: str, arguments: Arguments, maker: str) -> None:
    """Reports a method that creates machines in each round of a loop. `maker`: what made the object whose method it is."""
    owner, _, method = name.rpartition(".")
    nouns = {owner.rpartition(".")[2].lower(), maker.rpartition(".")[2].lower()}
    creates = names_machine(method) or any(map(_is_creation, arguments.positional))
    if not creates and not (method in ("create", "insert") and not MACHINES.isdisjoint(nouns)):
        return
    count = evaluation.called.get("machine", 0) + 1
    evaluation.called["machine"] = count
    if evaluation.repeats or count >= _MANY:
        evaluation.report.operation("tool.act", known_word("code that creates paid machines in a loop"), multiplies=True)


def _is_creation(argument: Value) -> bool:
    """Returns whether an argument is a command that creates machines: `new RunInstancesCommand(..)`."""
    name = argument.type if isinstance(argument, Instance) else argument.name if isinstance(argument, Unknown) else ""
    return names_machine(name.rpartition(".")[2].removesuffix("Command"))
