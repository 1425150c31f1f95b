"""The row of a program: its options and the roles of its operands, or a handler that reads its argv."""

import re
from collections.abc import Callable, Generator, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from toolgate.model.effect import (
    Carrier,
    Connect,
    Delete,
    Environment,
    Escalate,
    Interpret,
    Operation,
    PrintedOutput,
    Read,
    ReportedEffect,
    Run,
    Site,
    Write,
)
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import EMPTY, Hole, Maybe, Word, known_word

from .options import Flags, ParsedOptions

Handler = Callable[[tuple[Word, ...], ExecutionContext], Iterator[ReportedEffect]]

ROLES = (
    "data",
    "read",
    "print",
    "write",
    "change",
    "delete",
    "touch",
    "make",
    "command",
    "code",
    "connect",
    "assignments",
    "env",
)
"""The roles of operands and option values:

data         text without effect (law 4)
read, print  a file it reads; one whose content it prints
write        a file it writes; the program produces the content
change       a file of which it changes a part
delete       a path it deletes; recursively when `--recursive` is given
touch        a file it creates or leaves unchanged
make         a folder it creates
command      the rest of argv is a command it runs
code         shell text it runs
connect      a host or URL it connects to
assignments  leading NAME=value words
env          one NAME=value
"""


NO_OPTIONS = Flags()


class Program(NamedTuple):
    """`operands`: roles in order; a star repeats. `does`: a handler that reads argv itself. `silent`: prints nothing.

    `subcommands`: the roles of the operands after each subcommand; a bar separates those with the same roles
    (`"rm|remove": "delete*"`). `operands` are those of any other.

    `user`: the user that it runs its command as. `operation`: an operation that every call of it is.
    """

    flags: Flags = NO_OPTIONS
    operands: str = "data*"
    does: Handler | None = None
    silent: bool = False
    user: str = ""
    operation: str = ""
    subcommands: Mapping[str, str] = MappingProxyType({})

    def effects_of_call(self, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        if self.does is not None:
            return self.does(argv, context)
        return effects_by_role(self, argv, context)


INFORMATION_OPTIONS = ("--help", "--version")


def effects_by_role(program: Program, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    carrier = "command" in program.operands
    options = program.flags.parse(argv, stop=carrier)
    subcommand = options.operands[0].text if program.subcommands and options.operands else None
    found = next((roles for names, roles in program.subcommands.items() if subcommand in names.split("|")), None)
    roles = (program.operands if found is None else f"data {found}").split()
    if options.has_flag(*INFORMATION_OPTIONS) is True:
        return
    if program.operation and not options.operands and not {"--help", "--version"}.isdisjoint(options.strange):
        return
    if program.operation:
        yield Operation(program.operation, context.origin, options.operands[0] if options.operands else None)
    for name, value in options.values:
        if role := program.flags.roles.get(name):
            yield from effects_of_operand(role, value, options, context)
    if carrier:
        yield from run_rest_of_argv(program, roles, argv, options, context)
        return
    operands = list(options.operands)
    for n, role in enumerate(roles):
        if role.endswith("*"):
            keep = len(roles) - n - 1
            while len(operands) > keep:
                yield from effects_of_operand(role[:-1], operands.pop(0), options, context)
        elif operands:
            yield from effects_of_operand(role, operands.pop(0), options, context)


RECURSIVE_GLOB = "**/*"
"""The glob of everything below a folder. A program that deletes or overwrites all of its matches has deleted the folder."""


def _folder_of_whole_glob(word: Word) -> Word | None:
    """Returns the folder whose whole content this word denotes."""
    last = word.parts[-1] if word.parts else None
    if not isinstance(last, Hole) or last.like != RECURSIVE_GLOB or len(word.parts) < 2:
        return None
    return Word(word.parts[:-1], src=word.src) + known_word(".")


_WINDOWS_DRIVE = re.compile(r"([A-Za-z])(?::[\\/]+|(?<=[A-Z]):(?=[A-Z]))")
"""A Windows drive. Git's shell knows it as `/c`, and an unquoted backslash was removed by the shell before."""


def _windows_drive_path(word: Word) -> Word | None:
    drive = _WINDOWS_DRIVE.match(word.head)
    if drive is None:
        return None
    parts = tuple(part.replace("\\", "/") if isinstance(part, str) else part for part in word.drop_first(drive.end()).parts)
    return known_word(f"/{drive[1].lower()}/", word.src) + Word(parts, src=word.src)


def _report_deletion(word: Word, options: ParsedOptions, context: ExecutionContext) -> Iterator[Delete]:
    recursive = options.has_flag("--recursive")
    yield Delete(context.resolve_place(word, follow=False), recursive, context.origin)
    if (folder := _folder_of_whole_glob(word)) is not None:
        yield Delete(context.resolve_place(folder, follow=False), True, context.origin)
    if (drive := _windows_drive_path(word)) is not None:
        yield Delete(context.resolve_place(drive, follow=False), recursive, context.origin)


_FILE_ROLES = frozenset(("read", "print", "write", "change", "delete", "touch", "make"))


def effects_of_operand(role: str, word: Word, options: ParsedOptions, context: ExecutionContext) -> Iterator[ReportedEffect]:
    if word.parts or role not in _FILE_ROLES:  # an empty file name only causes an error
        yield from _effects_of_nonempty_operand(role, word, options, context)


def _effects_of_nonempty_operand(
    role: str, word: Word, options: ParsedOptions, context: ExecutionContext
) -> Iterator[ReportedEffect]:
    match role:
        case "read":
            yield Read(context.resolve_place(word), context.origin)
            context.read(word)
        case "print":
            yield Read(context.resolve_place(word), context.origin)
            yield PrintedOutput(context.read(word))
        case "write":
            yield Write(context.resolve_place(word), context.unknown_output(word.display_text), False, context.origin)
            if (folder := _folder_of_whole_glob(word)) is not None:
                yield Delete(context.resolve_place(folder, follow=False), True, context.origin)
        case "change":
            yield Write(context.resolve_place(word), None, True, context.origin)
        case "delete":
            yield from _report_deletion(word, options, context)
        case "touch":
            yield Write(context.resolve_place(word), None, True, context.origin, empty=True)
        case "make":
            yield Write(context.resolve_place(word), None, True, context.origin, folder=True)
            context.record_folder(word)
        case "code":
            yield Interpret("shell", word, context.origin, via=Carrier("code"))
        case "connect":
            yield Connect(word, context.origin)
        case "env":
            name, _, value = word.partition("=")
            yield Environment(name.display_text, value, context.origin)
        case _:
            pass


def run_rest_of_argv(
    program: Program, roles: list[str], argv: tuple[Word, ...], options: ParsedOptions, context: ExecutionContext
) -> Iterator[ReportedEffect]:
    """Runs the rest of argv as a command. An option that the row does not know may have consumed a word, so the result is
    unsure."""
    rest = list(argv[options.rest :])
    env: tuple[tuple[str, Word], ...] = ()
    for role in roles:
        if role == "assignments*":
            env = yield from take_assignments(rest, context)
        elif role == "command":
            break
        elif rest:
            yield from effects_of_operand(role, rest.pop(0), options, context)
    if program.user:
        other = options.value_of("--user")
        user = other.display_text if other is not None else program.user
        yield Escalate(program_name(argv), user, context.origin)
        site: Site | None = Site(context.site.machine, user, context.site.mounts)
    else:
        site = None
    if rest:
        sure: Maybe = None if (options.strange or options.open) and not _is_known_program(rest[0]) else True
        yield Run(tuple(rest), context.origin, make_carrier(argv), site, options.value_of("--chdir"), env=env, sure=sure)


def _is_known_program(word: Word) -> bool:
    """Returns whether a word names a program with a row. Such a word is not taken for the value of an unknown option."""
    from toolgate.programs import find_row

    return word.text is not None and find_row(word.text.rpartition("/")[2]) is not None


_matches_option_or_path = re.compile(r"-|.*/", re.DOTALL).match
"""Matches an option or a path. Other names need not be valid shell names: `env 'BASH_FUNC_f%%=() { ...; }'`."""


def take_assignments(
    words: list[Word], context: ExecutionContext
) -> Generator[ReportedEffect, None, tuple[tuple[str, Word], ...]]:
    """Removes the leading NAME=value words and returns the variables they set."""
    found: list[tuple[str, Word]] = []
    while words:
        name, assigns, value = words[0].partition("=")
        if not assigns or not name.text or _matches_option_or_path(name.text):
            break
        words.pop(0)
        found.append((name.text, value))
        yield Environment(name.text, value, context.origin)
    return tuple(found)


def combine_programs(*rows: Program) -> Program:
    """Returns a program with the effects of several rows."""

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        for row in rows:
            yield from row.effects_of_call(argv, context)

    return Program(does=report_effects)


def program_name(argv: tuple[Word, ...]) -> str:
    """Returns the program's name, without its folder."""
    return argv[0].file_name


def make_carrier(argv: tuple[Word, ...], option: str = "") -> Carrier:
    """Returns the program as the carrier of a command or code that this option gave it."""
    return Carrier(program_name(argv), option)


def join_arguments(words: list[Word]) -> Word:
    """Joins arguments to one command line, as ssh and eval do."""
    result = EMPTY
    for n, word in enumerate(words):
        result = result + Word((" ",)) + word if n else word
    return result
