"""Yields every simple command that shell text may run, in order, with the state that each of them sees.

The text is run symbolically: nothing is executed, every path is taken, and what differs by path is kept as alternatives.
Nested text (eval, source, a function's body, an alias) is read in the state of the shell that runs it.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from toolgate.model.effect import Carrier, Interpret, Opaque
from toolgate.model.errors import LimitError
from toolgate.model.generalization import generalize
from toolgate.model.unread_code import find_unread_code
from toolgate.model.word import EMPTY, Word, known_word, unknown_named, unknown_word
from toolgate.shell.domain.frame import ERRORS_AS_OUTPUT, Frame
from toolgate.shell.domain.protocol import MAX_DEPTH, NUMBER, TICK, CommandEvaluation, Evaluation
from toolgate.shell.domain.state import Shell, Stream
from toolgate.shell.domain.values import (
    ANY_ARGUMENTS,
    join_alternatives,
    join_argument_lists,
    join_folders,
    unset_value,
)
from toolgate.shell.syntax.tree import (
    AndOr,
    ArithmeticAsSubshells,
    ArithmeticCommand,
    ArithmeticFor,
    Background,
    Case,
    Condition,
    Coprocess,
    DialectVariants,
    For,
    Function,
    Group,
    If,
    Node,
    Not,
    Pipeline,
    RedirectedCommand,
    Sequence,
    ShellWord,
    Simple,
    Subshell,
    Text,
    TimedPipeline,
    While,
)

from . import branches, command_outcomes, dialect_differences, loops, unknown_parts, zsh
from .arithmetic import evaluate_name, evaluate_number
from .builtin_context import Runners
from .expansion import expand_unsplit
from .functions import doubt_functions, import_from_environment, make_body
from .redirection_failures import may_fail_to_open
from .redirects import INPUT_PREFIX, input_alternatives, open_redirects, restore_errors, write_output
from .signal_handlers import accept_changes
from .simple import walk_simple_command


def run_with_capture(text: str, frame: Frame) -> CommandEvaluation:
    """Runs a whole text in a new shell and returns its output."""
    shell = Shell.from_frame(frame)
    yield from _run_whole_text(text, shell)
    return generalize((*shell.printed, *frame.errors))


def run_without_capture(text: str, frame: Frame) -> CommandEvaluation:
    """Runs a whole text without capturing its output: keeping the output of a long text costs more than reading it."""
    shell = replace(Shell.from_frame(frame), printed=())
    yield from _run_whole_text(text, shell)
    return EMPTY


def _run_whole_text(text: str, shell: Shell) -> Evaluation:
    import_from_environment(shell)
    yield from run_source(text, shell)
    yield from _run_handlers(shell)


def run_text(word: Word, shell: Shell, via: Carrier) -> Evaluation:
    """Runs text in this shell: eval, trap, source, an alias."""
    read = unknown_parts.replace_unknown_parts(word, shell.variables)
    yield from find_unread_code(word, shell.current_origin())
    if read is None:
        yield Interpret("shell", word, shell.current_origin(), via=via)
        shell.emit_output(unknown_word(str(via), word.src))
        return
    text, parts = read
    if word.src:
        yield Interpret("shell", word, shell.current_origin(), via=via, followed=True)
    for name, part in parts.items():
        shell.variables[name] = (part,)
        shell.exported[name] = True  # a function that the text exports may use it
    if shell.depth >= MAX_DEPTH:
        raise LimitError("shell text is nested deeper than the gate follows")
    frame, before = shell.frame, shell.begin_capture()
    with shell.enter_context(frame=replace(frame, via=(*frame.via, via), span=frame.span or shell.span), depth=shell.depth + 1):
        yield from run_source(text, shell)
    shell.emit_output(*(printed.from_commands(word.src) for printed in shell.end_capture(before)))


def run_source(text: str, shell: Shell) -> Evaluation:
    tree = shell.frame.dialect.parse(text)
    yield from walk_node(tree.body, shell)
    if tree.trouble is not None and command_outcomes.may_reach_end(tree.body, text, shell):
        yield Opaque(
            f"in {shell.frame.file or 'this shell text'}, {tree.trouble.why}",
            shell.current_origin()._replace(span=shell.frame.span or tree.trouble.span),
            is_unread=True,
        )


def walk_node(node: Node, shell: Shell) -> Evaluation:
    """Runs one node of the tree."""
    return _WALKERS[type(node)](node, shell)


def _walk_not(node: Not, shell: Shell) -> Evaluation:
    with shell.enter_context(tested=True):
        yield from walk_node(node.command, shell)
    if shell.failed:
        shell.cwd, shell.failed = shell.failed, shell.cwd
        if shell.strict and not shell.tested:  # `set -e` ignores the status of a command behind `!`
            shell.cwd, shell.failed = join_folders(shell.cwd + shell.failed), ()


def _walk_function(node: Function, shell: Shell) -> Evaluation:
    yield TICK
    shell.functions[node.name] = (make_body(node, shell),)
    if _IS_HOOK_FUNCTION(node.name):
        shell.run_later(known_word(f'{node.name} "$@"'))
    if node.name.startswith("TRAP") and node.name != "TRAPEXIT":
        yield from accept_changes(known_word(f'{node.name} "$@"'), run_text, shell)


_IS_HOOK_FUNCTION = re.compile("command_not_found_handler?|TRAP[A-Z0-9]+|chpwd|zshexit").fullmatch
"""Matches functions that a shell calls by itself: for an unknown command; in zsh for a signal, after `cd` and at exit."""


def _walk_arithmetic_command(node: ArithmeticCommand, shell: Shell) -> Evaluation:
    yield from expand_unsplit(ShellWord((node.expression,), node.span), shell, walk_node)


def _walk_subshell(node: Subshell, shell: Shell) -> Evaluation:
    sub = shell.copy_as_subshell()
    yield from run_in_own_process(node.body, sub)
    shell.emit_output(*sub.printed)


def run_in_own_process(body: Node, sub: Shell) -> Evaluation:
    """Runs a process of its own, and its traps when it ends."""
    yield from walk_node(body, sub)
    sub.ended = False
    left = [path for word, path in sub.left if word == "exit"]
    yield from _run_handlers(sub)
    sub.join(*(path for path in left if not path.traps))


def _run_handlers(shell: Shell) -> Evaluation:
    """Runs the trap handlers: at the end, or at any time before. A text may end at an error (`${x:?}`, a readonly variable, in
    dash a missing file to source), so both kinds may see any state since they were set."""
    past = shell.past
    if not past.handlers:
        return
    shell.accept_either_outcome()
    left, n = list[Shell](), 0
    while n < len(past.handlers):  # a handler may set another one, and exit
        left += [path for _, path in shell.left]
        shell.left, shell.ended = [], False
        shell.join(*(path for path in left if path.traps > n))
        handler, any_time = past.handlers[n]
        n += 1
        for name, values in past.variables.items():
            seen = values if any_time else tuple(value for value in values if value != unset_value(name))
            shell.variables[name] = join_alternatives((*shell.get_values(name), *seen))
        shell.cwd = join_folders((*shell.cwd, *past.cwd))
        shell.arguments = join_argument_lists((*shell.arguments, *past.arguments))
        if any_time or shell.strict:
            shell.arguments = tuple(dict.fromkeys((*shell.arguments, ANY_ARGUMENTS)))
        shell.always = False
        if any_time:  # it may have run before they were defined
            doubt_functions(shell)
        unhandled = shell.copy()
        yield from run_text(handler, shell, Carrier("trap"))
        if n < len(past.handlers):  # which may replace this one
            shell.join(unhandled)


def _walk_sequence(node: Sequence, shell: Shell) -> Evaluation:
    """The exit status of the last command is left to the caller. What follows a test is not reached if all that it leads to
    leaves; a plain `exit` in the middle of a text is no reason to stop reading."""
    for n, item in enumerate(node.items):
        if n:
            shell.accept_either_outcome()
        shell.ended = False
        yield from walk_node(item, shell)
        if shell.ended and command_outcomes.has_left(item, shell) and not isinstance(item, Simple):
            return


_MAX_PIPELINE = 256  # commands


def _walk_pipeline(node: Pipeline, shell: Shell) -> Evaluation:
    """Each member runs in a shell of its own; the last one may be this shell (zsh)."""
    if len(node.commands) > _MAX_PIPELINE:
        raise LimitError("a pipeline has more commands than the gate follows")
    texts: tuple[Word, ...] = ()
    last = shell
    for n, command in enumerate(node.commands):
        paths: list[Shell] = []
        for stdin in input_alternatives(texts) if n else (shell.stdin,):
            path = shell.copy_as_subshell()
            is_last = n == len(node.commands) - 1  # what it writes is there when the pipeline ends
            path.always, path.apart = shell.always and is_last, (*shell.apart, *shell.calls)
            path.options |= {ERRORS_AS_OUTPUT} if n in node.both else frozenset()
            if n:
                path.stdin, path.reads = stdin, 0
            yield from run_in_own_process(command, path)
            path.accept_either_outcome()
            paths.append(path)
        last = paths[0]
        last.join(*paths[1:])
        for path in paths[1:]:
            last.left += path.left
        texts = last.printed
    last.reads = shell.reads
    shell.emit_output(*texts)
    last.printed = shell.printed
    shell.join(last)
    shell.left += last.left


def _walk_concurrent(node: Background | Coprocess, shell: Shell) -> Evaluation:
    """Runs concurrently with the rest of the text: its effects may happen at any later time, or not yet."""
    other = shell.copy_as_subshell()
    other.always, other.apart = False, (*shell.apart, *shell.calls)
    if isinstance(node, Coprocess):
        other.stdin = unknown_word("the input of a coprocess", frozenset({shell.number}))
        shell.assign(node.name or "COPROC", ((unknown_named("$COPROC", like="[0-9]*"),) * 2,))
    yield from run_in_own_process(node.command, other)
    if isinstance(node, Coprocess):
        shell.streams[f"{INPUT_PREFIX}{node.name or 'COPROC'}"] = tuple(Stream(None, held=text) for text in other.printed)
    else:
        shell.emit_output(*other.printed)
        if shell.frame.dialect.may_be_zsh and isinstance(node.command, AndOr):
            path = shell.copy_as_possible()
            yield from walk_node(zsh.list_in_foreground(node.command), path)
            shell.join(path)


def _walk_condition(node: Condition, shell: Shell) -> Evaluation:
    words = node.words
    for n, word in enumerate(words):
        values = yield from expand_unsplit(word, shell, walk_node)
        if n > 0 and words[n - 1].pieces in (_VARIABLE_TEST, _NAMEREF_TEST):
            for value in values:
                evaluate_name(value, shell)
        elif (n + 1 < len(words) and _is_number_test(words[n + 1])) or (n > 0 and _is_number_test(words[n - 1])):
            for value in values:
                evaluate_number(value, shell)
    if any(word.pieces == (Text("=~", False),) for word in words):
        shell.assign("BASH_REMATCH", ((unknown_named("$BASH_REMATCH", splits=True),),))


_VARIABLE_TEST, _NAMEREF_TEST = (Text("-v", False),), (Text("-R", False),)


def _is_number_test(word: ShellWord) -> bool:
    return any(word.pieces == (Text(operator, False),) for operator in ("-eq", "-ne", "-lt", "-le", "-gt", "-ge"))


def _walk_redirected(node: RedirectedCommand, shell: Shell) -> Evaluation:
    number, options = (yield NUMBER), shell.options
    stdins, outputs, doubts = yield from open_redirects(node.redirects, shell, number, walk_node)
    unopened = shell.copy() if (yield from may_fail_to_open(doubts, shell)) else None
    kept, before = (shell.stdin, shell.reads), shell.begin_capture()
    paths: list[Shell] = []
    for stdin in stdins or (None,):
        path = shell if len(stdins) < 2 else shell.copy()
        if stdin is not None:
            path.stdin, path.reads = stdin, 0
        yield from walk_node(node.command, path)
        paths.append(path)
    if len(paths) > 1:
        shell.replace_by_join(paths)
    printed = shell.end_capture(before)
    if stdins:
        shell.stdin, shell.reads = kept
    if unopened is not None:
        shell.join_failed_open(unopened)
    yield from write_output(printed, outputs, shell, number)
    restore_errors(options, shell)


_WALKERS: dict[type, Callable[[Any, Shell], Evaluation]] = {
    Simple: lambda node, shell: walk_simple_command(node, shell, _OWN_READERS),
    Sequence: _walk_sequence,
    AndOr: lambda node, shell: branches.walk_and_or(node, shell, walk_node),
    Pipeline: _walk_pipeline,
    Not: _walk_not,
    TimedPipeline: lambda node, shell: walk_node(node.command, shell),
    Group: lambda node, shell: walk_node(node.body, shell),
    Subshell: _walk_subshell,
    Background: _walk_concurrent,
    Coprocess: _walk_concurrent,
    RedirectedCommand: _walk_redirected,
    Function: _walk_function,
    If: lambda node, shell: branches.walk_if(node, shell, walk_node),
    While: lambda node, shell: loops.while_loop(node, shell, walk_node),
    For: lambda node, shell: loops.for_loop(node, shell, walk_node),
    ArithmeticFor: lambda node, shell: loops.counting_loop(node, shell, walk_node),
    Case: lambda node, shell: branches.walk_case(node, shell, walk_node),
    Condition: _walk_condition,
    ArithmeticCommand: _walk_arithmetic_command,
    DialectVariants: lambda node, shell: dialect_differences.walk_dialect_variants(node, shell, walk_node),
    ArithmeticAsSubshells: lambda node, shell: dialect_differences.walk_arithmetic_as_subshells(node, shell, walk_node),
}
_OWN_READERS: Runners = Runners(walk_node, run_text)
