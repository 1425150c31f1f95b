"""Statements: a block is read in order, until a statement leaves it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolgate.model.word import Word

from . import nodes
from .evaluation import Arguments
from .journal import Changes, Frame
from .loops import Loops
from .operators import are_equal
from .values import (
    NEVER,
    NULL,
    ClassValue,
    Constant,
    Function,
    Instance,
    ListValue,
    Reference,
    Unknown,
    Value,
)


class Statements(Loops):
    """Reads statements. Each method returns whether the code after it is unreachable."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._raised: list[tuple[int, list[Changes]]] = []
        self._runs: dict[type, Callable[[Any], bool | None]] = {
            nodes.Evaluated: lambda node: self.evaluate(node.value) is NEVER,
            nodes.Assigned: self._assign,
            nodes.Declared: self._declare,
            nodes.Scope: self._scope,
            nodes.Breakable: self.read_breakable,
            nodes.Augmented: self._augment,
            nodes.If: self._if,
            nodes.For: self.read_for,
            nodes.While: self.read_while,
            nodes.Switch: self._switch,
            nodes.Definition: self._define,
            nodes.ClassDefinition: self._define_class,
            nodes.Return: self._return,
            nodes.Raise: self._raise,
            nodes.Jump: self.read_jump,
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
        """The first arm that certainly runs is the last. All arms that may run before it are read from the same state."""
        ways: list[Callable[[], bool]] = []
        for test, body in arms[at:]:
            answer = self.library.truth_of(self.evaluate(test))
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
        """A handler may run after any part of the body; the code after it may follow the body or a handler."""
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
