"""Loops: read item by item within a limit, then until a fixpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from . import nodes
from .assignment_targets import AssignmentTargets
from .endless_loops import count_requests, forks, has_many_items, is_large, lets_child_leave, may_leave, report_endless_loop
from .journal import ABSENT, Changes, Frame
from .listings import is_listed, lists_objects
from .values import (
    Constant,
    ListContent,
    MapEntries,
    Unknown,
    Value,
    is_same,
    join_all,
    list_alternatives,
    widen_values,
)

_MAX_ROUNDS = 64
"""Maximum rounds of a loop whose test is certainly true."""


_MOST_CALLS = 32
"""Calls of a name after which every round is taken to make one: a function of the text is not entered for every call."""


class Loops(AssignmentTargets):
    """Reads loops and jumps. Each method returns whether the code after it is unreachable."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._leaving: dict[int, bool] = {}
        """Whether the body of a loop forks, and its children leave the loop."""

    def read_breakable(self, node: nodes.BreakableBlock) -> bool:
        frame, mark = self.frame, self.journal.make_mark()
        outer, frame.jumps = frame.jumps, []
        leaves = False
        try:
            leaves = self.run_block(node.body)
        finally:
            breaks = self._leave_loop(frame, outer, node.label)
        return self._after_loop((), breaks, leaves, mark)

    def _leave_loop(self, frame: Frame, outer: list[tuple[str, Changes]] | None, label: str) -> list[Changes]:
        """Returns the paths that end here. Jumps to enclosing blocks are passed on."""
        jumps = frame.jumps or []
        frame.jumps = outer
        if outer is not None:
            outer += [each for each in jumps if each[0] not in ("break", f"break {label}", f"continue {label}")]
        return [changes for kind, changes in jumps if kind in ("break", f"break {label}")]

    def read_for(self, node: nodes.For) -> bool:
        with count_requests(self) if has_many_items(self, node.iterable) else nullcontext(), self._note_child(node.body):
            return self._read_for(node)

    def _read_for(self, node: nodes.For) -> bool:
        over = self.evaluate(node.iterable)
        frame, stopped, mark, room = self.frame, False, self.journal.make_mark(), self.unrolled
        outer, frame.jumps = frame.jumps, []
        is_listing, outer_round = lists_objects(node.iterable) or is_listed(over), self.round
        self.listings += is_listing
        try:
            for number, (item, exists) in enumerate(self.iter_rounds(over), 1):
                self.round = outer_round if isinstance(item, Constant) else max(outer_round, number)
                if not exists:
                    self._repeat_to_fixpoint(lambda item=item: self._run_round(node, item))  # type: ignore[misc]
                elif self._run_round(node, item):
                    stopped = True
                    break
        finally:
            self.listings -= is_listing
            self.round = outer_round
            breaks = self._leave_loop(frame, outer, node.label)
            self.unrolled = room
        return self._after_loop(node.alternative, breaks, stopped, mark)

    def _run_round(self, node: nodes.For, item: Value) -> bool:
        mark = self.journal.make_mark()
        if not node.has_scope:
            self.store(node.target, item)
            return self._end_round(self.run_block(node.body), mark, node.label)
        outer = self.frame
        self.frame = outer.open_block()
        try:
            self.store_here(node.target, item)
            leaves = self.run_block(node.body)
        finally:
            self.frame = outer
        return self._end_round(leaves, mark, node.label)

    def _end_round(self, leaves: bool, mark: int, label: str) -> bool:
        """Joins the paths that ended this round with `continue` to the one that reached its end."""
        jumps = self.frame.jumps or []
        own = ("continue", f"continue {label}")
        paths = [changes for kind, changes in jumps if kind in own]
        if not paths:
            return leaves
        self.frame.jumps = [each for each in jumps if each[0] not in own]
        if not leaves:
            paths.append(self.journal.changes_since(mark))
        self.journal.roll_back(mark)
        self.journal.join_paths(paths)
        return False

    def _repeat_to_fixpoint(self, once: Callable[[], bool]) -> None:
        """Reads any number of rounds, including none, until a further round changes nothing; values that still change are
        widened before the last."""
        if self.journal.is_linear:
            once()
            return
        last = 1 if self.repeats else 2  # nested loops are read one round less
        for attempt in range(last + 1):
            mark = self.journal.make_mark()
            self.repeats += 1
            self.journal.run_branches([once, lambda: False])
            self.repeats -= 1
            grown = [each for each in self.journal.changed_values(mark) if not _is_covered(each[0], each[2], each[3])]
            if not grown or attempt == last:
                return
            if attempt == last - 1:
                for cell, key, _, value in grown:
                    self.journal.set_cell(cell, key, _widen_value(value))

    def _after_loop(self, alternative: nodes.Block, breaks: list[Changes], has_exits: bool, mark: int) -> bool:
        """Continues where the loop ended, or where one of its paths broke off."""
        if not breaks:
            return has_exits or self.run_block(alternative)
        leaves = has_exits or self.run_block(alternative)
        paths = [*breaks, *([] if leaves else [self.journal.changes_since(mark)])]
        self.journal.roll_back(mark)
        self.journal.join_paths(paths)
        return False

    def read_while(self, node: nodes.While) -> bool:
        with count_requests(self) if is_large(self, node.test) else nullcontext():
            return self._read_while(node)

    def _read_while(self, node: nodes.While) -> bool:
        with self._note_child(node.body):
            return self._read_rounds(node)

    @contextmanager
    def _note_child(self, body: nodes.Block) -> Iterator[None]:
        """Notes whether the code that is read meanwhile is a loop that forks, and that its children leave."""
        leaves = self._leaving.get(id(body))
        if leaves is None:
            leaves = self._leaving[id(body)] = forks(body) and lets_child_leave(body)
        self.leaving_children += leaves
        try:
            yield
        finally:
            self.leaving_children -= leaves

    def _read_rounds(self, node: nodes.While) -> bool:
        frame, mark, before, first_effect = self.frame, self.journal.make_mark(), dict(self.called), len(self.report.effects)
        outer, frame.jumps = frame.jumps, []
        room, self.unrolled = self.unrolled, max(1, self.unrolled // 16)
        answer, stopped, rounds, enough = None, False, 0, self.work.left * 3 // 4
        try:
            limit = 0 if self.journal.is_linear else min(_MAX_ROUNDS, max(2, room))
            while rounds < limit and self.work.left > enough:
                before_test = self.journal.make_mark()
                answer = self.decide_test(node.test)
                if answer is None:
                    self.journal.roll_back(before_test)  # it is evaluated again, and may take an item from a list
                if answer is not True:
                    break
                rounds += 1
                start = self.journal.make_mark()
                if self._end_round(self.run_block(node.body), start, node.label) or self.run_block(node.update):
                    stopped = True
                    break
                if any(kind.startswith("break") for kind, _ in frame.jumps or ()):
                    answer = None
                    break
            if not stopped and answer is not False:
                self._repeat_to_fixpoint(lambda: self._run_while_round(node))
            if answer is True and rounds > 1 and not stopped and _is_constant(node.test) and not may_leave(node.body):
                often = min(rounds, _MOST_CALLS)
                names = {name for name, count in self.called.items() if count - before.get(name, 0) >= often}
                report_endless_loop(self, names, first_effect)
                if forks(node.body) and not lets_child_leave(node.body) and not self.report.is_excused:
                    self.report.operation("process.replicate")
        finally:
            breaks = self._leave_loop(frame, outer, node.label)
            self.unrolled = room
        return self._after_loop(node.alternative, breaks, stopped, mark)

    def _run_while_round(self, node: nodes.While) -> bool:
        mark = self.journal.make_mark()
        self.evaluate(node.test)
        self.narrow_by_test(node.test, True)
        return self._end_round(self.run_block(node.body), mark, node.label) or self.run_block(node.update)

    def read_jump(self, node: nodes.Jump) -> bool:
        if self.frame.jumps is not None:
            self.frame.jumps.append((node.kind, self.journal.changes_since(self.frame.start)))
        return True


def _is_constant(test: nodes.Expression) -> bool:
    """Returns whether nothing in a loop changes this test."""
    match test:
        case nodes.Literal():
            return True
        case nodes.Unary(_, operand):
            return _is_constant(operand)
        case nodes.Comparison(_, left, right):
            return _is_constant(left) and _is_constant(right)
        case nodes.Operation(_, more):  # `fork() | 1`
            return any(operator == "|" and _is_constant(operand) for operator, operand in more)
        case _:
            return False


def _is_covered(cell: object, before: Any, after: Any) -> bool:
    """Returns whether the state before a round already covered the state after it."""
    if before is ABSENT:
        return not isinstance(cell, MapEntries)  # a name that the loop itself binds is bound again in each round
    if before is after:
        return True
    if isinstance(after, ListContent):
        return False
    known_before = list_alternatives(before)
    return all(
        any(is_same(each, other) for other in known_before) or isinstance(each, Unknown) for each in list_alternatives(after)
    )


def _widen_value(value: Any) -> Any:
    if isinstance(value, ListContent):
        return ListContent((), join_all((*value.items, value.rest)))
    return widen_values(list(list_alternatives(value)))
