"""Simple commands: their words and redirects, and how they are run: as a function, a builtin or a program."""

from collections.abc import Generator
from itertools import product
from typing import Any

from toolgate.model.effect import Environment, Interpret
from toolgate.model.word import EMPTY, Word, known, unknown

from . import builtins, differences, directories
from .expansion import expand, literal
from .fields import Fields
from .functions import Started, called
from .moment import Moment, Readers, Walk
from .openings import may_stay_shut
from .protocol import NUMBER, Beyond, Command, Values, Walking, Yielded
from .redirects import Outputs, named_descriptors, redirects, sent
from .state import Shell
from .syntax import Assignment, ShellWord, Simple
from .values import MANY, alternatives, common, first
from .variables import assigned_values, shadows

WORDS = 20_000


def simple(node: Simple, shell: Shell, readers: Readers) -> Walking:
    shell.span = node.span
    number: int = yield NUMBER
    shell.number = number
    shell.succeed()
    if not node.words:
        yield from _assignments(node, shell, number, readers)
        return
    said = shell.printed
    choices = yield from _argument_lists(node.words, shell, readers.walk)
    beside = shell.printed is not said  # the output of `tee >(sort)` may come later
    shell.number = number
    if node.assignments or node.redirects:
        yield from _in_surroundings(node, choices, shell, number, readers)
    else:
        choices = named_descriptors(choices, shell)
        sole = len(choices) == 1
        ways = [Started(tuple(argv), {}, {}, None, node, [], sole) for argv in choices]
        yield from _ran(ways, shell, readers)
        shell.number = number
    if beside:
        shell.say(EMPTY, unknown(">(...)"))


def _in_surroundings(node: Simple, choices: list[Fields], shell: Shell, number: int, readers: Readers) -> Walking:
    """Runs a command with assignments before it, or with redirects."""
    was = dict(shell.variables)
    assigned = (yield from _assigned(node, shell, readers.walk)) if node.assignments else {}
    shell.number = number
    stdins, outputs, doubts = yield from redirects(node.redirects, shell, number, readers.walk)
    given = [name for name, values in shell.variables.items() if was.get(name) != values] if shell.variables != was else ()
    exported = {name: first(values[0]) if len(values) == 1 else common(map(first, values)) for name, values in assigned.items()}
    for name, value in exported.items():
        yield Environment(name, value, shell.origin())
        if name == "PS4":
            shell.traced_with((value,))
    before = shell.quiet()
    choices = named_descriptors(choices, shell)
    ways = [
        Started(tuple(argv), exported, assigned, stdin, node, outputs, sole=len(choices) == 1)
        for argv, stdin in product(choices, stdins or (None,))
    ]
    changes = doubts and any(_changes(way.argv, shell) for way in ways)
    unopened = shell.copy() if changes and (yield from may_stay_shut(doubts, shell)) else None
    lost = given and [name for name in given if name in assigned or any(_is_started(way.argv, shell) for way in ways)]
    yield from _ran(ways, shell, readers)
    for name in lost:
        shell.variables[name] = alternatives((*shell.values(name), *was.get(name, (EMPTY,))))
    if unopened is not None:
        shell.unless_shut(unopened)
    printed = shell.heard(before)
    shell.number = number
    yield from sent(printed, outputs, shell, number)


def _ran(ways: list[Started], shell: Shell, readers: Readers) -> Walking:
    if len(ways) > 1:
        yield from _one_of(ways, shell, readers)
    elif ways[0].argv:
        yield from _run(ways[0], shell, readers)


def _assigned(node: Simple, shell: Shell, walk: Walk) -> Generator[Yielded, Any, dict[str, Values]]:
    """Returns the variables assigned for one command only; each assignment sees those before it (`x=/ y=$x env`)."""
    assigned: dict[str, Values] = {}
    hidden: dict[str, Values | None] = {}
    for assignment in node.assignments:
        values = yield from assigned_values(assignment, shell, walk)
        assigned[assignment.name] = values
        if len(node.assignments) > 1:
            hidden.setdefault(assignment.name, shell.variables.get(assignment.name))
            kept = shell.values(assignment.name) if "r" in shell.attributes.get(assignment.name, "") else ()
            shell.variables[assignment.name] = (*values, *kept)
    for name, before in hidden.items():
        if before is None:
            del shell.variables[name]
        else:
            shell.variables[name] = before
    return assigned


def _changes(argv: tuple[Word, ...], shell: Shell) -> bool:
    """Returns whether this may change the shell that runs it."""
    name = argv[0].text if argv else None
    return name in shell.functions or builtins.find(name) not in _CHANGE_NOTHING


_CHANGE_NOTHING = (None, builtins.nothing, builtins.tested, directories.pwd)


def _is_started(argv: tuple[Word, ...], shell: Shell) -> bool:
    """Returns whether this may run in a process of its own. bash and zsh open its files in that process, and zsh assigns its
    variables there, too: an assignment by such an expansion (`> ${x:=new}`) is lost to the shell. dash keeps it."""
    name = argv[0].text if argv else ""
    bodies = shell.functions.get(name, ()) if name else ()
    if name == "" or name in _BUILT_IN or (len(bodies) == 1 and bodies[0].sure):
        return False
    return builtins.find(name) in (None, builtins.precommand)


_BUILT_IN = frozenset(("echo", "kill", "print", "type"))


def _one_of(ways: list[Started], shell: Shell, readers: Readers) -> Walking:
    """Runs each of several commands that an unknown variable makes possible on its own path."""
    paths: list[Shell] = []
    for way in ways:
        path = shell.copy()
        if way.argv:
            yield from _run(way, path, readers)
        paths.append(path)
    shell.become(paths)


def _assignments(node: Simple, shell: Shell, number: int, readers: Readers) -> Walking:
    """Runs assignments in order: each sees those before it."""
    unassigned = shell.copy() if node.assignments and node.redirects else None
    for assignment in node.assignments:
        values = yield from assigned_values(assignment, shell, readers.walk)
        shell.assign(assignment.name, values)
        if shell.frame.zsh and assignment.name in _HOLD_CODE:
            for word in (word for value in values for word in (value if isinstance(value, tuple) else (value,))):
                yield Interpret("shell", word, shell.origin(), via=assignment.name)
        if assignment.name in shell.exported or assignment.name in shell.frame.environ or assignment.name.isupper():
            for value in values:
                yield Environment(assignment.name, first(value), shell.origin())
    shell.number = number
    stdins, outputs, doubts = yield from redirects(node.redirects, shell, number, readers.walk)
    if unassigned is not None and (yield from may_stay_shut(doubts, shell)):
        shell.unless_shut(unassigned)
    if node.redirects:
        yield from _unnamed(node, stdins, outputs, shell, readers)
    yield from sent(alternatives((EMPTY, *stdins)), outputs, shell, number)


_HOLD_CODE = frozenset(("functions", "commands", "aliases", "galiases", "saliases"))
"""zsh's own parameters whose values are run under the names of their keys."""


def _unnamed(node: Simple, stdins: tuple[Word, ...], outputs: Outputs, shell: Shell, readers: Readers) -> Walking:
    """Runs zsh's `$NULLCMD` or `$READNULLCMD` for redirects without a command: one word, otherwise `cat` or `more`."""
    stdin = common(stdins) if stdins else None
    for name in ("NULLCMD", "READNULLCMD"):
        for value in shell.values(name) if shell.is_set(name) else ():
            if first(value).parts:
                path = shell.maybe()
                yield from _run(Started((first(value),), {}, {}, stdin, node, outputs, sole=False), path, readers)
                shell.join(path)


def _argument_lists(
    words: "tuple[ShellWord | Assignment, ...]", shell: Shell, walk: Walk
) -> Generator[Yielded, Any, list[Fields]]:
    lists: list[Fields] = [[]]
    for word in words:
        if isinstance(word, Assignment):
            values = yield from assigned_values(word, shell, walk)
            more: list[Fields] = [[known(f"{word.name}=") + first(value)] for value in values]
            if any(isinstance(value, tuple) for value in values):
                if isinstance(words[0], ShellWord) and shadows(words[0]):
                    shell.shadow(word.name)
                shell.assign(word.name, values)
        elif (plain := literal(word)) is not None:
            more = [[plain]]
        else:
            more = yield from expand(word, shell, walk)
        if len(more) == 1:
            for known_so_far in lists:
                known_so_far.extend(more[0])
        else:
            lists = [a + b for a, b in product(lists, more)]
        if len(lists) > MANY:
            lists = _merged(lists)
        if (len(lists[0]) if len(lists) == 1 else sum(map(len, lists))) > WORDS:
            raise Beyond("a command has more arguments than the gate follows")
    return lists


def _merged(lists: list[Fields]) -> list[Fields]:
    """Generalizes argument lists of the same length, column by column, if there are too many."""
    by_length: dict[int, list[Fields]] = {}
    for fields in lists:
        by_length.setdefault(len(fields), []).append(fields)
    return [[common(column) for column in zip(*group, strict=True)] for group in by_length.values()]


def _run(started: Started, shell: Shell, readers: Readers) -> Walking:
    """Runs one command with one list of arguments: a function, a builtin or a program."""
    may_be_a_function = started.argv[0].text in shell.functions
    return (_function_or_not if may_be_a_function else _past_functions)(started, shell, readers)


def _function_or_not(started: Started, shell: Shell, readers: Readers) -> Walking:
    bodies = shell.functions.get(started.argv[0].text or "", ())
    if len(bodies) == 1 and bodies[0].sure:
        yield from called(bodies[0], started, shell, readers.walk)
        return
    paths: list[Shell] = []
    for body in bodies:
        path = shell.maybe()
        yield from called(body, started, path, readers.walk)
        path.settle()
        paths.append(path)
    yield from _past_functions(started, shell, readers)
    shell.join(*paths)


def _past_functions(started: Started, shell: Shell, readers: Readers) -> Walking:
    """Runs a builtin of that name, or a program."""
    name = started.argv[0].text
    if name in differences.ENDING and shell.frame.dialect != "bash" and differences.lacks(started.argv):
        shell.leave("exit")
    if shell.frame.dialect == "dash" and differences.lacks(started.argv):
        return
    stdin = shell.stdin if started.stdin is None else started.stdin
    if (own := builtins.find(name)) is not None:
        moment = Moment(stdin, started.assigned, started.outputs, *readers, started.stdin is not None)
        shell.say((yield from own(started.argv, moment, shell)))
        if shell.frame.dialect != "bash" and name in differences.SPECIAL:
            for variable, values in started.values.items():
                shell.assign(variable, alternatives((*values, *shell.values(variable))))
        return
    printed: list[Word] = []
    for cwd in shell.cwd:
        command = Command(
            started.argv,
            cwd,
            shell.scope(started.assigned, started.values),
            stdin,
            shell.frame.span or started.node.span,
            shell.frame.via,
            shell.frame.site,
            shell.number,
            shell.frame.sure,
            always=shell.always and started.sole and len(shell.cwd) == 1,
            depth=shell.depth,
            file=shell.frame.file,
        )
        printed.append((yield command))
    if name == "echo" and (shell.frame.zsh or shell.frame.dialect != "bash"):
        said = [*printed, *differences.told(started.argv)]
        printed = said + [spelled for word in said for spelled in differences.echoed(word)]
    shell.say(*dict.fromkeys(printed))
