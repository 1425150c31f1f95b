"""Lowers a Python tree to the evaluator's nodes: statements."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.values import TRUE, Constant, Unknown

from .expressions import ExpressionLowering

if TYPE_CHECKING:
    from tree_sitter import Node


_ENDLESS = re.compile(r"itertools\.(?:count\(.*\)|repeat\([^,()]+\))", re.DOTALL)


class Lowering(ExpressionLowering):
    """Lowers the statements of one text."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._statements: dict[str, Callable[[Node], nodes.Statement | None]] = {
            "expression_statement": self._expression_statement,
            "if_statement": self._lower_if,
            "for_statement": self._lower_for,
            "while_statement": self._lower_while,
            "return_statement": lambda node: nodes.Return(self._only_value(node)),
            "raise_statement": lambda node: nodes.Raise(self._only_value(node)),
            "break_statement": lambda _: nodes.Jump("break"),
            "continue_statement": lambda _: nodes.Jump("continue"),
            "pass_statement": lambda _: None,
            "assert_statement": lambda node: nodes.ExpressionStatement(nodes.Collection("tuple", self.lower_expressions(node))),
            "delete_statement": lambda node: nodes.Deletion(self.lower_expressions(node)),
            "global_statement": self._outer_names,
            "nonlocal_statement": self._outer_names,
            "type_alias_statement": lambda _: None,
            "future_import_statement": lambda _: None,
            "function_definition": self._lower_function,
            "class_definition": self._lower_class,
            "decorated_definition": self._lower_decorated,
            "with_statement": self._lower_with,
            "try_statement": self._lower_try,
            "match_statement": self._lower_match,
            "import_statement": self._lower_import,
            "import_from_statement": self._import_from,
            "print_statement": self._lower_print,
            "exec_statement": self._lower_exec,
            "comment": lambda _: None,
            "ERROR": lambda node: nodes.Sequence(self.lower_block(node)),
            "block": lambda node: nodes.Sequence(self.lower_block(node)),
        }

    def lower_block(self, node: Node | None) -> nodes.Block:
        found: list[nodes.Statement] = []
        for each in node.named_children if node is not None else ():
            lower = self._statements.get(each.type)
            statement = nodes.ExpressionStatement(self.lower_expression(each)) if lower is None else lower(each)
            if statement is not None:
                found.append(statement)
        return tuple(found)

    def _only_value(self, node: Node) -> nodes.Expression | None:
        parts = self.code_children(node)
        return self.lower_expression(parts[0]) if parts else None

    def _lower_body(self, node: Node | None, field: str = "body") -> nodes.Block:
        return self.lower_block(None if node is None else node.child_by_field_name(field))

    # ---- simple statements

    def _expression_statement(self, node: Node) -> nodes.Statement:
        parts = self.code_children(node)
        if len(parts) == 1:
            if parts[0].type == "assignment":
                return self._lower_assignment(parts[0])
            if parts[0].type == "augmented_assignment":
                return self._lower_augmented_assignment(parts[0])
            return nodes.ExpressionStatement(self.lower_expression(parts[0]))
        return nodes.ExpressionStatement(nodes.Collection("tuple", self.lower_expressions(node)))

    def _lower_assignment(self, node: Node) -> nodes.Statement:
        targets: list[nodes.Expression] = []
        value: Node | None = node
        while value is not None and value.type == "assignment":
            targets.append(self.lower_expression(value.child_by_field_name("left")))
            value = value.child_by_field_name("right")
        annotation = node.child_by_field_name("type")
        if annotation is not None:  # evaluated as any expression; the grammar reads some `match` statements as annotations
            typed = nodes.ExpressionStatement(self.lower_expression(annotation))
            rest = (nodes.Assignment(tuple(targets), self.lower_expression(value)),) if value is not None else ()
            return nodes.Sequence((typed, *rest))
        if value is None:
            return nodes.Sequence(())
        if value.type == "augmented_assignment":
            return nodes.Sequence((self._lower_augmented_assignment(value),))
        return nodes.Assignment(tuple(targets), self.lower_expression(value))

    def _lower_augmented_assignment(self, node: Node) -> nodes.Statement:
        operator = self.node_text(node.child_by_field_name("operator")).removesuffix("=")
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        return nodes.AugmentedAssignment(self.lower_expression(left), operator, self.lower_expression(right))

    def _outer_names(self, node: Node) -> nodes.Statement:
        return nodes.OuterNames(tuple(self.node_text(each) for each in self.code_children(node)))

    def _lower_print(self, node: Node) -> nodes.Statement:
        """A Python 2 statement."""
        arguments = tuple(nodes.Argument("positional", "", each) for each in self.lower_expressions(node))
        return nodes.ExpressionStatement(nodes.Call(nodes.Name("print"), arguments))

    def _lower_exec(self, node: Node) -> nodes.Statement:
        """A Python 2 statement."""
        code = nodes.Argument("positional", "", self.lower_expression(node.child_by_field_name("code")))
        return nodes.ExpressionStatement(nodes.Call(nodes.Name("exec"), (code,)))

    # ---- compound statements

    def _lower_if(self, node: Node) -> nodes.Statement:
        arms = [(self.lower_expression(node.child_by_field_name("condition")), self._lower_body(node, "consequence"))]
        alternative: nodes.Block = ()
        for each in node.children_by_field_name("alternative"):
            if each.type == "elif_clause":
                arms.append((self.lower_expression(each.child_by_field_name("condition")), self._lower_body(each, "consequence")))
            else:
                alternative = self._lower_body(each)
        return nodes.If(tuple(arms), alternative)

    def _lower_for(self, node: Node) -> nodes.Statement:
        target, over = node.child_by_field_name("left"), node.child_by_field_name("right")
        otherwise = self._lower_body(node.child_by_field_name("alternative"))
        if self._is_endless(over):
            item = nodes.Assignment((self.lower_expression(target),), nodes.Literal(Unknown("an item")))
            return nodes.While(nodes.Literal(TRUE), (item, *self._lower_body(node)), otherwise)
        return nodes.For(self.lower_expression(target), self.lower_expression(over), self._lower_body(node), otherwise)

    def _is_endless(self, iterable: Node | None) -> bool:
        """Returns whether an iterator never ends: `itertools.count()`, `itertools.repeat(x)`.

        What follows the loop is not read, so a name that may be another function's does not count, nor `cycle` of what may be
        empty."""
        return iterable is not None and iterable.type == "call" and _ENDLESS.fullmatch(self.node_text(iterable)) is not None

    def _lower_while(self, node: Node) -> nodes.Statement:
        otherwise = self._lower_body(node.child_by_field_name("alternative"))
        return nodes.While(self.lower_expression(node.child_by_field_name("condition")), self._lower_body(node), otherwise)

    def _lower_function(self, node: Node, decorators: tuple[nodes.Expression, ...] = ()) -> nodes.Statement:
        body = node.child_by_field_name("body")
        parameters = self.lower_parameters(node.child_by_field_name("parameters"))
        name = self.node_text(node.child_by_field_name("name"))
        made = nodes.Definition(nodes.Lambda(name, parameters, self.lower_block(body), _is_generator(body)), decorators)
        evaluated = tuple(nodes.ExpressionStatement(self.lower_expression(each)) for each in self._iter_called_annotations(node))
        return nodes.Sequence((*evaluated, made)) if evaluated else made

    def _iter_called_annotations(self, node: Node) -> Iterator[Node]:
        """Yields the annotations of a function that contain calls: they are evaluated at its definition."""
        parameters = node.child_by_field_name("parameters")
        for each in [*(parameters.named_children if parameters is not None else ()), node]:
            annotation = each.child_by_field_name("return_type" if each is node else "type")
            if annotation is not None and b"(" in self._data[annotation.start_byte : annotation.end_byte]:
                yield annotation

    def _lower_class(self, node: Node, decorators: tuple[nodes.Expression, ...] = ()) -> nodes.Statement:
        arguments, body = node.child_by_field_name("superclasses"), node.child_by_field_name("body")
        bases = (
            ()
            if arguments is None
            else tuple(
                self.lower_expression(each.child_by_field_name("value") if each.type == "keyword_argument" else each)
                for each in self.code_children(arguments)
            )
        )
        name = self.node_text(node.child_by_field_name("name"))
        return nodes.ClassDefinition(name, bases, self.lower_block(body), decorators, tuple(self._annotated_names(body)))

    def _annotated_names(self, body: Node | None) -> Iterator[str]:
        for statement in body.named_children if body is not None else ():
            inner = statement.named_children[0] if statement.named_children else None
            if inner is not None and inner.type == "assignment" and inner.child_by_field_name("type") is not None:
                yield self.node_text(inner.child_by_field_name("left"))

    def _lower_decorated(self, node: Node) -> nodes.Statement | None:
        found = [self.code_children(each) for each in node.children if each.type == "decorator"]
        decorators = tuple(self.lower_expression(each[0]) for each in found if each)
        inner = node.child_by_field_name("definition")
        if inner is None:
            return nodes.Sequence(tuple(nodes.ExpressionStatement(each) for each in decorators))
        return (
            self._lower_function(inner, decorators)
            if inner.type == "function_definition"
            else self._lower_class(inner, decorators)
        )

    def _lower_with(self, node: Node) -> nodes.Statement:
        entered: list[tuple[nodes.Expression, nodes.Expression | None]] = []
        items = [item for clause in node.children if clause.type == "with_clause" for item in clause.named_children]
        for item in items:
            value = item.child_by_field_name("value") if item.type == "with_item" else None
            if value is None:
                continue
            for each in self.code_children(value) if value.type == "tuple" and len(items) == 1 else [value]:
                if each.type == "as_pattern":
                    alias = each.child_by_field_name("alias")
                    entered.append((self.lower_expression(each.named_children[0]), self.lower_expression(alias)))
                else:
                    entered.append((self.lower_expression(each), None))
        return nodes.With(tuple(entered), self._lower_body(node))

    def _lower_try(self, node: Node) -> nodes.Statement:
        handlers: list[tuple[tuple[str, ...], nodes.Block]] = []
        alternative: nodes.Block = ()
        final: nodes.Block = ()
        for each in node.children:
            block = next((child for child in each.children if child.type == "block"), None)
            if each.type in ("except_clause", "except_group_clause"):
                names = tuple(
                    self.node_text(child.child_by_field_name("alias"))
                    for child in each.named_children
                    if child.type == "as_pattern"
                )
                handlers.append((names, self.lower_block(block)))
            elif each.type == "else_clause":
                alternative = self.lower_block(block)
            elif each.type == "finally_clause":
                final = self.lower_block(block)
        return nodes.Try(self._lower_body(node), tuple(handlers), alternative, final)

    def _lower_match(self, node: Node) -> nodes.Statement:
        cases: list[tuple[nodes.Expression | None, nodes.Block]] = []
        subjects = node.children_by_field_name("subject")
        name = f"the subject of line {node.start_point[0]}"
        body = node.child_by_field_name("body")
        for case in body.named_children if body is not None else ():
            if case.type != "case_clause":
                continue
            patterns = [each for each in case.named_children if each.type == "case_pattern"]
            inner = self.code_children(patterns[0]) if len(patterns) == 1 else []
            guard = case.child_by_field_name("guard")
            is_literal = bool(inner) and inner[0].type in ("string", "integer") and guard is None
            bound: list[nodes.Statement] = []
            for at, pattern in enumerate(patterns if not is_literal else ()):
                statements: nodes.Expression = nodes.Name(name)
                bound += self.bind_pattern(
                    pattern, statements if len(patterns) == 1 else nodes.Index(statements, nodes.Literal(Constant(at)))
                )
            if guard is not None:
                bound.append(nodes.ExpressionStatement(nodes.Collection("tuple", self.lower_expressions(guard))))
            cases.append(
                (self.lower_expression(inner[0]) if is_literal else None, (*bound, *self._lower_body(case, "consequence")))
            )
        if len(subjects) == 1:
            subject = self.lower_expression(subjects[0])
        else:
            subject = nodes.Collection("tuple", tuple(self.lower_expression(each) for each in subjects))
        return nodes.Switch(subject, name, tuple(cases))

    def bind_pattern(self, node: Node, value: nodes.Expression) -> list[nodes.Statement]:
        """Returns the bindings of a pattern, as assignments from the value that it matches."""
        parts = self.code_children(node)
        match node.type:
            case "dotted_name" | "identifier":
                return [nodes.Assignment((nodes.Name(self.node_text(node)),), value)] if self.node_text(node) != "_" else []
            case "list_pattern" | "tuple_pattern":
                found: list[nodes.Statement] = []
                starred = next((n for n, each in enumerate(parts) if _is_starred(each)), len(parts))
                for n, each in enumerate(parts):
                    at = nodes.Literal(Constant(n if n < starred else n - len(parts)))
                    rest = nodes.Slice(value, nodes.Literal(Constant(n)), None, None)
                    found += self.bind_pattern(each, rest if n == starred else nodes.Index(value, at))
                return found
            case "dict_pattern":
                keys, values = node.children_by_field_name("key"), node.children_by_field_name("value")
                pairs = zip(keys, values, strict=False)
                unpaired = [each for each in parts if each not in keys and each not in values]
                found = [
                    each
                    for key, inner in pairs
                    for each in self.bind_pattern(inner, nodes.Index(value, self.lower_expression(key)))
                ]
                return found + [each for one in unpaired for each in self.bind_pattern(one, value)]
            case "keyword_pattern" if len(parts) == 2:
                return self.bind_pattern(parts[1], nodes.Attribute(value, self.node_text(parts[0])))
            case "class_pattern":
                return [each for one in parts[1:] for each in self.bind_pattern(one, value)]
            case "as_pattern":
                return [each for one in parts for each in self.bind_pattern(one, value)]
            case _:
                return [each for one in parts for each in self.bind_pattern(one, value)]

    # ---- modules

    def _lower_import(self, node: Node) -> nodes.Statement:
        found: list[nodes.Statement] = []
        for each in self.code_children(node):
            if each.type == "aliased_import":
                name, alias = self.node_text(each.child_by_field_name("name")), self.node_text(each.child_by_field_name("alias"))
                found.append(nodes.Import(name, "", alias))
            else:
                name = self.node_text(each)
                if "." in name:
                    found.append(nodes.Import(name, "", ""))
                found.append(nodes.Import(name.partition(".")[0], "", name.partition(".")[0]))
            self.modules.append(name)
        return nodes.Sequence(tuple(found))

    def _import_from(self, node: Node) -> nodes.Statement:
        module = self.node_text(node.child_by_field_name("module_name"))
        if any(each.type == "wildcard_import" for each in node.children):
            self.modules.append(f"{module}.*")
            return nodes.Import(module, "*", "")
        found: list[nodes.Statement] = []
        for each in node.children_by_field_name("name"):
            is_aliased = each.type == "aliased_import"
            name = self.node_text(each.child_by_field_name("name") if is_aliased else each)
            bound = self.node_text(each.child_by_field_name("alias")) if is_aliased else name
            self.modules.append(f"{module}.{name}")
            found.append(nodes.Import(module, name, bound))
        return nodes.Sequence(tuple(found))


def _is_starred(node: Node) -> bool:
    while node.type == "case_pattern" and node.named_children:
        node = node.named_children[0]
    return node.type == "splat_pattern"


def _is_generator(body: Node | None) -> bool:
    """Returns whether a function yields."""
    stack = list(body.named_children) if body is not None else []
    while stack:
        node = stack.pop()
        if node.type == "yield":
            return True
        if node.type not in ("function_definition", "lambda", "class_definition"):
            stack += node.named_children
    return False
