"""Statements: a block is read in order, until something in it leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolgate.model.word import Word

from . import nodes
from .evaluation import Arguments
from .journal import ABSENT, Changes, Frame
from .operators import are_equal
from .places import Places
from .values import (
    NEVER,
    NULL,
    ClassValue,
    Constant,
    Content,
    Function,
    Instance,
    ListValue,
    Reference,
    Unknown,
    Value,
    alternatives,
    is_same,
    join_all,
    truth_of,
    widen,
)

_ROUNDS = 64
"""A loop whose test is surely true is read that often."""


class Statements(Places):
    """Reads statements. Each method returns whether what follows is not reached."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._raised: list[tuple[int, list[Changes]]] = []
        self._runs: dict[type, Callable[[Any], bool | None]] = {
            nodes.Evaluated: lambda node: self.evaluate(node.value) is NEVER,
            nodes.Assigned: self._assign,
            nodes.Declared: self._declare,
            nodes.Scope: self._scope,
            nodes.Breakable: self._breakable,
            nodes.Augmented: self._augment,
            nodes.If: self._if,
            nodes.For: self._for,
            nodes.While: self._while,
            nodes.Switch: self._switch,
            nodes.Definition: self._define,
            nodes.ClassDefinition: self._define_class,
            nodes.Return: self._return,
            nodes.Raise: self._raise,
            nodes.Jump: self._jump,
            nodes.With: self._with,
            nodes.Try: self._try,
            nodes.Import: self._import,
            nodes.OuterNames: lambda node: self.frame.outer_names.update(node.names),
            nodes.Removed: self._remove,
            nodes.ShellLine: lambda node: self.report.shell(Word((node.text,)), "a notebook"),
            nodes.Sequence: lambda node: self.run_block(node.body),
        }

    def run_block(self, block: nodes.Block) -> bool:
        for statement in block:
            self.work.spend()
            if self._runs[type(statement)](statement) and not self.journal.is_linear:
                return True
        return False

    # ---- assignments

    def _assign(self, node: nodes.Assigned) -> bool:
        value = self.evaluate(node.value)
        for target in node.targets:
            self.store(target, value)
        return value is NEVER

    def _declare(self, node: nodes.Declared) -> bool:
        value = self.evaluate(node.value)
        self.store_here(node.target, value)
        return value is NEVER

    def _scope(self, node: nodes.Scope) -> bool:
        outer = self.frame
        self.frame = outer.open_block()
        try:
            return self.run_block(node.body)
        finally:
            self.frame = outer

    def _augment(self, node: nodes.Augmented) -> None:
        before, value = self.evaluate(node.target), self.evaluate(node.value)
        if node.operator in ("+", "*") and not isinstance(value, Constant):
            self.called["+="] = self.called.get("+=", 0) + 1
        if isinstance(before, ListValue) and before.kind == "list" and node.operator == "+":
            self.journal.append(before, *self.items_of(value))
        else:
            self.store(node.target, self.operate(node.operator, before, value))

    def _remove(self, node: nodes.Removed) -> None:
        for target in node.targets:
            if isinstance(target, nodes.Name):
                self.journal.remove(self.frame.variables, target.name)

    # ---- branches

    def _if(self, node: nodes.If) -> bool:
        return self._arms(node.arms, 0, node.alternative)

    def _arms(self, arms: tuple[tuple[nodes.Expression, nodes.Block], ...], at: int, alternative: nodes.Block) -> bool:
        """The first arm that surely runs ends it. All that may run before it are read from the same state."""
        ways: list[Callable[[], bool]] = []
        for test, body in arms[at:]:
            answer = truth_of(self.evaluate(test))
            if answer is True:
                ways.append(lambda body=body: self.run_block(body))  # type: ignore[misc]
                break
            if answer is None:
                ways.append(lambda test=test, body=body: self._arm(test, body))  # type: ignore[misc]
        else:
            ways.append(lambda: self._otherwise(arms, alternative))
        return ways[0]() if len(ways) == 1 else self.journal.run_branches(ways)

    def _arm(self, test: nodes.Expression, body: nodes.Block) -> bool:
        self.narrow(test, True)
        return self.run_block(body)

    def _otherwise(self, arms: tuple[tuple[nodes.Expression, nodes.Block], ...], alternative: nodes.Block) -> bool:
        for test, _ in arms:
            self.narrow(test, False)
        return self.run_block(alternative)

    def _switch(self, node: nodes.Switch) -> bool:
        subject = self.evaluate(node.subject)
        self.journal.set(self.frame.variables, node.subject_name, subject)
        ways: list[Callable[[], bool]] = []
        for literal, body in node.cases:
            answer = None if literal is None else are_equal(subject, self.evaluate(literal))
            if answer is False:
                continue
            ways.append(lambda body=body: self.run_block(body))  # type: ignore[misc]
            if answer is True:
                return self.journal.run_branches(ways) if len(ways) > 1 else ways[0]()
        return self.journal.run_branches([*ways, lambda: False])

    # ---- loops

    def _breakable(self, node: nodes.Breakable) -> bool:
        frame, mark = self.frame, self.journal.mark()
        outer, frame.jumps = frame.jumps, []
        leaves = False
        try:
            leaves = self.run_block(node.body)
        finally:
            breaks = self._leave_loop(frame, outer, node.label)
        return self._after_loop((), breaks, leaves, mark)

    def _leave_loop(self, frame: Frame, outer: list[tuple[str, Changes]] | None, label: str) -> list[Changes]:
        """The paths that end here. Jumps that are meant for what stands around this are handed on."""
        jumps = frame.jumps or []
        frame.jumps = outer
        if outer is not None:
            outer += [each for each in jumps if each[0] not in ("break", f"break {label}", f"continue {label}")]
        return [changes for kind, changes in jumps if kind in ("break", f"break {label}")]

    def _for(self, node: nodes.For) -> bool:
        over = self.evaluate(node.iterable)
        frame, stopped, mark, room = self.frame, False, self.journal.mark(), self.unrolled
        outer, frame.jumps = frame.jumps, []
        try:
            for item, exists in self.rounds(over):
                if not exists:
                    self._repeat(lambda item=item: self._round(node, item))  # type: ignore[misc]
                elif self._round(node, item):
                    stopped = True
                    break
        finally:
            breaks = self._leave_loop(frame, outer, node.label)
            self.unrolled = room
        return self._after_loop(node.alternative, breaks, stopped, mark)

    def _round(self, node: nodes.For, item: Value) -> bool:
        mark = self.journal.mark()
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
        """Joins the paths that ended this round with `continue` to the one that came to its end."""
        jumps = self.frame.jumps or []
        own = ("continue", f"continue {label}")
        paths = [changes for kind, changes in jumps if kind in own]
        if not paths:
            return leaves
        self.frame.jumps = [each for each in jumps if each[0] not in own]
        if not leaves:
            paths.append(self.journal.changes_since(mark))
        self.journal.take_back(mark)
        self.journal.join_paths(paths)
        return False

    def _repeat(self, once: Callable[[], bool]) -> None:
        """Any number of rounds, none among them: until a further round would change nothing, with all that still changes widened
        before the last."""
        if self.journal.is_linear:
            once()
            return
        last = 1 if self.repeats else 2  # loops within loops are read a round less
        for attempt in range(last + 1):
            mark = self.journal.mark()
            self.repeats += 1
            self.journal.run_branches([once, lambda: False])
            self.repeats -= 1
            grown = [each for each in self.journal.changed_values(mark) if not _covers(each[2], each[3])]
            if not grown or attempt == last:
                return
            if attempt == last - 1:
                for cell, key, _, value in grown:
                    self.journal.set(cell, key, _widened(value))

    def _after_loop(self, alternative: nodes.Block, breaks: list[Changes], stopped: bool, mark: int) -> bool:
        """What follows begins where the loop ran out, or where one of its paths broke off."""
        if not breaks:
            return stopped or self.run_block(alternative)
        leaves = stopped or self.run_block(alternative)
        paths = [*breaks, *([] if leaves else [self.journal.changes_since(mark)])]
        self.journal.take_back(mark)
        self.journal.join_paths(paths)
        return False

    def _while(self, node: nodes.While) -> bool:
        frame, mark, before = self.frame, self.journal.mark(), dict(self.called)
        outer, frame.jumps = frame.jumps, []
        room, self.unrolled = self.unrolled, max(1, self.unrolled // 16)
        answer, stopped, rounds, enough = None, False, 0, self.work.left * 3 // 4
        try:
            limit = 0 if self.journal.is_linear else min(_ROUNDS, max(2, room))
            while rounds < limit and self.work.left > enough:
                answer = truth_of(self.evaluate(node.test))
                if answer is not True:
                    break
                rounds += 1
                start = self.journal.mark()
                if self._end_round(self.run_block(node.body), start, node.label) or self.run_block(node.update):
                    stopped = True
                    break
                if any(kind.startswith("break") for kind, _ in frame.jumps or ()):
                    answer = None
                    break
            if not stopped and answer is not False:
                self._repeat(lambda: self._tested(node))
            if answer is True and rounds > 1 and not stopped and _is_constant(node.test):
                self.report.endless({name for name, count in self.called.items() if count - before.get(name, 0) >= rounds})
        finally:
            breaks = self._leave_loop(frame, outer, node.label)
            self.unrolled = room
        return self._after_loop(node.alternative, breaks, stopped, mark)

    def _tested(self, node: nodes.While) -> bool:
        mark = self.journal.mark()
        self.evaluate(node.test)
        self.narrow(node.test, True)
        return self._end_round(self.run_block(node.body), mark, node.label) or self.run_block(node.update)

    def _jump(self, node: nodes.Jump) -> bool:
        if self.frame.jumps is not None:
            self.frame.jumps.append((node.kind, self.journal.changes_since(self.frame.start)))
        return True

    # ---- functions and classes

    def _define(self, node: nodes.Definition) -> None:
        name = node.function.name
        value: Value = self.define(node.function)
        self.store(nodes.Name(name), value)
        for decorator in reversed(node.decorators):
            made = self.call(self.evaluate(decorator), Arguments((value,)))
            value = self.joined(value, made) if isinstance(made, Unknown) else made
        self.store(nodes.Name(name), value)

    def _define_class(self, node: nodes.ClassDefinition) -> None:
        bases = tuple(self.evaluate(each) for each in node.bases)
        outer = self.frame
        self.frame = Frame(outer, outer.unit, outer.start)
        made = ClassValue(node.name, bases, self.frame.variables, node.annotated)
        outer.variables[node.name] = made
        try:
            self.run_block(node.body)
        finally:
            self.frame = outer
        for name, value in made.fields.items():
            if isinstance(value, Function):
                made.fields[name] = value._replace(frame=outer)
            elif isinstance(value, Instance) and isinstance(getter := value.fields.get("get"), Function):
                made.fields[name] = Instance(value.type, {"get": getter._replace(frame=outer)})
        result: Value = made
        for decorator in reversed(node.decorators):
            given = self.call(self.evaluate(decorator), Arguments((result,)))
            result = given if not isinstance(given, Unknown) else result
        self.store(nodes.Name(node.name), result)

    def _return(self, node: nodes.Return) -> bool:
        self.frame.returned.append(NULL if node.value is None else self.evaluate(node.value))
        self.frame.exits.append(self.journal.changes_since(self.frame.start))
        return True

    # ---- exceptions

    def _raise(self, node: nodes.Raise) -> bool:
        if node.value is not None:
            self.evaluate(node.value)
        if self._raised:
            mark, paths = self._raised[-1]
            paths.append(self.journal.changes_since(mark))
        return True

    def _try(self, node: nodes.Try) -> bool:
        """A handler may run after any part of the body; what follows may run after the body or after a handler."""
        mark = self.journal.mark()
        raised: list[Changes] = []
        self._raised.append((mark, raised))
        try:
            leaves = self.run_block(node.body)
        finally:
            self._raised.pop()
        if not node.handlers:
            return self.run_block(node.final) or leaves
        after = self.journal.changes_since(mark)
        self.journal.take_back(mark)

        def body() -> bool:
            self.journal.write(after)
            return leaves or self.run_block(node.alternative)

        def handler(names: tuple[str, ...], block: nodes.Block) -> Callable[[], bool]:
            def run() -> bool:
                self.journal.join_paths([{}, after, *raised])
                for name in names:
                    self.journal.set(self.frame.variables, name, Unknown("an exception"))
                return self.run_block(block)

            return run

        certain = self.journal.branches
        leaves = self.journal.run_branches([body, *(handler(*each) for each in node.handlers)])
        self.journal.branches = certain
        return self.run_block(node.final) or leaves

    def _with(self, node: nodes.With) -> bool:
        managers: list[Value] = []
        for made, target in node.entered:
            manager = self.evaluate(made)
            enter = self._own_method(manager, "__enter__")
            if enter is not None:
                value = self.call(enter, Arguments())
            elif isinstance(manager, Instance) and manager.type == "manager":
                items, rest = self.items_of(manager)
                value = self.joined(*items, rest)
            else:
                value = manager
            managers.append(manager)
            if target is not None:
                self.store(target, value)
        leaves = self.run_block(node.body)
        for manager in managers:
            leave = self._own_method(manager, "__exit__")
            if leave is not None:
                self.call(leave, Arguments((NULL, NULL, NULL)))
        return leaves

    def _own_method(self, value: Value, name: str) -> Function | None:
        if isinstance(value, Instance) and value.cls is not None:
            found = self.attribute(value, name)
            return found if isinstance(found, Function) else None
        return None

    # ---- modules

    def _import(self, node: nodes.Import) -> None:
        loaded = self.load(node.module)
        module = self.library.module(node.module) if loaded is None else loaded
        variables = self.frame.variables
        if node.attribute == "*":
            if isinstance(module, Instance):
                for name, value in list(module.fields.items()):
                    self.journal.set(variables, name, value)
            elif isinstance(module, Reference):
                self.journal.set(variables, f"*{module.name}", module)
        elif node.attribute:
            self.store(nodes.Name(node.bound), self.attribute(module, node.attribute))
        elif node.bound:
            self.store(nodes.Name(node.bound), module)


def _is_constant(test: nodes.Expression) -> bool:
    """Does nothing that a loop does change this test?"""
    match test:
        case nodes.Literal():
            return True
        case nodes.Unary(_, operand):
            return _is_constant(operand)
        case nodes.Comparison(_, left, right):
            return _is_constant(left) and _is_constant(right)
        case _:
            return False


def _covers(before: Any, after: Any) -> bool:
    """Did the state before a round already stand for all that is there after it?"""
    if before is ABSENT or before is after:
        return True  # a name that the loop itself binds is bound anew in each round
    if isinstance(after, Content):
        return False
    known_before = alternatives(before)
    return all(any(is_same(each, other) for other in known_before) or isinstance(each, Unknown) for each in alternatives(after))


def _widened(value: Any) -> Any:
    if isinstance(value, Content):
        return Content((), join_all((*value.items, value.rest)))
    return widen(list(alternatives(value)))
