"""Loops. The words of a short list are gone through one by one; else a round is read again until it leaves nothing new.

What still changes in the second round may be anything from then on, and what an inner loop came to is where it begins when an
outer loop reads it again: the work grows with the depth of the nest, not with its power.
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
UNROLLED = 16  # rounds that loops within loops may be gone through one by one, all together
_LOOSE = 2  # the round after which what changes may be anything; directories are given more: `cd ..` comes to an end
_LOOSE_CWD = 6

Round = Callable[[Shell, list[Shell]], Walking]  # is given the paths that end the loop


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
        if path.failed:  # whether this is `while` or `until` changes only where the body runs
            path.cwd = folders(path.cwd + path.failed)
        path.succeed()
        yield from walk(node.body, path)

    yield from _until_nothing_new(node, round_, shell)


def _is_endless(condition: Sequence) -> bool:
    return len(condition.items) == 1 and _name(condition.items[0]) in ("true", ":", "yes")


def _only_starts(body: Sequence) -> bool:
    """Does each round start something in the background, and nothing in it waits?"""
    return any(isinstance(_inner(item), Background) for item in body.items) and all(
        isinstance(_inner(item), Background) or (isinstance(item, Simple) and _name(item) not in _WAITS) for item in body.items
    )


def _only_appends(body: Sequence) -> bool:
    """Does each round write more to a file, and nothing in it waits?"""
    simple = [item for item in body.items if isinstance(item, Simple)]
    return (
        len(simple) == len(body.items)
        and not any(_name(item) in _WAITS for item in simple)
        and any(redirect.operator == ">>" for item in simple for redirect in item.redirects if _name(item) in _PRINTS)
    )


_PRINTS = ("echo", "printf", "cat", "head", "yes", "date")


def _inner(node: Node) -> Node:
    """`( cmd & )` starts it in the background too."""
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
        # every word of every alternative is gone through: how they go together changes nothing
        lists = [lists[0] + more[0]] if len(lists) == len(more) == 1 else [*lists, *more]
    return lists


def _members(word: Word) -> Iterator[Word]:
    """What a loop is given for a word: one that may be several is only in part what stands around its hole."""
    yield word.whole()
    if word.splits and any(isinstance(part, str) for part in word.parts):
        yield unknown("one of several words", word.src)


def _is_plain(fields: Fields, shell: Shell) -> bool:
    """Are these surely the words, and few?"""
    return len(fields) * shell.unrolled <= UNROLLED and shell.rounds is None and all(word.text is not None for word in fields)


def _one_by_one(node: For, fields: Fields, shell: Shell, walk: Walk) -> Walking:
    """Exactly the rounds there are. A `break` leaves the others out, `continue` and `return` what follows."""
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
    """Where the rounds were left: `continue` goes on with the next, `break` with what follows the loop, the rest further out."""
    for word, path in shell.left:
        if word == "continue":
            shell.join(path)
        elif word == "break":
            broken.append(path)
        else:
            outer.append((word, path))
            if word == "break 2":  # how many loops it leaves is not counted
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
    """What a round prints, any number of times: as known text for whoever takes it for code, and once more with what follows."""
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
