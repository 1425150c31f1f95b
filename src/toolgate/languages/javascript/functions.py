"""Lowers a JavaScript tree to the evaluator's nodes: functions and classes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.values import text_of

from .expressions import NULL_LITERAL, ExpressionLowering, call_super, positional_arguments

if TYPE_CHECKING:
    from tree_sitter import Node


class FunctionLowering(ExpressionLowering):
    """Lowers functions and classes. `sources`: the position of each function in the text, by the identity of its body."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.sources: dict[int, tuple[int, int]] = {}
        self._vars: list[list[str]] = [[]]
        """The names that `var` declares in blocks of the enclosing functions."""
        self._depth = 0
        """How many blocks enclose the current node in its function."""

    def lower_block(self, parts: Iterable[Node]) -> nodes.Block:
        raise NotImplementedError

    def lower_body(self, node: Node | None) -> nodes.Block:
        raise NotImplementedError

    def _function_declaration(self, node: Node, _label: str) -> nodes.Statement:
        name = self.node_text(node.child_by_field_name("name"))
        if self._depth == 0:
            return nodes.Declaration(nodes.Name(name), self.lower_function(node))
        self._vars[-1].append(name)  # declared in a block, but known in the whole function
        return nodes.Assignment((nodes.Name(name),), self.lower_function(node))

    def lower_function(self, node: Node) -> nodes.Lambda:
        is_arrow = node.type == "arrow_function"
        depth, self._depth = self._depth, 0
        self._vars.append([])
        if not is_arrow:
            self._uses.append(set())
        parameters, prologue = self._lower_parameters(node)
        body = node.child_by_field_name("body")
        if body is not None and body.type != "statement_block":
            block: nodes.Block = (nodes.Return(self.lower_expression(body)),)
        else:
            block = self.lower_block(self.code_children(body)) if body is not None else ()
        name = self.node_text(node.child_by_field_name("name"))
        block = (*declare_undefined(self._vars.pop()), *prologue, *block)
        uses = set() if is_arrow else self._uses.pop()
        self._depth = depth
        if "arguments" in uses:
            parameters.append(nodes.Parameter("all", "arguments", None))
        if "this" in uses:
            parameters.append(nodes.Parameter("receiver", "this", None))
        if name and node.type in ("function_expression", "generator_function"):
            parameters.append(nodes.Parameter("self", name, None))
        tokens = {each.type for each in node.children if not each.is_named}
        generates = "*" in tokens
        if block:
            self.sources[id(block)] = (node.start_byte, node.end_byte)
        binding = "class" if "static" in tokens else "method"
        return nodes.Lambda(name, tuple(parameters), block, generates, "async" in tokens, binding)

    def _lower_parameters(self, node: Node) -> tuple[list[nodes.Parameter], list[nodes.Statement]]:
        """Returns a function's parameters, and the start of its body, which destructures patterns and sets defaults."""
        parameters = node.child_by_field_name("parameters")
        only = node.child_by_field_name("parameter")
        parts = [only] if only is not None else self.code_children(parameters) if parameters is not None else []
        found: list[nodes.Parameter] = []
        prologue: list[nodes.Statement] = []
        for n, each in enumerate(parts):
            inner, default = each, None
            if each.type in ("required_parameter", "optional_parameter"):
                default = each.child_by_field_name("value")
                inner = each.child_by_field_name("pattern") or each
            pattern = self.lower_pattern(inner)
            if default is not None:
                pattern = nodes.AssignmentExpression(pattern, self.lower_expression(default))
            kind = "positional"
            if isinstance(pattern, nodes.Spread):
                kind, pattern = "rest", pattern.value
            name = pattern.name if isinstance(pattern, nodes.Name) else f"parameter {n}"
            if isinstance(pattern, nodes.AssignmentExpression) and isinstance(pattern.target, nodes.Name):
                name = pattern.target.name
            if not isinstance(pattern, nodes.Name):
                prologue.append(nodes.Declaration(pattern, nodes.Name(name)))
            found.append(nodes.Parameter(kind, name, None))
            if any(part.type in ("accessibility_modifier", "readonly") for part in each.children):
                self._uses[-1].add("this")
                prologue.append(nodes.Assignment((nodes.Attribute(nodes.Name("this"), name),), nodes.Name(name)))
        return found, prologue

    def _class_declaration(self, node: Node, _label: str) -> nodes.Statement:
        name = self.node_text(node.child_by_field_name("name"))
        return nodes.Declaration(nodes.Name(name), self.lower_class(node))

    def lower_class(self, node: Node) -> nodes.Expression:
        """Lowers a class to a block in which `super` is its base class."""
        heritage = next((each for each in node.named_children if each.type == "class_heritage"), None)
        base: nodes.Expression | None = None
        if heritage is not None:
            parts = self.code_children(heritage)
            clause = parts[0] if parts else None
            base = (
                self.lower_field(clause, "value")
                if clause is not None and clause.type == "extends_clause"
                else self.lower_expression(clause)
            )
        name = self.node_text(node.child_by_field_name("name")) or "a class"
        body = self._class_body(node.child_by_field_name("body"), is_derived=base is not None)
        bases = () if base is None else (nodes.Name("super"),)
        made = nodes.ClassDefinition(name, bases, body, (), ())
        before = () if base is None else (nodes.Declaration(nodes.Name("super"), base),)
        inside = (*before, made, nodes.Return(nodes.Name(name)))
        return nodes.Call(nodes.Lambda("", (), inside), ())

    def _class_body(self, node: Node | None, *, is_derived: bool) -> nodes.Block:
        made: list[nodes.Statement] = []
        fields: list[nodes.Statement] = []
        constructor: nodes.Lambda | None = None
        self._uses.append(set())
        for number, each in enumerate(self.code_children(node) if node is not None else ()):
            match each.type:
                case "method_definition":
                    key, value = self.lower_method(each)
                    name = _literal_text(key)
                    if name == "constructor" and isinstance(value, nodes.Lambda):
                        constructor = value
                        continue
                    if name is None:
                        made.append(
                            nodes.ExpressionStatement(nodes.Call(nodes.Name("a method"), positional_arguments(key, value)))
                        )
                    else:
                        made.append(nodes.Declaration(nodes.Name(name), value))
                case "field_definition" | "public_field_definition":
                    made += self._field_of_class(each, number, fields)
                case "class_static_block":
                    made += self.lower_body(each.child_by_field_name("body"))
                case "abstract_method_signature" | "method_signature" | "index_signature":
                    pass
                case _:
                    made.append(nodes.ExpressionStatement(self.lower_expression(each)))
        self._uses.pop()
        if constructor is not None or fields:
            made.append(nodes.Declaration(nodes.Name("constructor"), _add_fields(constructor, fields, is_derived=is_derived)))
        return tuple(made)

    def _field_of_class(self, node: Node, number: int, fields: list[nodes.Statement]) -> list[nodes.Statement]:
        key = self.lower_key(node.child_by_field_name("property") or node.child_by_field_name("name"))
        value = self.lower_field(node, "value")
        name = _literal_text(key) or f"field {number}"
        if any(each.type == "static" for each in node.children):
            return [nodes.Declaration(nodes.Name(name), value)]
        fields.append(nodes.Assignment((nodes.Attribute(nodes.Name("this"), name),), value))
        return []


def _add_fields(constructor: nodes.Lambda | None, fields: list[nodes.Statement], *, is_derived: bool) -> nodes.Lambda:
    """Returns the constructor with the fields of each instance, after `super()`, which is the first call in a derived class."""
    this = nodes.Parameter("receiver", "this", None)
    if constructor is None:
        rest = (nodes.Parameter("rest", "given", None),) if is_derived else ()
        called = call_super((nodes.Argument("spread", "", nodes.Name("given")),))
        body = (*((nodes.ExpressionStatement(called),) if is_derived else ()), *fields)
        return nodes.Lambda("constructor", (*rest, this), body)
    parameters = constructor.parameters if this in constructor.parameters else (*constructor.parameters, this)
    at = 1 if is_derived and constructor.body else 0
    return constructor._replace(parameters=parameters, body=(*constructor.body[:at], *fields, *constructor.body[at:]))


def declare_undefined(names: list[str]) -> nodes.Block:
    return tuple(nodes.Declaration(nodes.Name(name), NULL_LITERAL) for name in dict.fromkeys(names))


def _literal_text(node: nodes.Expression) -> str | None:
    if isinstance(node, nodes.Concatenation):
        parts = [_literal_text(each) for each in node.parts]
        return None if None in parts else "".join(each for each in parts if each is not None)
    return text_of(node.value) if isinstance(node, nodes.Literal) else None


def list_bound_names(pattern: nodes.Expression) -> list[str]:
    """Returns the names that a pattern binds."""
    match pattern:
        case nodes.Name(name):
            return [name]
        case nodes.Collection(items=items):
            return [name for each in items for name in list_bound_names(each)]
        case nodes.MapLiteral(pairs):
            return [name for _, each in pairs for name in list_bound_names(each)]
        case nodes.AssignmentExpression(target, _) | nodes.Spread(target):
            return list_bound_names(target)
        case _:
            return []
