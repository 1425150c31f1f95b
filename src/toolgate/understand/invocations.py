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


def invocation_key(command: Command) -> tuple[object, ...]:
    """Returns the state that a started program sees: its words, directory, and what this call added to its environment.
    Unknown values with the same name are equal."""
    scope = command.scope
    exported = (name for name, is_exported in scope.exported.items() if is_exported is not False)
    environ = {name: scope.get(name) for name in (*exported, *scope.assigned)}
    shown = frozenset((name, None if value is None else value.display_text) for name, value in environ.items())
    return tuple(word.display_text for word in command.argv), command.cwd.display_text, command.stdin.display_text, shown


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
