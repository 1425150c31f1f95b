"""Shell text -> every simple command that it may run, in order, with what each of them would see.

The text is run symbolically: nothing is executed, every path is taken, and what differs by the path is kept as
alternatives. Nested texts (eval, source, a function's body, an alias) are read in the very shell that runs them.
"""

from collections.abc import Callable, Generator
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

from toolgate.model.effect import Connect, Environment, Interpret, Opaque, Operation, Read, Write
from toolgate.model.word import EMPTY, NOTHING, Word, joined, known, of_process, unknown

from . import builtins, loops, partial
from .expansion import Fields, expand, expand_one
from .moment import Moment
from .parser import parse
from .protocol import NUMBER, TICK, Beyond, Command, Contents, Reading, Values, Walking, Where, Yielded
from .state import DEPTH, Body, Call, Frame, Shell, Stream
from .syntax import (
    AndOr,
    ArithmeticCommand,
    ArithmeticFor,
    Assignment,
    Background,
    Case,
    Condition,
    Coprocess,
    For,
    Function,
    Group,
    If,
    Node,
    Not,
    Pipeline,
    Redirect,
    Redirected,
    Sequence,
    ShellWord,
    Simple,
    Subshell,
    Text,
    Timed,
    While,
)
from .values import ANY_ARGUMENTS, MANY, alternatives, common, first, unset
from .variables import assigned_values, shadows


def program(text: str, frame: Frame) -> Reading:
    """A whole text, run by a shell of its own. Returns what it prints."""
    shell = Shell.begin(frame)
    yield from read_text(text, shell)
    yield from _handled(shell)
    return common(shell.printed)


def run_text(word: Word, shell: Shell, via: str) -> Walking:
    """Text run in this very shell: eval, trap, source, an alias."""
    read = partial.spelled(word) if word.text is None else (word.text, {})
    if read is None:
        yield Interpret("shell", word, shell.origin(), via=via)
        shell.say(unknown(via, word.src))
        return
    text, parts = read
    if word.src:
        yield Interpret("shell", word, shell.origin(), via=via, followed=True)
    for name, part in parts.items():
        shell.assign(name, (part,))
    if shell.depth >= DEPTH:
        raise Beyond("shell text is nested deeper than the gate follows")
    frame, before = shell.frame, shell.quiet()
    shell.frame = replace(frame, via=(*frame.via, via), span=frame.span or shell.span)
    shell.depth += 1
    yield from read_text(text, shell)
    shell.frame = frame
    shell.depth -= 1
    shell.say(*(printed.from_commands(word.src) for printed in shell.heard(before)))


def read_text(text: str, shell: Shell) -> Walking:
    tree = parse(text)
    yield from walk(tree.body, shell)
    if tree.trouble is not None:
        yield Opaque(
            f"this shell text cannot be read: {tree.trouble.why}",
            shell.origin()._replace(span=shell.frame.span or tree.trouble.span),
        )


def walk(node: Node, shell: Shell) -> Walking:
    """One node of the tree."""
    return _READERS[type(node)](node, shell)


def _not(node: Not, shell: Shell) -> Walking:
    tested, shell.tested = shell.tested, True
    yield from walk(node.command, shell)
    shell.tested = tested
    if shell.failed:
        shell.cwd, shell.failed = shell.failed, shell.cwd


def _function(node: Function, shell: Shell) -> Walking:
    yield TICK
    before = () if shell.always else shell.functions.get(node.name, ())
    shell.functions[node.name] = (*before, Body(node.body, sure=shell.always))
    if node.name in _FOR_WHAT_IS_NOT_FOUND:
        if not shell.past.handlers:
            shell.past.cwd = shell.cwd
        shell.past.handlers.append((known(f'{node.name} "$@"'), True))


_FOR_WHAT_IS_NOT_FOUND = frozenset(("command_not_found_handle", "command_not_found_handler"))
"""Functions that the shell calls by itself for a name that no program has."""


def _arithmetic_command(node: ArithmeticCommand, shell: Shell) -> Walking:
    yield from expand_one(ShellWord((node.expression,), node.span), shell, walk)


def _subshell(node: Subshell, shell: Shell) -> Walking:
    sub = shell.subshell()
    yield from apart(node.body, sub)
    shell.say(*sub.printed)


def apart(body: Node, sub: Shell) -> Walking:
    """A process of its own: its traps run when it ends."""
    yield from walk(body, sub)
    left = [path for word, path in sub.left if word == "exit"]
    yield from _handled(sub)
    sub.join(*(path for path in left if not path.traps))


def _handled(shell: Shell) -> Walking:
    """What traps run: at the end, or at any time before, and then they may see whatever was so since they were set."""
    past = shell.past
    if not past.handlers:
        return
    left: list[Shell] = []
    n = 0
    while n < len(past.handlers):  # a handler may set another one, and leave
        left += [path for _, path in shell.left]
        shell.left = []
        shell.join(*(path for path in left if path.traps > n))
        handler, any_time = past.handlers[n]
        n += 1
        if any_time or shell.strict:
            for name, values in past.variables.items():
                seen = values if any_time else tuple(value for value in values if value != unset(name))
                shell.variables[name] = alternatives((*shell.values(name), *seen))
            shell.cwd = alternatives((*shell.cwd, *past.cwd))
            shell.arguments = tuple(dict.fromkeys((*shell.arguments, ANY_ARGUMENTS)))
        shell.always = False
        yield from run_text(handler, shell, "trap")


def _sequence(node: Sequence, shell: Shell) -> Walking:
    """Whether the last command went well is for whoever reads the sequence to ask."""
    for n, item in enumerate(node.items):
        if n:
            shell.settle()
        yield from walk(item, shell)


def _and_or(node: AndOr, shell: Shell) -> Walking:
    """`a && b || c`. What runs only if something before it went well or wrong may not run at all; a branch that leaves the
    text (`|| exit`) takes its failure with it."""
    reached, tested = shell.always, shell.tested
    shell.tested = True
    yield from walk(node.first, shell)
    before: Node = node.first
    skipped: Shell | None = None  # the path on which something went wrong
    for n, (operator, command) in enumerate(node.rest, 1):
        shell.tested = tested or n < len(node.rest)
        if not builtins.surely_succeeds(before):
            skipped = _met(skipped, shell.after_failure())
        shell.succeed()
        if operator == "&&":
            shell.always = reached and skipped is None
            yield from walk(command, shell)
        else:
            other = skipped if skipped is not None else shell.maybe()
            other.tested, skipped = shell.tested, None
            yield from walk(command, other)
            if not builtins.leaves(command):
                other.settle()
                shell.join(other)
        before = command
    shell.always, shell.tested = reached, tested
    if skipped is not None:
        shell.join(skipped)


def _met(one: Shell | None, other: Shell) -> Shell:
    if one is not None:
        other.join(one)
    return other


def _pipeline(node: Pipeline, shell: Shell) -> Walking:
    """Every member runs in a shell of its own; the last one may be this very shell (zsh)."""
    texts: tuple[Word, ...] = ()
    last = shell
    for n, command in enumerate(node.commands):
        paths: list[Shell] = []
        for stdin in readings(texts) if n else (shell.stdin,):
            path = shell.subshell()
            path.always, path.apart = False, (*shell.apart, *shell.calls)
            if n:
                path.stdin, path.reads = stdin, 0
            yield from apart(command, path)
            path.settle()
            paths.append(path)
        last = paths[0]
        last.join(*paths[1:])
        for path in paths[1:]:
            last.left += path.left
        texts = last.printed
    last.reads = shell.reads
    shell.say(*texts)
    last.printed = shell.printed
    shell.join(last)
    shell.left += last.left


_READINGS = 8


def readings(texts: tuple[Word, ...]) -> tuple[Word, ...]:
    """The texts that standard input may hold, one by one while they are few. Else whoever takes them for code or for lines reads
    them all, and may read something else."""
    if len(texts) <= _READINGS:
        return texts
    every = joined((text for text in texts if text.parts), "\n")
    return every, unknown("one of several texts", every.src)


def _beside(node: Background | Coprocess, shell: Shell) -> Walking:
    """Beside the rest of the text: what it does may be done at any time later, or not yet."""
    other = shell.subshell()
    other.always, other.apart = False, (*shell.apart, *shell.calls)
    yield from apart(node.command, other)
    if isinstance(node, Background):
        shell.say(*other.printed)


def _if(node: If, shell: Shell) -> Walking:
    tested = shell.tested
    ends: list[Shell] = []
    current = shell.copy()
    for condition, body in node.branches:
        current.tested = True
        yield from walk(condition, current)
        current.tested = tested
        taken = current.maybe()
        taken.succeed()
        yield from _branch(body, taken, ends)
        current = current.after_failure()
    if node.otherwise is not None:
        yield from _branch(node.otherwise, current, ends)
    else:
        ends.append(current)
    shell.become(ends or [current])


def _branch(body: Sequence, taken: Shell, ends: list[Shell]) -> Walking:
    """One way through; it ends here unless it leaves the text."""
    yield from walk(body, taken)
    if not builtins.leaves(body):
        taken.settle()
        ends.append(taken)


def _case(node: Case, shell: Shell) -> Walking:
    yield from expand_one(node.subject, shell, walk)
    ends: list[Shell] = []
    through: Shell | None = None  # `;&` goes on into the next arm
    again: Shell | None = None  # `;;&` looks for another one
    for arm in node.arms:
        for pattern in arm.patterns:
            yield from expand_one(pattern, shell, walk)
        taken = _met(through, _met(again, shell.maybe()))
        yield from _branch(arm.body, taken, ends)
        through = taken.copy() if arm.end == ";&" else None
        again = _met(again, taken.copy()) if arm.end == ";;&" else again
    if not any(_is_star(pattern) for arm in node.arms for pattern in arm.patterns):
        ends.append(shell.copy())
    shell.become(ends or [shell.copy()])


def _is_star(pattern: ShellWord) -> bool:
    return pattern.pieces == (Text("*", False),)


def _condition(node: Condition, shell: Shell) -> Walking:
    words = node.words
    for n, word in enumerate(words):
        values = yield from expand_one(word, shell, walk)
        if n + 1 < len(words) and _is_number_test(words[n + 1]):
            for value in values:
                if value.contains("$(") is True or value.contains("`") is True:
                    yield Opaque("a value runs a command when it is compared as a number", shell.origin())
    if any(word.pieces == (Text("=~", False),) for word in words):
        shell.assign("BASH_REMATCH", ((unknown("$BASH_REMATCH", splits=True),),))


def _is_number_test(word: ShellWord) -> bool:
    piece = word.pieces[0] if len(word.pieces) == 1 else None
    return isinstance(piece, Text) and piece.value in ("-eq", "-ne", "-lt", "-le", "-gt", "-ge")


def _redirected(node: Redirected, shell: Shell) -> Walking:
    number: int = yield NUMBER
    stdins, outputs = yield from redirects(node.redirects, shell, number)
    kept, before = (shell.stdin, shell.reads), shell.quiet()
    paths: list[Shell] = []
    for stdin in stdins or (None,):
        path = shell if len(stdins) < 2 else shell.copy()
        if stdin is not None:
            path.stdin, path.reads = stdin, 0
        yield from walk(node.command, path)
        paths.append(path)
    if len(paths) > 1:
        shell.become(paths)
    printed = shell.heard(before)
    if stdins:
        shell.stdin, shell.reads = kept
    yield from _sent(printed, outputs, shell, number)


# ---- redirects

Outputs = list[tuple[Stream, bool]]
WORDS = 20_000


def redirects(
    items: tuple[Redirect, ...], shell: Shell, number: int
) -> Generator[Yielded, Any, tuple[tuple[Word, ...], Outputs]]:
    """Opens them in order: what standard input may become (nothing: as it was), and where standard output goes."""
    stdin: tuple[Word, ...] = ()
    outputs: Outputs = []
    for item in items:
        values = yield from expand_one(item.target, shell, walk)
        operator = item.operator
        if operator in ("<<", "<<-", "<<<"):
            end = known("\n" if operator == "<<<" else "")
            stdin = readings(tuple(value + end for value in values))
        elif operator in (">&", "<&") and (values[0].text == "-" or (values[0].text or "").rstrip("-").isdigit()):
            if operator == ">&" and item.descriptor in ("", "1"):
                outputs += [(stream, True) for stream in shell.streams.get((values[0].text or "").rstrip("-"), ())]
        elif operator == "<" and None not in (printed := tuple(map(of_process, values))):
            stdin = readings(tuple(text for text in printed if text is not None))
        else:
            taken: list[Word] = []
            for value, cwd in product(values, shell.cwd):
                stream = yield from _opened(value, cwd, shell, number)
                if operator in ("<", "<>"):
                    taken += yield from _taken(stream, shell, number)
                if operator == "<":
                    continue
                if item.descriptor in ("", "1", "&") or operator.startswith("&"):
                    outputs.append((stream, ">>" in operator))
                else:
                    shell.streams[item.descriptor.strip("{}")] = (stream,)
                    if operator != "<>":
                        said = (unknown("what goes to another descriptor"),)
                        yield from _sent(said, [(stream, ">>" in operator)], shell, number)
            if taken:
                stdin = readings(tuple(dict.fromkeys(taken)))
    return stdin, outputs


def _opened(value: Word, cwd: Word, shell: Shell, number: int) -> Generator[Yielded, Any, Stream]:
    for protocol in ("/dev/tcp/", "/dev/udp/"):
        if value.starts(protocol) is True:
            yield Connect(value.cut(len(protocol)), shell.origin(number))
            return Stream(None, value.cut(len(protocol)))
    place = yield Where(value, cwd, shell.frame.site)
    return Stream(place)


def _taken(stream: Stream, shell: Shell, number: int) -> Generator[Yielded, Any, list[Word]]:
    """What the stream may hold."""
    if stream.place is None:
        return [unknown("what the other side sends", frozenset({number}))]
    yield Read(stream.place, shell.origin(number))
    contents: tuple[Word | None, ...] = yield Contents(stream.place, number)
    words = [content for content in contents if content is not None]
    if len(words) != len(contents) or not words:
        words.append(unknown(stream.place.shown, NOTHING.union({number}, *(word.src for word in words))))
    return words


def _sent(printed: tuple[Word, ...], outputs: Outputs, shell: Shell, number: int) -> Walking:
    """What was printed goes where it was sent, else to whoever reads what this shell prints."""
    if not outputs:
        shell.say(*printed)
    for stream, append in outputs:
        for each in printed:
            if stream.place is None:
                yield Connect(stream.target or EMPTY, shell.origin(number), sends=each)
            else:
                yield Write(stream.place, each, None if append is False and len(printed) > 1 else append, shell.origin(number))


# ---- simple commands


def simple(node: Simple, shell: Shell) -> Walking:
    yield TICK
    shell.span = node.span
    number: int = yield NUMBER
    shell.number = number
    shell.succeed()
    if not node.words:
        yield from _assignments(node, shell, number)
        return
    assigned: dict[str, Values] = {}
    for assignment in node.assignments:
        assigned[assignment.name] = yield from assigned_values(assignment, shell, walk)
    choices = yield from _argument_lists(node.words, shell)
    shell.number = number
    stdins, outputs = yield from redirects(node.redirects, shell, number)
    exported = {name: first(values[0]) if len(values) == 1 else common(map(first, values)) for name, values in assigned.items()}
    for name, value in exported.items():
        yield Environment(name, value, shell.origin())
    before = shell.quiet()
    ways = [
        _Started(tuple(argv), exported, stdin, node, outputs, sole=len(choices) == 1)
        for argv, stdin in product(choices, stdins or (None,))
    ]
    if len(ways) == 1:
        if ways[0].argv:
            yield from _run(ways[0], shell)
    else:
        yield from _one_of(ways, shell)
    printed = shell.heard(before)
    shell.number = number
    yield from _sent(printed, outputs, shell, number)


class _Started(NamedTuple):
    """A command with its words expanded. `stdin`: what it is given apart from the shell's own. `sole`: it has one reading."""

    argv: tuple[Word, ...]
    assigned: dict[str, Word]
    stdin: Word | None
    node: Simple
    outputs: Outputs
    sole: bool = True


def _one_of(ways: list[_Started], shell: Shell) -> Walking:
    """What a variable may be makes several commands of one; each goes its own way."""
    paths: list[Shell] = []
    for way in ways:
        path = shell.copy()
        if way.argv:
            yield from _run(way, path)
        paths.append(path)
    failed = alternatives(cwd for path in paths for cwd in path.failed)
    unread = tuple(dict.fromkeys(name for path in paths for name in path.unread))
    shell.become(paths)
    shell.failed, shell.unread = failed, unread


def _assignments(node: Simple, shell: Shell, number: int) -> Walking:
    """One after the other: the second sees the first."""
    for assignment in node.assignments:
        values = yield from assigned_values(assignment, shell, walk)
        shell.assign(assignment.name, values)
        if assignment.name in shell.exported or assignment.name in shell.frame.environ or assignment.name.isupper():
            for value in values:
                yield Environment(assignment.name, first(value), shell.origin())
    shell.number = number
    stdins, outputs = yield from redirects(node.redirects, shell, number)
    if node.redirects:
        yield from _unnamed(node, stdins, outputs, shell)
    yield from _sent(alternatives((EMPTY, *stdins)), outputs, shell, number)


def _unnamed(node: Simple, stdins: tuple[Word, ...], outputs: Outputs, shell: Shell) -> Walking:
    """Where there are redirects and nothing to run, zsh runs `$NULLCMD` or `$READNULLCMD`: one word, else `cat` or `more`."""
    stdin = common(stdins) if stdins else None
    for name in ("NULLCMD", "READNULLCMD"):
        for value in shell.values(name) if shell.is_set(name) else ():
            if first(value).parts:
                path = shell.maybe()
                yield from _run(_Started((first(value),), {}, stdin, node, outputs, sole=False), path)
                shell.join(path)


def _argument_lists(words: "tuple[ShellWord | Assignment, ...]", shell: Shell) -> Generator[Yielded, Any, list[Fields]]:
    lists: list[Fields] = [[]]
    for word in words:
        if isinstance(word, Assignment):
            values = yield from assigned_values(word, shell, walk)
            more: list[Fields] = [[known(f"{word.name}=") + first(value)] for value in values]
            if any(isinstance(value, tuple) for value in values):
                if isinstance(words[0], ShellWord) and shadows(words[0]):
                    shell.shadow(word.name)
                shell.assign(word.name, values)
        else:
            more = yield from expand(word, shell, walk)
        if len(more) == 1:
            for known_so_far in lists:
                known_so_far.extend(more[0])
        else:
            lists = [a + b for a, b in product(lists, more)]
        if len(lists) > MANY:
            lists = _merged(lists)
        if sum(map(len, lists)) > WORDS:
            raise Beyond("a command has more arguments than the gate follows")
    return lists


def _merged(lists: list[Fields]) -> list[Fields]:
    """Too many argument lists: column by column what they have in common, by length."""
    by_length: dict[int, list[Fields]] = {}
    for fields in lists:
        by_length.setdefault(len(fields), []).append(fields)
    return [[common(column) for column in zip(*group, strict=True)] for group in by_length.values()]


def _run(started: _Started, shell: Shell) -> Walking:
    """One command with one list of arguments: a function, what the shell itself does, or a program."""
    name = started.argv[0].text
    if name is not None and (bodies := shell.functions.get(name)):
        if len(bodies) == 1 and bodies[0].sure:
            yield from _called(bodies[0], started, shell)
            return
        for body in bodies:
            other = shell.maybe()
            yield from _called(body, started, other)
            other.settle()
            shell.join(other)
    stdin = shell.stdin if started.stdin is None else started.stdin
    if (own := builtins.find(name)) is not None:
        moment = Moment(stdin, started.assigned, started.outputs, walk, run_text, started.stdin is not None)
        shell.say((yield from own(started.argv, moment, shell)))
        return
    printed: list[Word] = []
    for cwd in shell.cwd:
        command = Command(
            started.argv,
            cwd,
            shell.scope(started.assigned),
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
    shell.say(*dict.fromkeys(printed))


_RECURSION = 2


def _called(body: Body, started: _Started, shell: Shell) -> Walking:
    """A function. One that calls itself is followed until its arguments are unknown: more would tell nothing new."""
    argv = started.argv
    earlier = [call for call in shell.calls if call.body is body.node]
    if earlier and any(call.body is body.node for call in shell.apart):
        yield Operation("process.replicate", shell.origin(), target=argv[0])
        return
    if len(earlier) > _RECURSION:
        return
    if len(earlier) == _RECURSION:
        argv = (argv[0], *ANY_ARGUMENTS[1:])
        shell.loosen(earlier[0].variables, earlier[0].cwd)
    if shell.depth >= DEPTH:
        raise Beyond("functions call each other deeper than the gate follows")
    kept = shell.arguments, shell.calls, shell.locals, shell.left
    own_stdin, exported = (shell.stdin, shell.reads), set(shell.exported)
    shell.calls = (*shell.calls, Call(body.node, dict(shell.variables), shell.cwd))
    shell.arguments = tuple(dict.fromkeys((zero[0], *argv[1:]) for zero in shell.arguments))
    shell.locals, shell.left = {}, []
    if started.stdin is not None:
        shell.stdin, shell.reads = started.stdin, 0
    for variable, value in started.assigned.items():
        shell.shadow(variable)
        shell.assign(variable, (value,))
        shell.exported[variable] = True
    shell.depth += 1
    yield from walk(body.node, shell)
    shell.depth -= 1
    left = shell.left
    shell.unshadow()
    shell.exported.update(dict.fromkeys(started.assigned.keys() - exported, False))  # taken back, except by old shells
    shell.arguments, shell.calls, shell.locals, shell.left = kept
    if started.stdin is not None:
        shell.stdin, shell.reads = own_stdin
    _return(left, shell)


def _return(left: list[tuple[str, Shell]], shell: Shell) -> None:
    """The paths that left a function: `return` meets what follows the call, `exit` goes on outwards."""
    for word, path in left:
        if word == "return":
            path.unshadow()
            path.arguments, path.locals, path.reads = shell.arguments, shell.locals, shell.reads
            shell.join(path)
        elif word == "exit":
            shell.left.append((word, path))


_READERS: dict[type, Callable[[Any, Shell], Walking]] = {
    Simple: simple,
    Sequence: _sequence,
    AndOr: _and_or,
    Pipeline: _pipeline,
    Not: _not,
    Timed: lambda node, shell: walk(node.command, shell),
    Group: lambda node, shell: walk(node.body, shell),
    Subshell: _subshell,
    Background: _beside,
    Coprocess: _beside,
    Redirected: _redirected,
    Function: _function,
    If: _if,
    While: lambda node, shell: loops.while_loop(node, shell, walk),
    For: lambda node, shell: loops.for_loop(node, shell, walk),
    ArithmeticFor: lambda node, shell: loops.counting_loop(node, shell, walk),
    Case: _case,
    Condition: _condition,
    ArithmeticCommand: _arithmetic_command,
}
