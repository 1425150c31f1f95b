"""Facts about one command that runs: where its effects come from, what it sees, what carries the commands that it runs,
which file its code is in."""

from toolgate.model.effect import Carrier, Interpret, Origin
from toolgate.model.word import Maybe, Word
from toolgate.programs.argv.program import make_carrier
from toolgate.shell.domain.protocol import Command


def command_origin(command: Command) -> Origin:
    """Returns the origin of effects of this command."""
    return Origin(command.number, command.span, command.via, command.site, command.sure, command.file)


def list_carriers(command: Command, carrier: Carrier | None) -> tuple[Carrier, ...]:
    """Returns the carriers of what this command runs; the command itself where it names none."""
    return (*command.via, carrier or make_carrier(command.argv))


def _invocation_key(command: Command) -> tuple[object, ...]:
    """Returns the state that a started program sees: its words, directory, and what this call added to its environment.
    Unknown values that are made the same way are equal."""
    scope = command.scope
    exported = (name for name, is_exported in scope.exported.items() if is_exported is not False)
    environ = {name: scope.get(name) for name in (*exported, *scope.assigned)}
    shown = frozenset((name, None if value is None else value.parts) for name, value in environ.items())
    words = tuple(word.parts for word in (*command.argv, command.cwd, command.stdin))
    return words, len(command.argv), command.site, shown


def build_start_key(command: Command, files: int) -> tuple[object, ...]:
    """Returns what a started program sees. Empty where nothing shows yet that it may start itself. `files`: the version of the
    files' state, which a script that this call wrote may change before it starts itself."""
    if command.file:
        return _invocation_key(command)
    return (*_invocation_key(command), files) if command.depth > _FIRST_COMPARED else ()


_FIRST_COMPARED = 4
"""Commands within commands from which on a program that starts itself is looked for: comparing costs time."""


def combine_sureness(carried: Maybe, command: Command) -> Maybe:
    """Returns whether a command that this one carries surely runs."""
    return command.sure if carried is True else None if command.sure is not False else False


def source_file(code: Interpret, command: Command) -> str:
    """Returns the file that contains this code, unless this call wrote it."""
    return code.file if code.file and not code.code.src else command.file


def known_program_path(name: Word) -> str | None:
    """Returns the known end of a program's path: `$VENV/bin/python`."""
    folder, slash, _ = name.tail.rpartition("/")
    return name.tail if slash and name.text is None and (folder or name.tail) else None
