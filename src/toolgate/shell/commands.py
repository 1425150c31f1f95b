"""Shell text -> every simple command that it may run, in order, with what each of them would see.

The text is run symbolically: nothing is executed, every path is taken, and what differs by the path is kept as
alternatives. Nested texts (eval, source, a function's body, an alias) are read in the very shell that runs them.
"""

from collections.abc import Callable, Generator
from dataclasses import replace
from itertools import product
from typing import Any

from toolgate.model.effect import Connect, Environment, Interpret, Opaque, Operation, Read, Write
from toolgate.model.word import EMPTY, NOTHING, Word, joined, known, unknown

from . import builtins
from .expansion import Fields, elements, expand, expand_one
from .parser import parse
from .protocol import NUMBER, TICK, Beyond, Command, Contents, Reading, Values, Where, Yielded
from .state import DEPTH, MANY, Body, Frame, Shell, Stream, alternatives, common, first
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


def program(text: str, frame: Frame) -> Reading:
    """A whole text, run by a shell of its own. Returns what it prints."""
    shell = Shell.begin(frame)
    printed: Word = yield from read_text(text, shell)
    for handler in shell.traps:  # they run at the end, and see the variables as they are then
        printed = printed + (yield from run_text(handler, shell, "trap"))
    return printed


def run_text(word: Word, shell: Shell, via: str) -> Reading:
    """Text run in this very shell: eval, trap, source, an alias."""
    if word.text is None:
        yield Interpret("shell", word, shell.origin(), via=via)
        return unknown(via, word.src)
    if shell.depth >= DEPTH:
        raise Beyond("shell text is nested deeper than the gate follows")
    frame = shell.frame
    shell.frame = replace(frame, via=(*frame.via, via), span=frame.span or shell.span)
    shell.depth += 1
    printed: Word = yield from read_text(word.text, shell)
    shell.frame = frame
    shell.depth -= 1
    return printed.from_commands(word.src)


def read_text(text: str, shell: Shell) -> Reading:
    tree = parse(text)
    printed: Word = yield from walk(tree.body, shell)
    if tree.trouble is not None:
        yield Opaque(
            f"this shell text cannot be read: {tree.trouble.why}",
            replace(shell.origin(), span=shell.frame.span or tree.trouble.span),
        )
    return printed


def walk(node: Node, shell: Shell) -> Reading:
    """One node of the tree. Returns what it prints."""
    return _READERS[type(node)](node, shell)


def _not(node: Not, shell: Shell) -> Reading:
    printed: Word = yield from walk(node.command, shell)
    shell.cwd, shell.failed = alternatives(shell.cwd + shell.failed), ()  # failing is now what goes on
    return printed


def _function(node: Function, shell: Shell) -> Reading:
    yield TICK
    before = () if shell.always else shell.functions.get(node.name, ())
    shell.functions[node.name] = (*before, Body(node.body, sure=shell.always))
    return EMPTY


def _arithmetic_command(node: ArithmeticCommand, shell: Shell) -> Reading:
    yield from expand_one(ShellWord((node.expression,), node.span), shell, walk)
    return EMPTY


def _arithmetic_for(node: ArithmeticFor, shell: Shell) -> Reading:
    for expression in node.expressions:
        yield from expand_one(ShellWord((expression,), node.span), shell, walk)
    return (yield from _loop((node.body,), shell))


def _sequence(node: Sequence, shell: Shell) -> Reading:
    printed = EMPTY
    for item in node.items:
        printed = printed + (yield from walk(item, shell))
        if shell.failed:
            if not shell.strict:
                shell.cwd = alternatives(shell.cwd + shell.failed)
            shell.failed = ()
    return printed


def _and_or(node: AndOr, shell: Shell) -> Reading:
    """`a && b || c`. What runs only if something before it went well or wrong may not run at all; a branch that leaves the
    text (`|| exit`) takes its failure with it."""
    printed: Word = yield from walk(node.first, shell)
    before: Node = node.first
    failed: tuple[Word, ...] = ()
    skipped: list[Shell] = []
    reached = shell.always
    for operator, command in node.rest:
        if operator == "&&":
            failed, shell.failed = failed + shell.failed, ()
            if not builtins.surely_succeeds(before):
                skipped.append(shell.copy())
            shell.always = reached and not skipped
            printed = printed + (yield from walk(command, shell))
        else:
            other = shell.maybe()
            other.cwd, other.failed = alternatives(shell.failed + failed) or shell.cwd, ()
            printed = printed + (yield from walk(command, other))
            shell.failed = failed = ()
            if builtins.leaves(command):
                skipped = []
            else:
                shell.join(other)
        before = command
    shell.always = reached
    shell.join(*skipped)
    shell.failed += failed
    return printed


def _pipeline(node: Pipeline, shell: Shell) -> Reading:
    """Every member runs in a shell of its own; the last one may be this very shell (zsh)."""
    stdin, printed = shell.stdin, EMPTY
    last = shell
    for command in node.commands:
        last = shell.maybe()
        last.stdin, last.apart = stdin, (*shell.apart, *shell.calls)
        printed = yield from walk(command, last)
        stdin = printed
    last.stdin, last.apart, last.always = shell.stdin, shell.apart, shell.always
    shell.join(last)
    return printed


def _apart(node: Background | Coprocess, shell: Shell) -> Reading:
    """Beside the rest of the text: what it does may be done at any time later, or not yet."""
    other = shell.maybe()
    other.apart = (*shell.apart, *shell.calls)
    printed: Word = yield from walk(node.command, other)
    return printed


def _if(node: If, shell: Shell) -> Reading:
    printed = EMPTY
    ends: list[Shell] = []
    current = shell
    for n, (condition, body) in enumerate(node.branches):
        if n:
            current = current.maybe()
        printed = printed + (yield from walk(condition, current))
        taken = current.maybe()
        current.cwd, current.failed = alternatives(current.cwd + current.failed), ()
        printed = printed + (yield from walk(body, taken))
        if not builtins.leaves(body):
            ends.append(taken)
    if node.otherwise is not None:
        other = current.maybe()
        printed = printed + (yield from walk(node.otherwise, other))
        if not builtins.leaves(node.otherwise):
            ends.append(other)
    if current is not shell:
        ends.append(current)
    shell.join(*ends)
    return printed


def _loop(parts: tuple[Sequence, ...], shell: Shell) -> Reading:
    """Once, and once more with what the first round left."""
    printed = EMPTY
    for n in range(2):
        round_ = shell.maybe()
        for part in parts:
            printed = printed + (yield from walk(part, round_))
        before = (shell.cwd, dict(shell.variables), dict(shell.functions))
        shell.join(round_)
        if n == 0 and before == (shell.cwd, shell.variables, shell.functions):
            break
    return printed


def _for(node: For, shell: Shell) -> Reading:
    if node.words is None:
        values: list[Word] = list(shell.arguments[1:]) if shell.arguments is not None else [unknown('"$@"')]
    else:
        values = []
        for word in node.words:
            for fields in (yield from expand(word, shell, walk)):
                values += fields
    if not values:
        return EMPTY
    # a hole in the list stands for any of its words, and each of them is one word in the body
    shell.assign(node.name, tuple(value.whole() for value in values))
    return (yield from _loop((node.body,), shell))


def _case(node: Case, shell: Shell) -> Reading:
    yield from expand_one(node.subject, shell, walk)
    printed, ends = EMPTY, []
    for arm in node.arms:
        for pattern in arm.patterns:
            yield from expand_one(pattern, shell, walk)
        taken = shell.maybe()
        printed = printed + (yield from walk(arm.body, taken))
        if not builtins.leaves(arm.body):
            ends.append(taken)
    shell.join(*ends)
    return printed


def _condition(node: Condition, shell: Shell) -> Reading:
    words = node.words
    for n, word in enumerate(words):
        values = yield from expand_one(word, shell, walk)
        if n + 1 < len(words) and _is_number_test(words[n + 1]):
            for value in values:
                if value.contains("$(") is True or value.contains("`") is True:
                    yield Opaque("a value runs a command when it is compared as a number", shell.origin())
    return EMPTY


def _is_number_test(word: ShellWord) -> bool:
    piece = word.pieces[0] if len(word.pieces) == 1 else None
    return isinstance(piece, Text) and piece.value in ("-eq", "-ne", "-lt", "-le", "-gt", "-ge")


def _redirected(node: Redirected, shell: Shell) -> Reading:
    number: int = yield NUMBER
    stdin, outputs = yield from redirects(node.redirects, shell, number)
    inner = shell
    kept = shell.stdin
    if stdin is not None:
        inner.stdin = stdin
    printed = yield from walk(node.command, inner)
    inner.stdin = kept
    return (yield from _sent(printed, outputs, shell, number))


# ---- redirects

Outputs = list[tuple[Stream, bool]]


def redirects(items: tuple[Redirect, ...], shell: Shell, number: int) -> Generator[Yielded, Any, tuple[Word | None, Outputs]]:
    """Opens them in order: what standard input becomes (None: as it was), and where standard output goes."""
    stdin: Word | None = None
    outputs: Outputs = []
    for item in items:
        values = yield from expand_one(item.target, shell, walk)
        operator = item.operator
        if operator in ("<<", "<<-", "<<<"):
            # whoever reads several possible texts as code or as lines reads them all
            stdin = joined(values, "\n") + known("\n" if operator == "<<<" else "")
        elif operator in (">&", "<&") and (values[0].text == "-" or (values[0].text or "").rstrip("-").isdigit()):
            if operator == ">&" and item.descriptor in ("", "1"):
                outputs += [(stream, True) for stream in shell.streams.get((values[0].text or "").rstrip("-"), ())]
        else:
            for value, cwd in product(values, shell.cwd):
                stream = yield from _opened(value, cwd, shell, number)
                if operator in ("<", "<>"):
                    stdin = yield from _taken(stream, shell, number)
                if operator == "<":
                    continue
                if item.descriptor in ("", "1", "&") or operator.startswith("&"):
                    outputs.append((stream, ">>" in operator))
                else:
                    shell.streams[item.descriptor.strip("{}")] = (stream,)
                    if operator != "<>":
                        yield from _sent(unknown("what goes to another descriptor"), [(stream, ">>" in operator)], shell, number)
    return stdin, outputs


def _opened(value: Word, cwd: Word, shell: Shell, number: int) -> Generator[Yielded, Any, Stream]:
    for protocol in ("/dev/tcp/", "/dev/udp/"):
        if value.starts(protocol) is True:
            yield Connect(value.cut(len(protocol)), shell.origin(number))
            return Stream(None, value.cut(len(protocol)))
    place = yield Where(value, cwd, shell.frame.site)
    return Stream(place)


def _taken(stream: Stream, shell: Shell, number: int) -> Reading:
    if stream.place is None:
        return unknown("what the other side sends", frozenset({number}))
    yield Read(stream.place, shell.origin(number))
    contents: tuple[Word | None, ...] = yield Contents(stream.place, number)
    words = [content for content in contents if content is not None]
    if len(words) != len(contents) or not words:
        return unknown(stream.place.shown, NOTHING.union({number}, *(word.src for word in words)))
    return words[0] if len(words) == 1 else joined(words, "\n")


def _sent(printed: Word, outputs: Outputs, shell: Shell, number: int) -> Reading:
    """What was printed goes where it was sent; what is left for the pipe."""
    if not outputs:
        return printed
    for stream, append in outputs:
        if stream.place is None:
            yield Connect(stream.target or EMPTY, shell.origin(number), sends=printed)
        else:
            yield Write(stream.place, printed, append, shell.origin(number))
    return EMPTY


# ---- simple commands


def simple(node: Simple, shell: Shell) -> Reading:
    yield TICK
    shell.span = node.span
    number: int = yield NUMBER
    shell.number = number
    assigned: dict[str, Values] = {}
    for assignment in node.assignments:
        assigned[assignment.name] = yield from _assigned(assignment, shell)
    choices = yield from _argument_lists(node.words, shell)
    shell.number = number
    stdin, outputs = yield from redirects(node.redirects, shell, number)
    if not node.words:
        for assignment in node.assignments:
            yield from _set(assignment, assigned[assignment.name], shell)
        return (yield from _sent(EMPTY, outputs, shell, number))
    exported = {name: first(values[0]) if len(values) == 1 else common(map(first, values)) for name, values in assigned.items()}
    for name, value in exported.items():
        yield Environment(name, value, shell.origin())
    results: list[Word] = []
    for argv in choices:
        if argv:
            given = shell.stdin if stdin is None else stdin
            results.append((yield from _run(tuple(argv), exported, given, node, shell, sole=len(choices) == 1, outputs=outputs)))
        else:  # nothing but assignments after all (`$EMPTY X=1` is rare; an empty expansion is not)
            results.append(EMPTY)
    shell.number = number
    return (yield from _sent(_one_of(results), outputs, shell, number))


def _assigned(assignment: Assignment, shell: Shell) -> Generator[Yielded, Any, Values]:
    """The alternatives of an assignment's right side; `+=` joined to what was there."""
    if assignment.subscript is not None:
        yield from expand_one(assignment.subscript, shell, walk)
    if assignment.elements is not None:
        arrays: Values = yield from elements(assignment, shell, walk)
        if assignment.append:
            return tuple(_as_array(old) + _as_array(new) for old, new in product(shell.values(assignment.name), arrays))
        return arrays
    values: tuple[Word, ...] = (
        (yield from expand_one(assignment.value, shell, walk)) if assignment.value is not None else (EMPTY,)
    )
    if assignment.subscript is not None:  # one element more: any element may be meant by whoever reads it
        old = shell.variables.get(assignment.name, ((),))
        return tuple((*_as_array(before), value) for before, value in product(old, values))
    if assignment.append and assignment.name in shell.variables:
        return tuple(first(old) + new for old, new in product(shell.values(assignment.name), values))
    return values


def _as_array(value: "Word | tuple[Word, ...]") -> tuple[Word, ...]:
    return (value,) if isinstance(value, Word) else value


def _set(assignment: Assignment, values: Values, shell: Shell) -> Generator[Yielded, Any, None]:
    shell.assign(assignment.name, values)
    if assignment.name in shell.exported or assignment.name in shell.frame.environ or assignment.name.isupper():
        for value in values:
            yield Environment(assignment.name, first(value), shell.origin())


def _argument_lists(words: "tuple[ShellWord | Assignment, ...]", shell: Shell) -> Generator[Yielded, Any, list[Fields]]:
    lists: list[Fields] = [[]]
    for word in words:
        if isinstance(word, Assignment):
            values = yield from _assigned(word, shell)
            more: list[Fields] = [[known(f"{word.name}=") + first(value)] for value in values]
            if any(isinstance(value, tuple) for value in values):
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
    return lists


def _merged(lists: list[Fields]) -> list[Fields]:
    """Too many argument lists: column by column what they have in common, by length."""
    by_length: dict[int, list[Fields]] = {}
    for fields in lists:
        by_length.setdefault(len(fields), []).append(fields)
    return [[common(column) for column in zip(*group, strict=True)] for group in by_length.values()]


def _one_of(results: list[Word]) -> Word:
    distinct = list(dict.fromkeys(results))
    if len(distinct) == 1:
        return distinct[0]
    if not distinct:
        return EMPTY
    return unknown("one of several outputs", NOTHING.union(*(word.src for word in distinct)))


def _run(
    argv: tuple[Word, ...], assigned: dict[str, Word], stdin: Word, node: Simple, shell: Shell, *, sole: bool, outputs: Outputs
) -> Reading:
    """One command with one list of arguments: a function, what the shell itself does, or a program."""
    name = argv[0].text
    results: list[Word] = []
    if name is not None and (bodies := shell.functions.get(name)):
        for body in bodies:
            results.append((yield from _called(name, body, argv, stdin, shell)))
        if len(bodies) == 1 and bodies[0].sure:
            return results[0]
    if (own := builtins.find(name)) is not None:
        results.append((yield from own(argv, builtins.Moment(stdin, assigned, outputs, walk, run_text), shell)))
        return _one_of(results)
    for cwd in shell.cwd:
        command = Command(
            argv,
            cwd,
            shell.scope(assigned),
            stdin,
            shell.frame.span or node.span,
            shell.frame.via,
            shell.frame.site,
            shell.number,
            shell.frame.sure,
            always=shell.always and sole and len(shell.cwd) == 1,
            depth=shell.depth,
        )
        results.append((yield command))
    return _one_of(results)


def _called(name: str, body: Body, argv: tuple[Word, ...], stdin: Word, shell: Shell) -> Reading:
    """A function. One that calls itself is followed until its arguments are unknown: more would tell nothing new."""
    rounds = shell.calls.count(name)
    if rounds and name in shell.apart:
        yield Operation("process.replicate", shell.origin(), target=argv[0])
        return EMPTY
    if rounds > 2:
        return EMPTY
    if rounds == 2:
        argv = (argv[0], *(unknown("an argument of a function that calls itself", word.src) for word in argv[1:]))
    if shell.depth >= DEPTH:
        raise Beyond("functions call each other deeper than the gate follows")
    kept = (shell.arguments, shell.stdin, shell.calls)
    shell.arguments, shell.stdin, shell.calls = argv, stdin, (*shell.calls, name)
    shell.depth += 1
    printed: Word = yield from walk(body.node, shell)
    shell.arguments, shell.stdin, shell.calls = kept
    shell.depth -= 1
    return printed


_READERS: dict[type, Callable[[Any, Shell], Reading]] = {
    Simple: simple,
    Sequence: _sequence,
    AndOr: _and_or,
    Pipeline: _pipeline,
    Not: _not,
    Timed: lambda node, shell: walk(node.command, shell),
    Group: lambda node, shell: walk(node.body, shell),
    Subshell: lambda node, shell: walk(node.body, shell.copy()),
    Background: _apart,
    Coprocess: _apart,
    Redirected: _redirected,
    Function: _function,
    If: _if,
    While: lambda node, shell: _loop((node.condition, node.body), shell),
    For: _for,
    ArithmeticFor: _arithmetic_for,
    Case: _case,
    Condition: _condition,
    ArithmeticCommand: _arithmetic_command,
}
