"""The row of a program: its options and the roles of its operands, or a handler that reads its argv."""

import re
from collections.abc import Callable, Generator, Iterator
from typing import NamedTuple

from toolgate.model.effect import (
    Connect,
    Delete,
    Environment,
    Escalate,
    Interpret,
    Operation,
    Prints,
    Read,
    Reported,
    Run,
    Site,
    Write,
)
from toolgate.model.seen import Seen
from toolgate.model.word import EMPTY, Hole, Maybe, Word, known

from .options import Flags, Given

Does = Callable[[tuple[Word, ...], Seen], Iterator[Reported]]

ROLES = ("data", "read", "print", "write", "delete", "touch", "make", "command", "code", "connect", "assignments", "env")
"""The roles of operands and option values:

data         text without effect (law 4)
read, print  a file it reads; one whose content it prints
write        a file it writes; the program produces the content
delete       a path it deletes; recursively when `--recursive` is given
touch        a file it creates or leaves unchanged
make         a folder it creates
command      the rest of argv is a command it runs
code         shell text it runs
connect      a host or URL it connects to
assignments  leading NAME=value words
env          one NAME=value
"""


NO_FLAGS = Flags()


class Program(NamedTuple):
    """`operands`: roles in order; a star repeats. `does`: a handler that reads argv itself. `silent`: prints nothing.

    `user`: the user that it runs its command as. `operation`: an operation that every call of it is.
    """

    flags: Flags = NO_FLAGS
    operands: str = "data*"
    does: Does | None = None
    silent: bool = False
    user: str = ""
    operation: str = ""

    def effects(self, argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        if self.does is not None:
            return self.does(argv, seen)
        return by_roles(self, argv, seen)


INFORMATION = ("--help", "--version")


def by_roles(program: Program, argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    roles = program.operands.split()
    carrier = "command" in roles
    given = program.flags.read(argv, stop=carrier)
    if given.flag(*INFORMATION) is True:
        return
    if program.operation and not given.operands and not {"--help", "--version"}.isdisjoint(given.strange):
        return
    if program.operation:
        yield Operation(program.operation, seen.origin, given.operands[0] if given.operands else None)
    for name, value in given.values:
        if role := program.flags.roles.get(name):
            yield from in_role(role, value, given, seen)
    if carrier:
        yield from carried(program, roles, argv, given, seen)
        return
    operands = list(given.operands)
    for n, role in enumerate(roles):
        if role.endswith("*"):
            keep = len(roles) - n - 1
            while len(operands) > keep:
                yield from in_role(role[:-1], operands.pop(0), given, seen)
        elif operands:
            yield from in_role(role, operands.pop(0), given, seen)


EVERYTHING = "**/*"
"""The glob of everything below a folder. A program that deletes or overwrites all of its matches has deleted the folder."""


def _emptied(word: Word) -> Word | None:
    """Return the folder whose whole content this word denotes."""
    last = word.parts[-1] if word.parts else None
    if not isinstance(last, Hole) or last.like != EVERYTHING or len(word.parts) < 2:
        return None
    return Word(word.parts[:-1], src=word.src) + known(".")


_DRIVE = re.compile(r"([A-Za-z])(?::[\\/]+|(?<=[A-Z]):(?=[A-Z]))")
"""A Windows drive. Git's shell knows it as `/c`, and an unquoted backslash was removed by the shell before."""


def _on_a_drive(word: Word) -> Word | None:
    drive = _DRIVE.match(word.head)
    if drive is None:
        return None
    parts = tuple(part.replace("\\", "/") if isinstance(part, str) else part for part in word.cut(drive.end()).parts)
    return known(f"/{drive[1].lower()}/", word.src) + Word(parts, src=word.src)


def _deleted(word: Word, given: Given, seen: Seen) -> Iterator[Delete]:
    recursive = given.flag("--recursive")
    yield Delete(seen.place(word, follow=False), recursive, seen.origin)
    if (folder := _emptied(word)) is not None:
        yield Delete(seen.place(folder, follow=False), True, seen.origin)
    if (drive := _on_a_drive(word)) is not None:
        yield Delete(seen.place(drive, follow=False), recursive, seen.origin)


_OF_FILES = frozenset(("read", "print", "write", "delete", "touch", "make"))


def in_role(role: str, word: Word, given: Given, seen: Seen) -> Iterator[Reported]:
    if word.parts or role not in _OF_FILES:  # an empty file name only causes an error
        yield from _in_role(role, word, given, seen)


def _in_role(role: str, word: Word, given: Given, seen: Seen) -> Iterator[Reported]:
    match role:
        case "read":
            yield Read(seen.place(word), seen.origin)
            seen.read(word)
        case "print":
            yield Read(seen.place(word), seen.origin)
            yield Prints(seen.read(word))
        case "write":
            yield Write(seen.place(word), seen.output(word.shown), False, seen.origin)
            if (folder := _emptied(word)) is not None:
                yield Delete(seen.place(folder, follow=False), True, seen.origin)
        case "delete":
            yield from _deleted(word, given, seen)
        case "touch":
            yield Write(seen.place(word), None, True, seen.origin, empty=True)
        case "make":
            yield Write(seen.place(word), None, True, seen.origin, folder=True)
            seen.made(word)
        case "code":
            yield Interpret("shell", word, seen.origin, via="code")
        case "connect":
            yield Connect(word, seen.origin)
        case "env":
            name, _, value = word.partition("=")
            yield Environment(name.shown, value, seen.origin)
        case _:
            pass


def carried(program: Program, roles: list[str], argv: tuple[Word, ...], given: Given, seen: Seen) -> Iterator[Reported]:
    """Run the rest of argv as a command. An option that the row does not know may have consumed a word, so the result is
    unsure."""
    rest = list(argv[given.rest :])
    env: tuple[tuple[str, Word], ...] = ()
    for role in roles:
        if role == "assignments*":
            env = yield from assigned(rest, seen)
        elif role == "command":
            break
        elif rest:
            yield from in_role(role, rest.pop(0), given, seen)
    if program.user:
        other = given.value("--user")
        user = other.shown if other is not None else program.user
        yield Escalate(argv[0].shown, user, seen.origin)
        site: Site | None = Site(seen.site.machine, user, seen.site.mounts)
    else:
        site = None
    if rest:
        via = argv[0].shown.rpartition("/")[2]
        sure: Maybe = None if (given.strange or given.open) and not _is_program(rest[0]) else True
        yield Run(tuple(rest), seen.origin, via, site, given.value("--chdir"), env=env, sure=sure)


def _is_program(word: Word) -> bool:
    """Tell whether a word names a program with a row. Such a word is not taken for the value of an unknown option."""
    from . import row

    return word.text is not None and row(word.text.rpartition("/")[2]) is not None


_NO_NAME = re.compile(r"-|.*/", re.DOTALL).match
"""Matches an option or a path. Other names need not be valid shell names: `env 'BASH_FUNC_f%%=() { ...; }'`."""


def assigned(words: list[Word], seen: Seen) -> Generator[Reported, None, tuple[tuple[str, Word], ...]]:
    """Remove the leading NAME=value words and return the variables they set."""
    found: list[tuple[str, Word]] = []
    while words:
        name, assigns, value = words[0].partition("=")
        if not assigns or not name.text or _NO_NAME(name.text):
            break
        words.pop(0)
        found.append((name.text, value))
        yield Environment(name.text, value, seen.origin)
    return tuple(found)


def also(first: Program, second: Program) -> Program:
    """Return a program with the effects of two rows."""

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        yield from first.effects(argv, seen)
        yield from second.effects(argv, seen)

    return Program(does=does)


def via(argv: tuple[Word, ...], option: str = "") -> str:
    """Return how findings name this carrier: `sh -c`."""
    name = argv[0].shown.rpartition("/")[2]
    return f"{name} {option}" if option else name


def text_of(words: list[Word]) -> Word:
    """Join arguments to one command line, as ssh and eval do."""
    result = EMPTY
    for n, word in enumerate(words):
        result = result + Word((" ",)) + word if n else word
    return result
