"""Yields every simple command that shell text may run, in order, with the state that each of them sees.

The text is run symbolically: nothing is executed, every path is taken, and what differs by path is kept as alternatives.
Nested text (eval, source, a function's body, an alias) is read in the state of the shell that runs it.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from toolgate.model.effect import Interpret, Opaque
from toolgate.model.unread import find_unread_code
from toolgate.model.word import EMPTY, Word, known, unknown, unknown_named

from . import dialects, differences, loops, otherwise, outcomes, partial
from .arithmetic import evaluate_name, evaluate_number
from .expansion import expand_one
from .frame import Frame
from .functions import import_from_environment
from .moment import Readers
from .openings import may_stay_shut
from .protocol import NUMBER, TICK, Beyond, Body, Reading, Walking
from .redirects import readings, redirects, sent
from .simple import simple
from .state import DEPTH, Shell
from .syntax import (
    AndOr,
    ArithmeticCommand,
    ArithmeticFor,
    Background,
    Case,
    Condition,
    Coprocess,
    Either,
    For,
    Function,
    Group,
    If,
    Miscounted,
    Node,
    Not,
    Pipeline,
    Redirected,
    Sequence,
    ShellWord,
    Simple,
    Subshell,
    Text,
    Timed,
    While,
)
from .values import ANY_ARGUMENTS, alternatives, common, folders, unset


def program(text: str, frame: Frame) -> Reading:
    """Runs a whole text in a new shell and returns its output."""
    shell = Shell.begin(frame)
    yield from _whole(text, shell)
    return common(shell.printed)


def unheard(text: str, frame: Frame) -> Reading:
    """Runs a whole text without capturing its output: keeping the output of a long text costs more than reading it."""
    shell = Shell.begin(frame)
    shell.printed = ()
    yield from _whole(text, shell)
    return EMPTY


def _whole(text: str, shell: Shell) -> Walking:
    import_from_environment(shell)
    yield from read_text(text, shell)
    yield from _handled(shell)


def run_text(word: Word, shell: Shell, via: str) -> Walking:
    """Runs text in this shell: eval, trap, source, an alias."""
    read = partial.spelled(word) if word.text is None else (word.text, {})
    yield from find_unread_code(word, shell.origin())
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
    tree = dialects.parser(shell.frame.dialect)(text)
    yield from walk(tree.body, shell)
    if tree.trouble is not None:
        yield Opaque(
            f"{shell.frame.file or 'this shell text'} cannot be read: {tree.trouble.why}",
            shell.origin()._replace(span=shell.frame.span or tree.trouble.span),
            is_unread=True,
        )


def walk(node: Node, shell: Shell) -> Walking:
    """Runs one node of the tree."""
    return _READERS[type(node)](node, shell)


def _not(node: Not, shell: Shell) -> Walking:
    tested, shell.tested = shell.tested, True
    yield from walk(node.command, shell)
    shell.tested = tested
    if shell.failed:
        shell.cwd, shell.failed = shell.failed, shell.cwd
        if shell.strict and not tested:  # `set -e` ignores the status of a command behind `!`
            shell.cwd, shell.failed = folders(shell.cwd + shell.failed), ()


def _function(node: Function, shell: Shell) -> Walking:
    yield TICK
    before = () if shell.always else shell.functions.get(node.name, ())
    shell.functions[node.name] = (*before, Body(node.body, shell.always, shell.frame.dialect))
    if _CALLED_BY_ITSELF(node.name):
        shell.run_later(known(f'{node.name} "$@"'))


_CALLED_BY_ITSELF = re.compile("command_not_found_handler?|TRAP[A-Z0-9]+|chpwd|zshexit").fullmatch
"""Matches functions that a shell calls by itself: for an unknown command; in zsh for a signal, after `cd` and at exit."""


def _arithmetic_command(node: ArithmeticCommand, shell: Shell) -> Walking:
    yield from expand_one(ShellWord((node.expression,), node.span), shell, walk)


def _subshell(node: Subshell, shell: Shell) -> Walking:
    sub = shell.subshell()
    yield from apart(node.body, sub)
    shell.say(*sub.printed)


def apart(body: Node, sub: Shell) -> Walking:
    """Runs a process of its own, and its traps when it ends."""
    yield from walk(body, sub)
    left = [path for word, path in sub.left if word == "exit"]
    yield from _handled(sub)
    sub.join(*(path for path in left if not path.traps))


def _handled(shell: Shell) -> Walking:
    """Runs the trap handlers: at the end, or at any time before. A text may end at an error (`${x:?}`, a readonly variable, in
    dash a missing file to source), so both kinds may see any state since they were set."""
    past = shell.past
    if not past.handlers:
        return
    shell.settle()
    left: list[Shell] = []
    n = 0
    while n < len(past.handlers):  # a handler may set another one, and exit
        left += [path for _, path in shell.left]
        shell.left = []
        shell.join(*(path for path in left if path.traps > n))
        handler, any_time = past.handlers[n]
        n += 1
        for name, values in past.variables.items():
            seen = values if any_time else tuple(value for value in values if value != unset(name))
            shell.variables[name] = alternatives((*shell.values(name), *seen))
        shell.cwd = folders((*shell.cwd, *past.cwd))
        if any_time or shell.strict:
            shell.arguments = tuple(dict.fromkeys((*shell.arguments, ANY_ARGUMENTS)))
        shell.always = False
        unhandled = shell.copy()
        yield from run_text(handler, shell, "trap")
        if n < len(past.handlers):  # which may replace this one
            shell.join(unhandled)


def _sequence(node: Sequence, shell: Shell) -> Walking:
    """The exit status of the last command is left to the caller."""
    for n, item in enumerate(node.items):
        if n:
            shell.settle()
        yield from walk(item, shell)


def _and_or(node: AndOr, shell: Shell) -> Walking:
    """`a && b || c`. A command that runs only after success or failure of another may not run at all; a branch that leaves the
    text (`|| exit`) takes its failure with it."""
    reached, tested = shell.always, shell.tested
    shell.tested = True
    yield from walk(node.first, shell)
    before: Node = node.first
    fails = _surely_fails(before, shell)
    skipped: Shell | None = None  # the path on which a command failed
    for n, (operator, command) in enumerate(node.rest, 1):
        shell.tested = tested or n < len(node.rest)
        if fails and operator == "&&":
            continue
        if not outcomes.surely_succeeds(before, shell) and not _arrived(before, shell):
            skipped = _met(skipped, shell.after_failure())
        shell.succeed()
        if operator == "&&":
            shell.always = reached and skipped is None
            yield from walk(command, shell)
        else:
            other = skipped if skipped is not None else shell.maybe()
            other.tested, skipped = shell.tested, None
            yield from walk(command, other)
            if not outcomes.leaves(command, shell):
                other.settle()
                shell.join(other)
        before, fails = command, _surely_fails(command, shell)
    shell.always, shell.tested = reached, tested
    if skipped is not None:
        shell.join(skipped)


def _arrived(node: Node, shell: Shell) -> bool:
    """Returns whether this is a `cd` that cannot fail."""
    is_cd = outcomes.literal_name(node) == "cd" and "cd" not in shell.functions
    return is_cd and not shell.failed and outcomes.opens_surely(node)


def _surely_fails(node: Node, shell: Shell) -> bool:
    return shell.frame.dialect == "dash" and outcomes.literal_name(node) in differences.LACKED


def _met(one: Shell | None, other: Shell) -> Shell:
    if one is not None:
        other.join(one)
    return other


def _pipeline(node: Pipeline, shell: Shell) -> Walking:
    """Each member runs in a shell of its own; the last one may be this shell (zsh)."""
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


def _beside(node: Background | Coprocess, shell: Shell) -> Walking:
    """Runs concurrently with the rest of the text: its effects may happen at any later time, or not yet."""
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
    """Runs one branch and adds it to `ends` unless it leaves the text."""
    yield from walk(body, taken)
    if not outcomes.leaves(body, taken):
        taken.settle()
        ends.append(taken)


def _case(node: Case, shell: Shell) -> Walking:
    yield from expand_one(node.subject, shell, walk)
    ends: list[Shell] = []
    through: Shell | None = None  # `;&` continues with the next arm
    again: Shell | None = None  # `;;&` tests the following patterns
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
        if n > 0 and words[n - 1].pieces in (_NAMED, _REFERS):
            for value in values:
                evaluate_name(value, shell)
        elif (n + 1 < len(words) and _is_number_test(words[n + 1])) or (n > 0 and _is_number_test(words[n - 1])):
            for value in values:
                evaluate_number(value, shell)
    if any(word.pieces == (Text("=~", False),) for word in words):
        shell.assign("BASH_REMATCH", ((unknown_named("$BASH_REMATCH", splits=True),),))


_NAMED, _REFERS = (Text("-v", False),), (Text("-R", False),)


def _is_number_test(word: ShellWord) -> bool:
    piece = word.pieces[0] if len(word.pieces) == 1 else None
    return isinstance(piece, Text) and piece.value in ("-eq", "-ne", "-lt", "-le", "-gt", "-ge")


def _redirected(node: Redirected, shell: Shell) -> Walking:
    number: int = yield NUMBER
    stdins, outputs, doubts = yield from redirects(node.redirects, shell, number, walk)
    unopened = shell.copy() if (yield from may_stay_shut(doubts, shell)) else None
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
    if unopened is not None:
        shell.unless_shut(unopened)
    yield from sent(printed, outputs, shell, number)


_READERS: dict[type, Callable[[Any, Shell], Walking]] = {
    Simple: lambda node, shell: simple(node, shell, _HERE),
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
    Either: lambda node, shell: otherwise.either(node, shell, walk),
    Miscounted: lambda node, shell: otherwise.miscounted(node, shell, walk),
}
_HERE: Readers = Readers(walk, run_text)
