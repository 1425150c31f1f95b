"""Loops. The words of a short list are read one by one; otherwise rounds are read until one changes nothing.

A value that still changes in the second round is widened to unknown. An outer loop that reads an inner one again starts it
from its previous result, so the work grows linearly with the nesting depth, not exponentially.
"""

import re
from collections.abc import Callable, Generator, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from toolgate.model.effect import Operation
from toolgate.model.errors import LimitError
from toolgate.model.word import EMPTY, Word, is_search_result, join_words, known_word, unknown_named, unknown_word
from toolgate.shell.domain.protocol import TICK, Evaluation, Request, Values
from toolgate.shell.domain.state import Shell
from toolgate.shell.domain.values import ANY_ARGUMENTS, join_alternatives, join_folders
from toolgate.shell.syntax.tree import (
    AndOr,
    ArithmeticFor,
    Background,
    For,
    Group,
    Node,
    Pipeline,
    Sequence,
    ShellWord,
    Simple,
    Subshell,
    Substitution,
    Text,
    While,
)

from .builtin_context import Walk
from .command_outcomes import LOOP_EXITS
from .expansion import expand_unsplit, expand_word
from .folder_loops import find_folders
from .line_loops import find_read_outcome, reads_known_lines
from .narrowing import narrow_to_outcome
from .test_outcomes import find_outcome, names_arguments
from .word_splitting import Fields

MAX_ROUNDS = 12
_MANY_ROUNDS = 100_000
_WAITING_COMMANDS = frozenset(("sleep", "wait", "read", "break", "exit", "return", "exec"))
MAX_UNROLLED = 16  # rounds of nested loops that are read one by one, in total
_WIDEN_AFTER = 2  # the round after which changing values are widened; directories get more rounds, as `cd ..` reaches a fixpoint
_WIDEN_CWD_AFTER = 6

ReadRound = Callable[[Shell, list[Shell]], Evaluation]  # collects the paths that end the loop


def while_loop(node: While, shell: Shell, walk: Walk) -> Evaluation:
    if _never_ends(node) and not any(map(_may_leave, _list_commands(node.body))):
        origin = shell.current_origin()._replace(span=shell.frame.span or node.span)
        yield Operation("loop.endless", origin, flags=(("waits", not _never_waits(node.body)),))
    if _never_ends(node) and _starts_background_only(node.body):
        yield Operation("process.replicate", shell.current_origin(), known_word("A loop"))
    elif _fills_until_failure(node) or (_never_ends(node) and _appends_only(node.body)):
        yield Operation("disk.fill", shell.current_origin())
    elif _never_ends(node) and (address := _requested_address(node.body)):
        yield Operation("network.flood", shell.current_origin(), known_word(address))

    broken: list[Shell] = []
    is_counted = names_arguments(node.condition) or reads_known_lines(node.condition, shell)
    if node.keyword == "while" and shell.rounds is None and is_counted and (yield from _unroll_rounds(node, shell, walk, broken)):
        shell.join(*broken)
        return

    def round_(path: Shell, ends: list[Shell]) -> Evaluation:
        with path.enter_context(tested=True):
            yield from walk(node.condition, path)
            end = path.copy()
            end.accept_either_outcome()  # `until` ends when the condition holds
            yield from narrow_to_outcome(node.condition, node.keyword == "until", end, walk)
        end.tested = path.tested
        ends.append(end)
        if path.failed:  # `while` and `until` differ only in the directory where the body runs
            path.cwd = join_folders(path.cwd + path.failed)
        path.assume_success()
        yield from narrow_to_outcome(node.condition, node.keyword == "while", path, walk)
        yield from walk(node.body, path)

    yield from _run_to_fixpoint(node, round_, shell)
    shell.join(*broken)


def _unroll_rounds(node: While, shell: Shell, walk: Walk, broken: list[Shell]) -> Generator[Request, Any, bool]:
    """Runs a loop over arguments or lines round by round, as long as its condition is certain. Returns whether that was to its
    end; the paths of `break` are added to `broken`."""
    outer = shell.left
    with shell.enter_context(left=[], ways_out=shell.ways_out | LOOP_EXITS, unrolled=MAX_UNROLLED):
        for _ in range(MAX_UNROLLED):
            outcome = find_read_outcome(node.condition, shell)
            if outcome is None:
                outcome = yield from find_outcome(node.condition, shell, walk)
            if outcome is None:
                return False
            with shell.enter_context(tested=True):
                yield from walk(node.condition, shell)
            shell.assume_success()
            if not outcome:
                return True
            yield from walk(node.body, shell)
            shell.accept_either_outcome()
            _collect_exits(shell, outer, broken)
    return False


def _is_endless_condition(condition: Sequence) -> bool:
    return len(condition.items) == 1 and _command_name(condition.items[0]) in ("true", ":", "yes")


def _never_ends(node: While) -> bool:
    if node.keyword == "until":
        return len(node.condition.items) == 1 and _command_name(node.condition.items[0]) == "false"
    return _is_endless_condition(node.condition)


def _fills_until_failure(node: While) -> bool:
    """Returns whether the condition is a command that makes a new file in each round, and fails once the disk is full."""
    items = node.condition.items
    if len(items) != 1 or _command_name(items[0]) not in _FILLING_COMMANDS or any(map(_may_leave, _list_commands(node.body))):
        return False
    words = items[0].words if isinstance(items[0], Simple) else ()
    return any(isinstance(word, ShellWord) and not all(isinstance(each, Text) for each in word.pieces) for word in words)


_FILLING_COMMANDS = ("dd", "cp", "fallocate")


def _starts_background_only(body: Sequence) -> bool:
    """Returns whether each round starts a background command and nothing in it waits."""
    return any(isinstance(_unwrap_group(item), Background) for item in body.items) and all(
        isinstance(_unwrap_group(item), Background) or (isinstance(item, Simple) and _command_name(item) not in _WAITING_COMMANDS)
        for item in body.items
    )


def _never_waits(body: Sequence) -> bool:
    """Returns whether no command of a round waits for something or ends the loop."""
    names = [_command_name(node) for node in _list_commands(body)]
    return "" not in names and _WAITING_COMMANDS.isdisjoint(names)


def _list_commands(node: Node) -> Iterator[Node]:
    """Yields the commands of lists and pipelines, one by one, and every other node as it is."""
    match node:
        case Sequence(items=nodes) | Pipeline(commands=nodes):
            for each in nodes:
                yield from _list_commands(each)
        case AndOr(first=first, rest=rest):
            for each in (first, *(other for _, other in rest)):
                yield from _list_commands(each)
        case _:
            yield node


def _may_leave(node: object) -> bool:
    """Returns whether a command within ends the loop."""
    if isinstance(node, Simple):
        return _command_name(node) in _LEAVING_COMMANDS
    if isinstance(node, tuple):
        return any(map(_may_leave, node))
    return is_dataclass(node) and any(_may_leave(getattr(node, each.name)) for each in fields(node))


_LEAVING_COMMANDS = frozenset(("break", "exit", "return", "exec"))


def _appends_only(body: Sequence) -> bool:
    """Returns whether each round appends to a file and nothing in it waits."""
    simple = [item for item in body.items if isinstance(item, Simple)]
    return (
        len(simple) == len(body.items)
        and not any(_command_name(item) in _WAITING_COMMANDS for item in simple)
        and any(
            redirect.operator == ">>"
            for item in simple
            for redirect in item.redirects
            if _command_name(item) in _PRINTING_COMMANDS
        )
    )


def _requested_address(body: Sequence) -> str:
    """Returns the address that each round requests, if nothing in it waits or ends the loop."""
    simple = [item for item in body.items if isinstance(item, Simple)]
    if len(simple) < len(body.items) or any(_command_name(item) in _WAITING_COMMANDS for item in simple):
        return ""
    texts = [text.value for item in simple if _command_name(item) in ("curl", "wget") for text in _first_texts(item)]
    return next((text for text in texts if "://" in text), "")


def _first_texts(command: Simple) -> Iterator[Text]:
    for word in command.words:
        if isinstance(word, ShellWord) and word.pieces and isinstance(word.pieces[0], Text):
            yield word.pieces[0]


_PRINTING_COMMANDS = ("echo", "printf", "cat", "head", "yes", "date")


def _unwrap_group(node: Node) -> Node:
    """Returns the command in a group or subshell of one: `( cmd & )` starts it in the background, too."""
    if isinstance(node, Subshell | Group) and len(node.body.items) == 1:
        return _unwrap_group(node.body.items[0])
    return node


def _command_name(node: Node) -> str:
    first = node.words[0] if isinstance(node, Simple) and node.words else None
    piece = first.pieces[0] if isinstance(first, ShellWord) and len(first.pieces) == 1 else None
    return piece.value if isinstance(piece, Text) else ""


def counting_loop(node: ArithmeticFor, shell: Shell, walk: Walk) -> Evaluation:
    if len(node.expressions) >= 2 and not node.expressions[1].raw.strip() and _starts_background_only(node.body):
        yield Operation("process.replicate", shell.current_origin(), known_word("A loop"))
    if any(_THOUSANDS.search(each.raw) for each in node.expressions[1:2]):
        yield _report_long_loop(node, shell)
    if any(_LARGE_NUMBER.search(each.raw) for each in node.expressions[1:2]) and (address := _requested_address(node.body)):
        yield Operation("network.flood", shell.current_origin(), known_word(address))
    words = [ShellWord((expression,), node.span) for expression in node.expressions]
    for word in words[:1]:
        yield from expand_unsplit(word, shell, walk)

    def round_(path: Shell, ends: list[Shell]) -> Evaluation:
        for word in words[1:]:
            yield from expand_unsplit(word, path, walk)
        ends.append(path.copy())
        yield from walk(node.body, path)

    yield from _run_to_fixpoint(node, round_, shell)


def _report_long_loop(node: For | ArithmeticFor, shell: Shell) -> Operation:
    return Operation("loop.long", shell.current_origin()._replace(span=shell.frame.span or node.span))


_THOUSANDS, _LARGE_NUMBER = re.compile(r"\b\d{4,12}\b"), re.compile(r"\b\d{6,12}\b")
_COUNT = re.compile(r"(?:\bseq\b[^|;&]*\s|\{\d+\.\.)(\d{4,12})\b")


def _count_rounds(word: ShellWord) -> int:
    """Returns how many numbers a list has, if it is written down and they are a thousand or more: `$(seq 5000)`, `{1..5000}`."""
    texts = [
        piece.raw if isinstance(piece, Substitution) else piece.value if isinstance(piece, Text) else "" for piece in word.pieces
    ]
    found = (_COUNT.search(text) for text in ("".join(texts), *texts))
    return max((int(each[1]) for each in found if each is not None), default=0)


def for_loop(node: For, shell: Shell, walk: Walk) -> Evaluation:
    rounds = max(map(_count_rounds, node.words or ()), default=0)
    if rounds:
        yield _report_long_loop(node, shell)
    if rounds >= _MANY_ROUNDS and (address := _requested_address(node.body)):
        yield Operation("network.flood", shell.current_origin(), known_word(address))
    lists = yield from _expand_lists(node, shell, walk)
    if node.keyword == "for" and len(lists) == 1 and _is_short_and_known(lists[0], shell):
        yield from _unroll(node, lists[0], shell, walk)
        return
    values = tuple(dict.fromkeys(each for fields in lists for value in fields for each in _loop_values(value)))
    if not values:
        return
    values += yield from find_folders(lists, shell)

    def round_(path: Shell, ends: list[Shell]) -> Evaluation:
        ends.append(path.copy())
        path.assign(node.name, values if node.keyword == "for" else (*values, EMPTY))  # an answer that is no number selects none
        if node.keyword == "select":
            path.assign("REPLY", (unknown_named("$REPLY"),))
        yield from walk(node.body, path)

    yield from _run_to_fixpoint(node, round_, shell)


def _expand_lists(node: For, shell: Shell, walk: Walk) -> Generator[Request, Any, list[Fields]]:
    if node.words is None:
        return [list(arguments[1:]) for arguments in shell.arguments]
    lists: list[Fields] = [[]]
    for word in node.words:
        more = yield from expand_word(word, shell, walk)
        # every word of every alternative is read: how they combine makes no difference
        lists = [lists[0] + more[0]] if len(lists) == len(more) == 1 else [*lists, *more]
    return lists


def _loop_values(word: Word) -> Iterator[Word]:
    """Yields the loop values of a word: one that may be several is only partly the text around its hole. Names that a search
    has found are taken for names without blanks."""
    yield word.as_single_word()
    holes = [part for part in word.parts if not isinstance(part, str)]
    if word.splits and len(holes) < len(word.parts) and not (holes and all(map(is_search_result, holes))):
        yield unknown_word("one of several words", word.src)


def _is_short_and_known(fields: Fields, shell: Shell) -> bool:
    """Returns whether these words are certain and few."""
    return len(fields) * shell.unrolled <= MAX_UNROLLED and shell.rounds is None and all(word.text is not None for word in fields)


def _unroll(node: For, fields: Fields, shell: Shell, walk: Walk) -> Evaluation:
    """Runs exactly these rounds. `break` skips the remaining ones, `continue` and `return` the commands that follow."""
    outer, broken = shell.left, list[Shell]()
    unrolled = shell.unrolled * max(len(fields), 1)
    with shell.enter_context(left=[], always=False, unrolled=unrolled, ways_out=shell.ways_out | LOOP_EXITS):
        for value in fields:
            yield TICK
            shell.assign(node.name, (value,))
            yield from walk(node.body, shell)
            shell.accept_either_outcome()
            _collect_exits(shell, outer, broken)
        shell.join(*broken)


def _collect_exits(shell: Shell, outer: list[tuple[str, Shell]], exits: list[Shell]) -> None:
    """Distributes the exits of a round: `continue` joins the next round, `break` the code after the loop, the rest go further
    out."""
    for word, path in shell.left:
        if word == "continue":
            shell.join(path)
        elif word == "break":
            exits.append(path)
        else:
            outer.append((word, path))
            if word == "break 2":  # the number of loops that it leaves is not counted
                exits.append(path)
    shell.left = []


def _run_to_fixpoint(node: Node, round_: ReadRound, shell: Shell) -> Evaluation:
    outer, rounds = shell.left, {} if shell.rounds is None else shell.rounds
    outputs: tuple[Word, ...] = ()
    kept = {"left": outer, "always": shell.always}
    with shell.enter_context(**kept, printed=(EMPTY,), ways_out=shell.ways_out | LOOP_EXITS, rounds=rounds):
        if (earlier := rounds.get(id(node))) is not None:
            shell.join(earlier[1])
        ends: list[Shell] = []
        loose: dict[str, Values] = {}
        loose_cwd: tuple[Word, ...] = ()
        for n in range(MAX_ROUNDS):
            yield TICK
            ends = []
            path = shell.copy_as_possible()
            path.left, path.printed = [], (EMPTY,)
            yield from round_(path, ends)
            path.accept_either_outcome()
            _collect_exits(path, outer, ends)
            outputs = join_alternatives((*outputs, *path.printed))
            path.printed = shell.printed
            head, variables, cwd = _comparable_state(shell), dict(shell.variables), shell.cwd
            shell.join(path)
            shell.variables.update(loose)
            shell.cwd = loose_cwd or shell.cwd
            if _comparable_state(shell) == head:
                break
            if n + 1 >= _WIDEN_AFTER:
                changed = [name for name, values in shell.variables.items() if variables.get(name) != values]
                shell.widen_changes(variables, cwd if n + 1 >= _WIDEN_CWD_AFTER else shell.cwd)
                loose.update({name: shell.variables[name] for name in changed})
                if n + 1 >= _WIDEN_CWD_AFTER and cwd != shell.cwd:
                    loose_cwd = shell.cwd
                if shell.arguments != head[1]:
                    shell.arguments = (ANY_ARGUMENTS,)
        else:
            raise LimitError("a loop does more than the gate follows")
        rounds[id(node)] = (node, shell.copy())
        shell.replace_by_join(ends)
    shell.emit_output(*_repeat_output(outputs))


def _repeat_output(output: tuple[Word, ...]) -> tuple[Word, ...]:
    """Returns the output of any number of rounds: as known text for a reader that takes it for code, and followed by unknown
    text."""
    texts = [word for word in output if word.parts]
    if not texts:
        return (EMPTY,)
    every = join_words(texts, "")
    any_more = unknown_word("the output of a loop", every.src)
    return (EMPTY, every, *(text + any_more for text in texts)) if len(texts) < 4 else (every, any_more)


def _comparable_state(shell: Shell) -> tuple[object, ...]:
    return (
        tuple(shell.functions.items()),
        shell.arguments,
        tuple(shell.streams.items()),
        shell.reads,
        shell.strict,
        dict(shell.variables),
        shell.cwd,
    )
