"""The loop that the suites of all languages share: every call that a program really made must have been read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from differential.python_execution import reading_of

if TYPE_CHECKING:
    from tree_sitter import Node

Ran = list[tuple[set[tuple[str, str]], str | None]]
"""What each program called, and how it failed if it did."""
BATCH = 500
_CHANCE = 3
"""How many more programs a small sample may hold by chance."""


def compare_readings(
    language: str,
    source: Iterator[str],
    count: int,
    really_run: Callable[[list[str]], Ran],
    parse: Callable[[bytes], Any],
    node_types: list[str],
) -> None:
    """Runs programs and reads them.

    Fails if a call was missed, if too many programs are opaque, or if too many fail. `node_types`: the kinds of nodes of the
    grammar; empty for a parser that has none.
    """
    executions = missed = missing_count = opaque = failed = extra = compared_count = 0
    lines: list[str] = []
    kinds: set[str] = set()
    while compared_count < count:
        programs = [next(source) for _ in range(min(BATCH, count - compared_count))]
        compared_count += len(programs)
        for program, (calls, failure) in zip(programs, really_run(programs), strict=True):
            reading = reading_of(program, language)
            kinds |= _node_types_of(parse(program.encode())) if node_types else set()
            failed += failure is not None
            executions += len(calls)
            opaque += reading.is_opaque
            missing_count += sum(call not in reading.calls for call in calls)
            extra += len(reading.calls - calls)
            for call in calls:
                if not reading.includes(call):
                    missed += 1
                    lines.append(f"{call} in\n{program}")
    grammatical = {name for name in node_types if not name.startswith("_")}
    print(
        f"{language}: {compared_count} programs, {executions} calls: {missed} missed, {missing_count} with unknown arguments,"
        f" {opaque} programs opaque, {extra} calls read that this run did not make, {failed} programs failed;"
        f" {len(kinds & grammatical)} of {len(grammatical)} node types, without {', '.join(sorted(grammatical - kinds))}"
    )
    assert not lines, "\n\n".join(lines[:5])
    assert opaque <= compared_count * 0.03 + _CHANCE
    assert failed <= compared_count * 0.02 + _CHANCE


def _node_types_of(root: Node) -> set[str]:
    """Returns the kinds of nodes in a program's tree."""
    found: set[str] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        found.add(node.type)
        waiting += node.named_children
    return found
