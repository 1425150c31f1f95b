"""Remembers what code reported: code that runs again in the same state reports the same.

The environments of tox, or the packages of a workspace, start the same test runner, which loads the same files.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from toolgate.model.effect import Interpret, Origin, PrintedOutput, ReportedEffect
from toolgate.model.word import Word
from toolgate.shell.domain.protocol import Command

from .machine_state import MachineState
from .program_context import ProgramContext

_LANGUAGES = ("javascript", "python")
"""Languages whose readers report everything after they have read the whole text."""

CodeReader = Callable[[Interpret, str, ProgramContext], Iterator[ReportedEffect]]


class _Reading(NamedTuple):
    """`command`: the number of the command that ran it. `used`: the commands whose results it used."""

    command: int
    reported: list[ReportedEffect]
    used: frozenset[int]


class CodeReadings:
    def __init__(self, machine_state: MachineState) -> None:
        self._machine_state = machine_state
        self._known: dict[tuple[object, ...], _Reading] = {}
        self._files: set[tuple[object, ...]] = set()

    def report_effects(
        self, read: CodeReader, code: Interpret, text: str, command: Command, context: ProgramContext
    ) -> Iterator[ReportedEffect]:
        """Returns what the code reports, as effects of this command."""
        if not code.file or code.code.src or code.language not in _LANGUAGES or command.stdin.src:
            return read(code, text, context)
        file = self._build_file_key(code, text, command, context.origin)
        key = (file, *self._build_run_key(code, command, context.origin))
        if (known := self._known.get(key)) is None:
            before = frozenset(context.used)
            reported = list(read(code._replace(is_repeated=file in self._files), text, context))
            known = _Reading(command.number, reported, frozenset(context.used - before))
            self._known[key] = known
            self._files.add(file)
        context.used |= known.used
        return (_report_again(effect, known.command, command.number) for effect in known.reported)

    @staticmethod
    def _build_file_key(code: Interpret, text: str, command: Command, origin: Origin) -> tuple[object, ...]:
        """Returns the file with its content, the environment that it runs in, and how surely it does."""
        scope = command.scope
        return (
            (code.language, code.file, code.of_test, code.is_standard_input, text),
            (command.cwd.parts, command.stdin.parts, command.always, origin.site, origin.sure),
            tuple((name, sure, scope.variables.get(name)) for name, sure in scope.exported.items()),
            tuple(scope.assigned.items()),
            tuple(scope.choices.items()),
            frozenset(scope.environ.items()),
        )

    def _build_run_key(self, code: Interpret, command: Command, origin: Origin) -> tuple[object, ...]:
        """Returns everything else that the reports of the code depend on. The line that a carrier names is for display."""
        return (
            tuple((word.parts, word.splits, word.src) for word in code.args),
            (command.depth, origin.span, origin.file),
            tuple(carrier._replace(program=carrier.program.partition(":")[0]) for carrier in origin.via),
            self._machine_state.version,
        )


def _report_again(effect: ReportedEffect, before: int, command: int) -> ReportedEffect:
    """Returns an effect of one command as that of another."""
    if isinstance(effect, PrintedOutput):
        word = effect.word
        src = frozenset(command if each == before else each for each in word.src)
        return effect._replace(word=Word(word.parts, word.splits, src))
    return effect._replace(origin=effect.origin._replace(command=command))
