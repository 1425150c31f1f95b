"""Loops that neither end nor wait: what every round of them starts, keeps, writes or requests. Long loops request, too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from typing import TYPE_CHECKING

from toolgate.model.effect import Connect, Write
from toolgate.model.word import known_word

from . import nodes
from .operators import LARGE_TEXT
from .values import Constant

if TYPE_CHECKING:
    from .shared_state import Arguments, Evaluation

_PAUSING_NAMES = frozenset(
    "sleep usleep wait pause delay setTimeout wait_for_timeout waitForTimeout input Sleep Wait Tick".split()
)
_WAITING_NAMES = _PAUSING_NAMES | frozenset(
    (
        *("await", "communicate", "recv", "accept", "read", "readline", "join", "poll", "get"),
        *("Accept", "Read", "ReadString", "ReadBytes", "ReadLine", "ReadMessage", "Recv", "Receive", "Scan", "Scanln", "Next"),
    )
)
_STARTING_NAMES = frozenset(
    "fork pcntl_fork forkpty Popen Process Thread start_new_thread spawn exec spawnl spawnlp spawnv spawnvp posix_spawn".split()
)
_FORKING_NAMES = frozenset("fork forkpty pcntl_fork vfork".split())
_LEAVING_NAME = re.compile(r"_?exit!?|quit|abort|die|exec[lv]?[pe]*|pcntl_exec")
_KEEPING_CALLS = frozenset(("list.append", "list.extend", "list.push", "+="))
_APPENDING_CALLS = frozenset(
    (
        *("file.write", "file.puts", "file.print", "file.writelines", "fs.appendFile", "File.appendAll"),
        *("append to", "print to", "file_put_contents", "fwrite", "file.Write", "file.WriteString", "os.WriteFile"),
    )
)
_ASKS_MODEL = re.compile(
    r"(?:completions|messages|responses|embeddings|images|speech)\.(?:create|generate|stream)$|\b(?:generate_?content|generateText|invoke_?model)$",
    re.IGNORECASE,
).search
"""Matches calls of models by their SDKs."""
_COUNTING_NAMES = frozenset("range xrange arange Array times from count irange".split())
_CALLS_FOR_EACH = frozenset(
    "map imap imap_unordered starmap map_async each forEach flatMap times upto step foreach each_line each_row each_with_index"
    " eachById chunk chunkById chunk_by_id".split()
)
_JOINING_NAMES = frozenset("gather all allSettled race any format join str".split())
"""Functions that wait for requests to end, but not between them."""
_MANY = 100_000
"""Rounds from which a loop without a pause loads a server."""
_MAX_DEPTH = 4


def report_endless_loop(evaluation: Evaluation, names: AbstractSet[str], first_effect: int) -> None:
    """Reports what a loop does without end. `names`: what every round calls; `first_effect`: of the first round."""
    report = evaluation.report
    methods = {name.rpartition(".")[2] for name in names}
    if report.is_excused:
        return
    writes = not names.isdisjoint(_APPENDING_CALLS) and any(isinstance(each, Write) for each in report.effects)
    if writes and methods.isdisjoint(_PAUSING_NAMES) and _is_described(evaluation, names):
        report.operation("disk.fill")
    _report_flood(evaluation, names, first_effect)
    if any(map(_ASKS_MODEL, names)):
        report.operation("network.flood", known_word("a provider of models, which is paid for each answer"))
    if not methods.isdisjoint(_WAITING_NAMES):
        return
    if not methods.isdisjoint(_STARTING_NAMES):
        report.operation("process.replicate")
    if not names.isdisjoint(_KEEPING_CALLS):
        report.operation("memory.fill")


def _report_flood(evaluation: Evaluation, names: AbstractSet[str], first_effect: int) -> None:
    report = evaluation.report
    if {name.rpartition(".")[2] for name in names}.isdisjoint(_PAUSING_NAMES) and _is_described(evaluation, names):
        for target in [each.target for each in report.effects[first_effect:] if isinstance(each, Connect)]:
            report.operation("network.flood", target)


@contextmanager
def count_requests(evaluation: Evaluation) -> Iterator[None]:
    """Reports the servers that the code read meanwhile, which runs very often, loads with requests without waiting."""
    before, first_effect = dict(evaluation.called), len(evaluation.report.effects)
    evaluation.long_loops += 1
    yield
    evaluation.long_loops -= 1
    if not evaluation.report.is_excused:
        names = {name for name, count in evaluation.called.items() if count > before.get(name, 0)}
        _report_flood(evaluation, names, first_effect)


def report_large_writes(evaluation: Evaluation, name: str, arguments: Arguments) -> None:
    """Reports that each round of a very long loop writes a large text: `archive.write(b"\\0" * 2**20)`."""
    is_write = evaluation.long_loops > 0 and name.rpartition(".")[2] in _WRITING_METHODS
    if is_write and not evaluation.report.is_excused and any(each is LARGE_TEXT for each in arguments.all_values()):
        evaluation.report.operation("disk.fill")


_WRITING_METHODS = frozenset(("write", "writestr", "write_bytes", "write_text", "push"))


def calls_for_each_item(method: str) -> bool:
    """Returns whether a method calls a function for each item of a list of unknown length: `forEach`, `map`."""
    return method.rpartition(".")[2] in _CALLS_FOR_EACH


def calls_for_many(evaluation: Evaluation, call: nodes.Call) -> bool:
    """Returns whether a method calls a function very often: `pool.map(f, range(10**6))`, `1_000_000.times`."""
    function = call.function
    if not isinstance(function, nodes.Attribute) or function.name not in _CALLS_FOR_EACH:
        return False
    given = (function.owner, *(each.value for each in call.arguments))
    return any(is_large(evaluation, function.owner) or has_many_items(evaluation, each) for each in given)


def has_many_items(evaluation: Evaluation, iterable: nodes.Expression, depth: int = _MAX_DEPTH) -> bool:
    """Returns whether a loop over this takes a very large number of rounds: `range(10**6)`, `Array(1e6).keys()`."""
    match iterable:
        case nodes.Call(function=nodes.Name(name) | nodes.Attribute(name=name), arguments=arguments) if name in _COUNTING_NAMES:
            given = [each.value for each in arguments]
            lengths = [value for each in given if isinstance(each, nodes.MapLiteral) for _, value in each.pairs]
            return any(is_large(evaluation, each) for each in (*given, *lengths))
        case nodes.Construction(function=nodes.Name("Array"), arguments=arguments):
            return any(is_large(evaluation, each.value) for each in arguments)
        case nodes.Call(function=nodes.Attribute(owner=owner), arguments=arguments) if depth:
            return has_many_items(evaluation, owner, depth - 1)
        case nodes.Call(arguments=arguments) if depth:  # `enumerate(range(..))`
            return any(has_many_items(evaluation, each.value, depth - 1) for each in arguments)
        case nodes.Collection(items=(nodes.Spread(value=value),)) if depth:
            return has_many_items(evaluation, value, depth - 1)
        case _:
            return False


def is_large(evaluation: Evaluation, number: nodes.Expression) -> bool:
    """Returns whether a number, or one that a comparison has, is as large as only a flood needs."""
    match number:
        case nodes.Comparison(_, left, right):
            return is_large(evaluation, left) or is_large(evaluation, right)
        case nodes.Operation(first, more) if all(
            isinstance(each, nodes.Literal) for each in (first, *(each for _, each in more))
        ):
            value = evaluation.evaluate(number)
        case nodes.Name() | nodes.Literal():
            value = evaluation.evaluate(number)
        case _:
            return False
    return isinstance(value, Constant) and isinstance(value.value, int | float) and value.value >= _MANY


def may_leave(part: object) -> bool:
    """Returns whether a part of a loop's body returns or raises; functions that it defines are left out."""
    if isinstance(part, nodes.Return | nodes.Raise):
        return True
    if not isinstance(part, tuple) or isinstance(part, nodes.Lambda | nodes.Definition | nodes.ClassDefinition):
        return False
    return any(map(may_leave, part))


def forks(part: object) -> bool:
    """Returns whether a part of a loop's body forks, without a block that the child alone runs."""
    match part:
        case nodes.Lambda() | nodes.Definition() | nodes.ClassDefinition():
            return False
        case nodes.Call(function=nodes.Name(name) | nodes.Attribute(name=name), arguments=()) if name in _FORKING_NAMES:
            return True
        case tuple():
            return any(map(forks, part))
        case _:
            return False


def lets_child_leave(part: object) -> bool:
    """Returns whether a part of a loop's body that forks leaves the loop, or stays in another, as a child does that has work of
    its own."""
    match part:
        case nodes.While(test=nodes.Literal(), body=body):
            return not forks(body)
        case nodes.Return() | nodes.Raise():
            return True
        case nodes.Jump(kind=kind):
            return kind.startswith("break")
        case nodes.Lambda() | nodes.Definition() | nodes.ClassDefinition():
            return False
        case nodes.Call(function=nodes.Name(name) | nodes.Attribute(name=name)) if _LEAVING_NAME.fullmatch(name):
            return True
        case tuple():
            return any(map(lets_child_leave, part))
        case _:
            return False


def _is_described(evaluation: Evaluation, names: AbstractSet[str]) -> bool:
    """Returns whether the library describes all functions. Any other may wait, or end the loop."""
    others = [name for name in names if "." in name and not _never_waits(name.rpartition(".")[2])]
    return all(name[0] != "?" and evaluation.library.has_call(name) for name in others)


def _never_waits(method: str) -> bool:
    """Returns whether a method calls its argument for each item, or makes an object."""
    return method in _CALLS_FOR_EACH or method in _JOINING_NAMES or method[:1].isupper()
