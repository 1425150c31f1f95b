"""Loops. The words of a short list are read one by one; otherwise rounds are read until one changes nothing.

A value that still changes in the second round is widened to unknown. An outer loop that reads an inner one again starts it
from its previous result, so the work grows linearly with the nesting depth, not exponentially.
"""

from collections.abc import Callable, Generator, Iterator
from typing import Any

from toolgate.model.effect import Operation
from toolgate.model.word import EMPTY, Word, joined, known, unknown

from .expansion import expand, expand_one
from .fields import Fields
from .moment import Walk
from .outcomes import OF_LOOPS
from .protocol import TICK, Beyond, Values, Walking, Yielded
from .state import Shell
from .syntax import ArithmeticFor, Background, For, Group, Node, Sequence, ShellWord, Simple, Subshell, Text, While
from .values import ANY_ARGUMENTS, alternatives, folders

ROUNDS = 12
_WAITS = frozenset(("sleep", "wait", "read", "break", "exit", "return", "exec"))
UNROLLED = 16  # rounds of nested loops that are read one by one, in total
_LOOSE = 2  # the round after which changing values are widened; directories get more rounds, as `cd ..` reaches a fixpoint
_LOOSE_CWD = 6

Round = Callable[[Shell, list[Shell]], Walking]  # collects the paths that end the loop


def while_loop(node: While, shell: Shell, walk: Walk) -> Walking:
    if _is_endless(node.condition) and _only_starts(node.body):
        yield Operation("process.replicate", shell.origin(), known("A loop"))
    elif _is_endless(node.condition) and _only_appends(node.body):
        yield Operation("disk.fill", shell.origin())

    def round_(path: Shell, ends: list[Shell]) -> Walking:
        tested, path.tested = path.tested, True
        yield from walk(node.condition, path)
        end = path.copy()
        end.settle()  # `until` ends when the condition holds
        path.tested = end.tested = tested
        ends.append(end)
        if path.failed:  # `while` and `until` differ only in the directory where the body runs
            path.cwd = folders(path.cwd + path.failed)
        path.succeed()
        yield from walk(node.body, path)

    yield from _until_nothing_new(node, round_, shell)


def _is_endless(condition: Sequence) -> bool:
    return len(condition.items) == 1 and _name(condition.items[0]) in ("true", ":", "yes")


def _only_starts(body: Sequence) -> bool:
    """Returns whether each round starts a background command and nothing in it waits."""
    return any(isinstance(_inner(item), Background) for item in body.items) and all(
        isinstance(_inner(item), Background) or (isinstance(item, Simple) and _name(item) not in _WAITS) for item in body.items
    )


def _only_appends(body: Sequence) -> bool:
    """Returns whether each round appends to a file and nothing in it waits."""
    simple = [item for item in body.items if isinstance(item, Simple)]
    return (
        len(simple) == len(body.items)
        and not any(_name(item) in _WAITS for item in simple)
        and any(redirect.operator == ">>" for item in simple for redirect in item.redirects if _name(item) in _PRINTS)
    )


_PRINTS = ("echo", "printf", "cat", "head", "yes", "date")


def _inner(node: Node) -> Node:
    """Returns the command in a group or subshell of one: `( cmd & )` starts it in the background, too."""
    if isinstance(node, Subshell | Group) and len(node.body.items) == 1:
        return _inner(node.body.items[0])
    return node


def _name(node: Node) -> str:
    first = node.words[0] if isinstance(node, Simple) and node.words else None
    piece = first.pieces[0] if isinstance(first, ShellWord) and len(first.pieces) == 1 else None
    return piece.value if isinstance(piece, Text) else ""


def counting_loop(node: ArithmeticFor, shell: Shell, walk: Walk) -> Walking:
    if len(node.expressions) >= 2 and not node.expressions[1].raw.strip() and _only_starts(node.body):
        yield Operation("process.replicate", shell.origin(), known("A loop"))
    words = [ShellWord((expression,), node.span) for expression in node.expressions]
    for word in words[:1]:
        yield from expand_one(word, shell, walk)

    def round_(path: Shell, ends: list[Shell]) -> Walking:
        for word in words[1:]:
            yield from expand_one(word, path, walk)
        ends.append(path.copy())
        yield from walk(node.body, path)

    yield from _until_nothing_new(node, round_, shell)


def for_loop(node: For, shell: Shell, walk: Walk) -> Walking:
    lists = yield from _lists(node, shell, walk)
    if len(lists) == 1 and _is_plain(lists[0], shell):
        yield from _one_by_one(node, lists[0], shell, walk)
        return
    values = tuple(dict.fromkeys(each for fields in lists for value in fields for each in _members(value)))
    if not values:
        return

    def round_(path: Shell, ends: list[Shell]) -> Walking:
        ends.append(path.copy())
        path.assign(node.name, values)
        yield from walk(node.body, path)

    yield from _until_nothing_new(node, round_, shell)


def _lists(node: For, shell: Shell, walk: Walk) -> Generator[Yielded, Any, list[Fields]]:
    if node.words is None:
        return [list(arguments[1:]) for arguments in shell.arguments]
    lists: list[Fields] = [[]]
    for word in node.words:
        more = yield from expand(word, shell, walk)
        # every word of every alternative is read: how they combine makes no difference
        lists = [lists[0] + more[0]] if len(lists) == len(more) == 1 else [*lists, *more]
    return lists


def _members(word: Word) -> Iterator[Word]:
    """Yields the loop values of a word: one that may be several is only partly the text around its hole."""
    yield word.whole()
    if word.splits and any(isinstance(part, str) for part in word.parts):
        yield unknown("one of several words", word.src)


def _is_plain(fields: Fields, shell: Shell) -> bool:
    """Returns whether these words are certain and few."""
    return len(fields) * shell.unrolled <= UNROLLED and shell.rounds is None and all(word.text is not None for word in fields)


def _one_by_one(node: For, fields: Fields, shell: Shell, walk: Walk) -> Walking:
    """Runs exactly these rounds. `break` skips the remaining ones, `continue` and `return` the commands that follow."""
    outer, always, unrolled, ways_out = shell.left, shell.always, shell.unrolled, shell.ways_out
    shell.ways_out |= OF_LOOPS
    shell.unrolled *= max(len(fields), 1)
    shell.always, shell.left = False, []
    broken: list[Shell] = []
    for value in fields:
        yield TICK
        shell.assign(node.name, (value,))
        yield from walk(node.body, shell)
        shell.settle()
        _gather(shell, outer, broken)
    shell.join(*broken)
    shell.left, shell.always, shell.unrolled, shell.ways_out = outer, always, unrolled, ways_out


def _gather(shell: Shell, outer: list[tuple[str, Shell]], broken: list[Shell]) -> None:
    """Distributes the exits of a round: `continue` joins the next round, `break` the code after the loop, the rest go further
    out."""
    for word, path in shell.left:
        if word == "continue":
            shell.join(path)
        elif word == "break":
            broken.append(path)
        else:
            outer.append((word, path))
            if word == "break 2":  # the number of loops that it leaves is not counted
                broken.append(path)
    shell.left = []


def _until_nothing_new(node: Node, round_: Round, shell: Shell) -> Walking:
    outer, always, ways_out, before = shell.left, shell.always, shell.ways_out, shell.quiet()
    shell.ways_out |= OF_LOOPS
    outermost = shell.rounds is None
    rounds = shell.rounds = {} if shell.rounds is None else shell.rounds
    if (earlier := rounds.get(id(node))) is not None:
        shell.join(earlier[1])
    ends: list[Shell] = []
    loose: dict[str, Values] = {}
    loose_cwd: tuple[Word, ...] = ()
    said: tuple[Word, ...] = ()
    for n in range(ROUNDS):
        yield TICK
        ends = []
        path = shell.maybe()
        path.left, path.printed = [], (EMPTY,)
        yield from round_(path, ends)
        path.settle()
        _gather(path, outer, ends)
        said = alternatives((*said, *path.printed))
        path.printed = shell.printed
        head, variables, cwd = _state(shell), dict(shell.variables), shell.cwd
        shell.join(path)
        shell.variables.update(loose)
        shell.cwd = loose_cwd or shell.cwd
        if _state(shell) == head:
            break
        if n + 1 >= _LOOSE:
            changed = [name for name, values in shell.variables.items() if variables.get(name) != values]
            shell.loosen(variables, cwd if n + 1 >= _LOOSE_CWD else shell.cwd)
            loose.update({name: shell.variables[name] for name in changed})
            if n + 1 >= _LOOSE_CWD and cwd != shell.cwd:
                loose_cwd = shell.cwd
            if shell.arguments != head[1]:
                shell.arguments = (ANY_ARGUMENTS,)
    else:
        raise Beyond("a loop does more than the gate follows")
    rounds[id(node)] = (node, shell.copy())
    shell.become(ends)
    shell.printed = before
    shell.say(*_repeated(said))
    shell.left, shell.always, shell.ways_out = outer, always, ways_out
    if outermost:
        shell.rounds = None


def _repeated(said: tuple[Word, ...]) -> tuple[Word, ...]:
    """Returns the output of any number of rounds: as known text for a reader that takes it for code, and followed by unknown
    text."""
    texts = [word for word in said if word.parts]
    if not texts:
        return (EMPTY,)
    every = joined(texts, "")
    any_more = unknown("what a loop prints", every.src)
    return (EMPTY, every, *(text + any_more for text in texts)) if len(texts) < 4 else (every, any_more)


def _state(shell: Shell) -> tuple[object, ...]:
    return (
        tuple(shell.functions.items()),
        shell.arguments,
        tuple(shell.streams.items()),
        shell.reads,
        shell.strict,
        dict(shell.variables),
        shell.cwd,
    )
