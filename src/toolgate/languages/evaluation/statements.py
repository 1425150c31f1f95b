"""Statements: a block is read in order, until a statement leaves it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolgate.model.effect import Carrier
from toolgate.model.word import Word

from . import nodes
from .journal import Changes, Frame
from .loops import Loops
from .operators import are_equal
from .shared_state import Arguments
from .values import (
    NEVER_RETURNS,
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
            nodes.ExpressionStatement: lambda node: self.evaluate(node.value) is NEVER_RETURNS,
            nodes.Assignment: self._run_assignment,
            nodes.Declaration: self._run_declaration,
            nodes.Scope: self._run_scope,
            nodes.BreakableBlock: self.read_breakable,
            nodes.AugmentedAssignment: self._run_augmented_assignment,
            nodes.If: self._run_if,
            nodes.For: self.read_for,
            nodes.While: self.read_while,
            nodes.Switch: self._run_switch,
            nodes.Definition: self._run_definition,
            nodes.ClassDefinition: self._define_class,
            nodes.Return: self._run_return,
            nodes.Raise: self._run_raise,
            nodes.Jump: self.read_jump,
            nodes.With: self._run_with,
            nodes.Try: self._run_try,
            nodes.Import: self._run_import,
            nodes.OuterNames: lambda node: self.frame.outer_names.update(node.names),
            nodes.Deletion: self._run_deletion,
            nodes.ShellLine: lambda node: self.report.shell(Word((node.text,)), Carrier("a notebook")),
            nodes.Sequence: lambda node: self.run_block(node.body),
        }

    def run_block(self, block: nodes.Block) -> bool:
        for statement in block:
            self.work.spend_steps()
            if self._runs[type(statement)](statement) and not self.journal.is_linear:
                return True
        return False

    # ---- assignments

    def _run_assignment(self, node: nodes.Assignment) -> bool:
        value = self.evaluate(node.value)
        for target in node.targets:
            self.store(target, value)
        return value is NEVER_RETURNS

    def _run_declaration(self, node: nodes.Declaration) -> bool:
        value = self.evaluate(node.value)
        self.store_here(node.target, value)
        return value is NEVER_RETURNS

    def _run_scope(self, node: nodes.Scope) -> bool:
        outer = self.frame
        self.frame = outer.open_block()
        try:
            return self.run_block(node.body)
        finally:
            self.frame = outer

    def _run_augmented_assignment(self, node: nodes.AugmentedAssignment) -> None:
        before, value = self.evaluate(node.target), self.evaluate(node.value)
        if node.operator in ("+", "*") and not isinstance(value, Constant):
            self.called["+="] = self.called.get("+=", 0) + 1
        if isinstance(before, ListValue) and before.kind == "list" and node.operator == "+":
            self.journal.append_items(before, *self.items_of(value))
        else:
            self.store(node.target, self.apply_operator(node.operator, before, value))

    def _run_deletion(self, node: nodes.Deletion) -> None:
        for target in node.targets:
            self.delete(target)

    # ---- branches

    def _run_if(self, node: nodes.If) -> bool:
        return self._run_arms(node.arms, 0, node.alternative)

    def _run_arms(self, arms: tuple[tuple[nodes.Expression, nodes.Block], ...], at: int, alternative: nodes.Block) -> bool:
        """The first arm that certainly runs is the last. All arms that may run before it are read from the same state."""
        ways: list[Callable[[], bool]] = []
        for test, body in arms[at:]:
            answer = self.decide_test(test)
            if answer is True:
                ways.append(lambda body=body: self.run_block(body))  # type: ignore[misc]
                break
            if answer is None:
                ways.append(lambda test=test, body=body: self._run_arm(test, body))  # type: ignore[misc]
        else:
            ways.append(lambda: self._run_alternative(arms, alternative))
        return ways[0]() if len(ways) == 1 else self.journal.run_branches(ways)

    def _run_arm(self, test: nodes.Expression, body: nodes.Block) -> bool:
        self.narrow_by_test(test, True)
        return self.run_block(body)

    def _run_alternative(self, arms: tuple[tuple[nodes.Expression, nodes.Block], ...], alternative: nodes.Block) -> bool:
        for test, _ in arms:
            self.narrow_by_test(test, False)
        return self.run_block(alternative)

    def _run_switch(self, node: nodes.Switch) -> bool:
        subject = self.evaluate(node.subject)
        self.journal.set_cell(self.frame.variables, node.subject_name, subject)
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

    def _run_definition(self, node: nodes.Definition) -> None:
        name = node.function.name
        value: Value = self.make_function(node.function)
        self.store(nodes.Name(name), value)
        for decorator in reversed(node.decorators):
            made = self.call(self.evaluate(decorator), Arguments((value,)))
            value = self.join_values(value, made) if isinstance(made, Unknown) else made
        self.store(nodes.Name(name), value)

    def _define_class(self, node: nodes.ClassDefinition) -> None:
        bases = tuple(self.evaluate(each) for each in node.bases)
        outer = self.frame
        self.frame = Frame(outer, outer.unit, outer.start)
        made = ClassValue(node.name, bases, self.frame.variables, node.annotated)
        outer.variables[node.name] = made
        known = set(self.functions)
        try:
            self.run_block(node.body)
        finally:
            self.frame = outer
        self.outside_calls.add_methods(self.functions.keys() - known)
        for value in made.fields.values():
            self.outside_calls.hand_out(value)
        for name, value in made.fields.items():
            if isinstance(value, Function):
                made.fields[name] = value._replace(frame=outer)
            elif isinstance(value, Instance) and isinstance(getter := value.fields.get("get"), Function):
                made.fields[name] = Instance(value.type, {"get": getter._replace(frame=outer)})
        result: Value = made
        for decorator in reversed(node.decorators):
            decorated = self.call(self.evaluate(decorator), Arguments((result,)))
            result = decorated if not isinstance(decorated, Unknown) else result
        self.store(nodes.Name(node.name), result)

    def _run_return(self, node: nodes.Return) -> bool:
        self.frame.returned.append(NULL if node.value is None else self.evaluate(node.value))
        self.frame.exits.append(self.journal.changes_since(self.frame.start))
        return True

    # ---- exceptions

    def _run_raise(self, node: nodes.Raise) -> bool:
        if node.value is not None:
            self.evaluate(node.value)
        if self._raised:
            mark, paths = self._raised[-1]
            paths.append(self.journal.changes_since(mark))
        return True

    def _run_try(self, node: nodes.Try) -> bool:
        """A handler may run after any part of the body; the code after it may follow the body or a handler."""
        mark = self.journal.make_mark()
        raised: list[Changes] = []
        self._raised.append((mark, raised))
        try:
            leaves = self.run_block(node.body)
        finally:
            self._raised.pop()
        if not node.handlers:
            return self.run_block(node.final) or leaves
        after = self.journal.changes_since(mark)
        self.journal.roll_back(mark)

        def run_body() -> bool:
            self.journal.apply_changes(after)
            return leaves or self.run_block(node.alternative)

        def make_handler(names: tuple[str, ...], block: nodes.Block) -> Callable[[], bool]:
            def run_handler() -> bool:
                self.journal.join_paths([{}, after, *raised])
                for name in names:
                    self.journal.set_cell(self.frame.variables, name, Unknown("an exception"))
                return self.run_block(block)

            return run_handler

        certain = self.journal.branches
        leaves = self.journal.run_branches([run_body, *(make_handler(*each) for each in node.handlers)])
        self.journal.branches = certain
        return self.run_block(node.final) or leaves

    def _run_with(self, node: nodes.With) -> bool:
        managers: list[Value] = []
        openings = self.report.openings
        simulated = openings.simulates_cloud, openings.simulates_requests
        for made, target in node.entered:
            manager = self.evaluate(made)
            enter = self._find_method(manager, "__enter__")
            if enter is not None:
                value = self.call(enter, Arguments())
            elif isinstance(manager, Instance) and manager.type == "manager":
                items, rest = self.items_of(manager)
                value = self.join_values(*items, rest)
            else:
                value = manager
            managers.append(manager)
            if target is not None:
                self.store(target, value)
        leaves = self.run_block(node.body)
        openings.simulates_cloud, openings.simulates_requests = simulated
        for manager in managers:
            leave = self._find_method(manager, "__exit__")
            if leave is not None:
                self.call(leave, Arguments((NULL, NULL, NULL)))
        return leaves

    def _find_method(self, value: Value, name: str) -> Function | None:
        if isinstance(value, Instance) and value.cls is not None:
            found = self.read_attribute(value, name)
            return found if isinstance(found, Function) else None
        return None

    # ---- modules

    def _run_import(self, node: nodes.Import) -> None:
        loaded = self.load_module(node.module)
        module = self.library.module_reference(node.module) if loaded is None else loaded
        variables = self.frame.variables
        if node.attribute == "*":
            if isinstance(module, Instance):
                for name, value in list(module.fields.items()):
                    self.journal.set_cell(variables, name, value)
            elif isinstance(module, Reference):
                self.journal.set_cell(variables, f"*{module.name}", module)
        elif node.attribute:
            self.store(nodes.Name(node.bound), self.read_attribute(module, node.attribute))
        elif node.bound:
            self.store(nodes.Name(node.bound), module)
