"""Lowers a Go syntax tree to the evaluator's nodes: declarations and statements.

All declarations of a package are known everywhere in it: types, functions and methods come first, then variables, then the
calls of `init` and `main`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.values import Unknown
from toolgate.languages.scripting.lowering import YES, call, number

from .declarations import DeclarationLowering

if TYPE_CHECKING:
    from tree_sitter import Node

_MAYBE = nodes.Literal(Unknown("a test"))


class GoLowering(DeclarationLowering):
    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.is_main = False
        self._label = ""
        self._statements.update(
            {
                "block": lambda node: nodes.Scope(self.body(node)),
                "statement_list": lambda node: nodes.Sequence(self.body(node)),
                "expression_statement": lambda node: nodes.ExpressionStatement(self.inner(node)),
                "short_var_declaration": lambda node: nodes.Declaration(*self._sides(node)),
                "assignment_statement": self._lower_assignment,
                "inc_statement": lambda node: self._augment(node, "+"),
                "dec_statement": lambda node: self._augment(node, "-"),
                **dict.fromkeys(("var_declaration", "const_declaration"), self.lower_variables),
                "type_declaration": lambda node: nodes.Sequence(tuple(self.declare_types(node))),
                "if_statement": self._lower_if,
                "for_statement": self._lower_for,
                "expression_switch_statement": self._lower_switch,
                "type_switch_statement": self._lower_type_switch,
                "select_statement": self._lower_select,
                "receive_statement": self._lower_receive,
                "labeled_statement": self._lower_label,
                "return_statement": self._lower_return,
                "break_statement": lambda node: self._lower_jump(node, "break"),
                "continue_statement": lambda node: self._lower_jump(node, "continue"),
                "go_statement": lambda node: nodes.ExpressionStatement(call("started beside", self.inner(node))),
                "defer_statement": lambda node: nodes.ExpressionStatement(self.inner(node)),
                "send_statement": lambda node: nodes.ExpressionStatement(
                    call("sent value", self.field(node, "channel"), self.field(node, "value"))
                ),
                **dict.fromkeys(
                    ("empty_statement", "goto_statement", "fallthrough_statement", "package_clause"),
                    lambda _: nodes.Sequence(()),
                ),
            }
        )

    # ---- a text

    def program(self, node: Node) -> nodes.Block:
        declared = self.declarations(node)
        starts = [f"init {n}" for n in range(self._count_inits(node))]
        if self.is_main and any(self._is_function(each, "main") for each in node.named_children):
            starts.append("main")
        return (*declared, *(nodes.ExpressionStatement(nodes.Call(nodes.Name(name), ())) for name in starts))

    def declarations(self, node: Node) -> nodes.Block:
        """Lowers what a file declares, without running it."""
        parts = self.children(node)
        clause = next((each for each in parts if each.type == "package_clause"), None)
        self.is_main = clause is not None and self.text(clause).split()[-1] == "main"
        for each in parts:
            if each.type == "type_declaration":
                self.note_types(each)
        order = ("import_declaration", "type_declaration", "function_declaration", "method_declaration", "const_declaration")
        found: list[nodes.Statement] = []
        inits = 0
        for kind in order:
            for each in (part for part in parts if part.type == kind):
                if kind == "import_declaration":
                    found += self.list_imports(each)
                elif kind == "type_declaration":
                    found += self.declare_types(each)
                elif kind == "function_declaration":
                    name = self.name_of(each.child_by_field_name("name"))
                    if name == "init":
                        name, inits = f"init {inits}", inits + 1
                    found.append(nodes.Definition(self.lower_function(each, name), ()))
                elif kind == "method_declaration":
                    found += self.declare_method(each)
                else:
                    found.append(self.statement(each))
        others = [each for each in parts if each.type not in (*order, "package_clause")]
        return (*found, *self.block(others))

    def _count_inits(self, node: Node) -> int:
        return sum(self._is_function(each, "init") for each in node.named_children)

    def _is_function(self, node: Node, name: str) -> bool:
        return node.type == "function_declaration" and self.text(node.child_by_field_name("name")) == name

    # ---- assignments

    def _sides(self, node: Node) -> tuple[nodes.Expression, nodes.Expression]:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        return self.pair_values([self.expression(each) for each in self.list_values(left)], self.list_values(right))

    def _lower_assignment(self, node: Node) -> nodes.Statement:
        target, value = self._sides(node)
        operator = self.operator(node)
        if operator in ("=", ""):
            return nodes.Assignment((target,), value)
        if operator in ("+=", "*="):
            return nodes.AugmentedAssignment(target, operator[0], value)
        return nodes.Assignment((target,), self.operation(operator.removesuffix("="), target, value))

    def _augment(self, node: Node, operator: str) -> nodes.Statement:
        target = self.inner(node)
        return nodes.Assignment((target,), nodes.Operation(target, ((operator, number(1)),)))

    # ---- blocks

    def body(self, node: Node | None) -> nodes.Block:
        parts = self.children(node)
        if len(parts) == 1 and parts[0].type == "statement_list":
            parts = self.children(parts[0])
        return self._statements_of(parts)

    def _statements_of(self, parts: list[Node]) -> nodes.Block:
        """Lowers statements. What is deferred runs after those that follow it. So does what runs beside them, once more, where
        they may send it something."""
        found: list[nodes.Statement] = []
        for n, each in enumerate(parts):
            if each.type == "defer_statement" and parts[n + 1 :]:
                return (*found, nodes.Try(self._statements_of(parts[n + 1 :]), (), (), (self.statement(each),)))
            found.append(self.statement(each))
            if each.type == "go_statement" and any(map(self._sends, parts[n + 1 :])):
                again = nodes.If(((_MAYBE, (self.statement(each),)),), ())
                return (*found, nodes.Try(self._statements_of(parts[n + 1 :]), (), (), (again,)))
        return tuple(found)

    def _sends(self, node: Node) -> bool:
        """Returns whether a statement sends a value to a channel."""
        if b"<-" not in self._data[node.start_byte : node.end_byte]:
            return False
        return node.type == "send_statement" or any(map(self._sends, node.named_children))

    def _scope_of(self, node: Node | None) -> nodes.Block:
        return () if node is None else (nodes.Scope(self.body(node)),)

    def _with_initializer(self, node: Node, statement: nodes.Statement) -> nodes.Statement:
        first = node.child_by_field_name("initializer")
        return statement if first is None else nodes.Scope((self.statement(first), statement))

    def _lower_if(self, node: Node) -> nodes.Statement:
        other = node.child_by_field_name("alternative")
        alternative = () if other is None else (self.statement(other),)
        arm = (self.field(node, "condition"), self._scope_of(node.child_by_field_name("consequence")))
        return self._with_initializer(node, nodes.If((arm,), alternative))

    def _take_label(self) -> str:
        label, self._label = self._label, ""
        return label

    def _lower_label(self, node: Node) -> nodes.Statement:
        label, *rest = self.children(node)
        self._label = self.text(label)
        made = nodes.Sequence(self.block(rest))
        self._label = ""
        return made

    def _lower_jump(self, node: Node, kind: str) -> nodes.Statement:
        parts = self.children(node)
        return nodes.Jump(f"{kind} {self.text(parts[0])}" if parts else kind)

    def _lower_return(self, node: Node) -> nodes.Statement:
        parts = [one for each in self.children(node) for one in self.list_values(each)]
        if len(parts) == 1:
            return nodes.Return(self.expression(parts[0]))
        values = tuple(map(self.expression, parts)) if parts else tuple(map(nodes.Name, self.results))
        if len(values) == 1:
            return nodes.Return(values[0])
        return nodes.Return(nodes.Collection("values", values) if values else None)

    # ---- loops

    def _lower_for(self, node: Node) -> nodes.Statement:
        label = self._take_label()
        body = node.child_by_field_name("body")
        header = next((each for each in self.children(node) if each != body), None)
        if header is not None and header.type == "range_clause":
            return self._lower_range(header, body, label)
        if header is None or header.type != "for_clause":
            return nodes.While(YES if header is None else self.expression(header), self._scope_of(body), (), (), label)
        first, test = header.child_by_field_name("initializer"), header.child_by_field_name("condition")
        update = header.child_by_field_name("update")
        before = () if first is None else (self.statement(first),)
        after = () if update is None else (self.statement(update),)
        loop = nodes.While(YES if test is None else self.expression(test), self._scope_of(body), (), after, label)
        return nodes.Scope((*before, loop))

    def _lower_range(self, clause: Node, body: Node | None, label: str) -> nodes.Statement:
        targets = [self.expression(each) for each in self.list_values(clause.child_by_field_name("left"))]
        over = call("range", self.field(clause, "right"), number(len(targets)))
        target = targets[0] if len(targets) == 1 else nodes.Collection("values", tuple(targets))
        is_new = any(each.type == ":=" for each in clause.children)
        return nodes.For(target, over, self.body(body) if is_new else self._scope_of(body), (), is_new, label)

    # ---- switches

    def _lower_switch(self, node: Node) -> nodes.Statement:
        label, value = self._take_label(), node.child_by_field_name("value")
        name = nodes.Name(f"the subject of line {node.start_point[0]}")
        cases = [each for each in self.children(node) if each.type in ("expression_case", "default_case")]
        bodies = [self._case_statements(each) for each in cases]
        arms: list[tuple[nodes.Expression, nodes.Block]] = []
        alternative: nodes.Block = ()
        for n, each in enumerate(cases):
            body = self._statements_of(self._with_following(bodies, n))
            if each.type == "default_case":
                alternative = (nodes.Scope(body),)
                continue
            literals = [self.expression(one) for one in self.list_values(each.child_by_field_name("value"))]
            tests = tuple(one if value is None else nodes.Comparison("==", name, one) for one in literals)
            arms.append((tests[0] if len(tests) == 1 else nodes.Logical("or", tests), (nodes.Scope(body),)))
        made: tuple[nodes.Statement, ...] = (nodes.If(tuple(arms), alternative),) if arms else alternative
        subject = () if value is None else (nodes.Declaration(name, self.expression(value)),)
        return self._with_initializer(node, nodes.BreakableBlock((nodes.Scope((*subject, *made)),), label))

    def _case_statements(self, node: Node) -> list[Node]:
        return [one for each in self.children(node) if each.type == "statement_list" for one in self.children(each)]

    def _with_following(self, bodies: list[list[Node]], at: int) -> list[Node]:
        """Returns the statements of a case, with those that it falls through to."""
        found = list(bodies[at])
        while found and found[-1].type == "fallthrough_statement" and at + 1 < len(bodies):
            at += 1
            found = [*found[:-1], *bodies[at]]
        return found

    def _lower_type_switch(self, node: Node) -> nodes.Statement:
        label, alias = self._take_label(), node.child_by_field_name("alias")
        value = self.field(node, "value")
        first: nodes.Statement = nodes.ExpressionStatement(value)
        if alias is not None:
            first = nodes.Declaration(nodes.Name(self.name_of(alias)), value)
        made = self._lower_ways([each for each in self.children(node) if each.type in ("type_case", "default_case")])
        return self._with_initializer(node, nodes.BreakableBlock((nodes.Scope((first, *made)),), label))

    def _lower_select(self, node: Node) -> nodes.Statement:
        label = self._take_label()
        cases = self.children(node)
        if not cases:
            return nodes.ExpressionStatement(call("endless wait"))
        waits = all(each.type != "default_case" for each in cases)
        before = (nodes.ExpressionStatement(call("select of channels")),) if waits else ()
        return nodes.BreakableBlock((*before, *self._lower_ways(cases)), label)

    def _lower_ways(self, cases: list[Node]) -> nodes.Block:
        """Lowers cases of which any may run."""
        arms: list[tuple[nodes.Expression, nodes.Block]] = []
        alternative: nodes.Block = ()
        for each in cases:
            first = each.child_by_field_name("communication")
            before = () if first is None else (self.statement(first),)
            body = (nodes.Scope((*before, *self._statements_of(self._case_statements(each)))),)
            if each.type == "default_case":
                alternative = body
            else:
                arms.append((_MAYBE, body))
        return (nodes.If(tuple(arms), alternative),) if arms else alternative

    def _lower_receive(self, node: Node) -> nodes.Statement:
        if node.child_by_field_name("left") is None:
            return nodes.ExpressionStatement(self.field(node, "right"))
        target, value = self._sides(node)
        return (
            nodes.Declaration(target, value)
            if any(each.type == ":=" for each in node.children)
            else nodes.Assignment((target,), value)
        )
