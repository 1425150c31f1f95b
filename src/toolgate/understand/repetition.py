"""Recognizes commands that this call has already lowered in the same state: they add no effects.

A function that is called a hundred times, or the rounds of a loop, run most of their commands again with the same words. What
only reads does the second time what it did the first time, on the same machine. What changes anything is lowered each time: rules
look at what was done before and after it.
"""

from collections.abc import Sequence, Set
from typing import NamedTuple

from toolgate.model.effect import Effect, Environment, Interpret, Read, Run
from toolgate.model.word import Word
from toolgate.shell.domain.protocol import Command

from .machine_state import MachineState

_FIRST_LOWERED = 24
"""Commands of a call that are not compared: short texts repeat nothing, and comparing costs time."""

_MAX_COMPARED = 100
"""Words of a command, and variables that it inherits, beyond which it is not compared."""


class Repetition(NamedTuple):
    """A command that was lowered. `read_input`: whether it read its standard input. `inner`: the commands that it has run, whose
    output is in its own. `context` keeps the object that the key identifies by its address."""

    number: int
    printed: Word
    effects: tuple[Run | Read | Interpret, ...]
    read_input: bool
    inner: frozenset[int]
    context: object

    def repeat_effects(self, command: Command) -> list[Run | Read | Interpret]:
        """Returns the effects as those of another command. What it runs has been recorded."""
        origin = self.effects[0].origin._replace(command=command.number)
        run, *others = (each._replace(origin=origin) for each in self.effects)
        return [run._replace(argv=command.argv) if isinstance(run, Run) else run, *others]

    def find_sources(self, command: Command) -> frozenset[int]:
        """Returns the commands whose output another command uses."""
        own = self.inner.union(*(word.src for word in command.argv))
        return own | command.stdin.src if self.read_input else own

    def print_as(self, command: Command) -> Word:
        """Returns the output as that of another command."""
        printed = self.printed
        passed = self.find_sources(command) if printed.src - {self.number} else frozenset[int]()
        return Word(printed.parts, printed.splits, passed | {command.number}) if printed.src else printed


class Repetitions:
    def __init__(self, machine_state: MachineState) -> None:
        self._machine_state = machine_state
        self._known: dict[tuple[object, ...], Repetition] = {}

    def build_key(self, command: Command, within: list[tuple[object, ...]]) -> tuple[object, ...] | None:
        """Returns everything that the effects of a command depend on, without the commands that its words come from. `within`:
        the scripts that it is in. None: the command is not compared."""
        scope = command.scope
        if command.number <= _FIRST_LOWERED or len(scope.exported) + len(command.argv) > _MAX_COMPARED:
            return None
        if any(name.endswith("()") for name in scope.exported):
            return None
        return (
            tuple((word.parts, word.splits) for word in command.argv),
            command.cwd.parts,
            command.stdin.parts,
            (command.span, command.via, command.site, command.file, command.depth, command.sure, command.always),
            command.merges_errors,
            tuple((name, sure, scope.variables.get(name)) for name, sure in scope.exported.items()),
            tuple(scope.assigned.items()),
            tuple(scope.choices.items()),
            id(scope.environ),
            self._machine_state.version,
            tuple(within),
        )

    def find(self, key: tuple[object, ...]) -> Repetition | None:
        return self._known.get(key)

    def remember(
        self, key: tuple[object, ...], command: Command, printed: Word, effects: Sequence[Effect], used: Set[int]
    ) -> None:
        """Remembers a command that only read, as did all that it ran, and whose output comes from nowhere but these and what it
        used."""
        own = tuple(e for e in effects if isinstance(e, Run | Read | Interpret) and e.origin.command == command.number)
        others = [each for each in effects if each.origin.command != command.number]
        inner = frozenset(each.origin.command for each in others)
        if len(own) + len(others) < len(effects) or not isinstance(own[0], Run) or (inner and _is_given_output(command)):
            return
        if not all(isinstance(each, Run | Read | Interpret | Environment) for each in others):
            return
        if printed.src <= used | inner | {command.number}:
            read_input = bool(command.stdin.src) and command.stdin.src <= used
            shown = printed.src & inner
            self._known[key] = Repetition(command.number, printed, own, read_input, shown, command.scope.environ)


def _is_given_output(command: Command) -> bool:
    """Returns whether the output of another command reaches this one, and with it what it runs."""
    return bool(command.stdin.src) or any(word.src for word in command.argv)
