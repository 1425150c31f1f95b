"""Lowers PHP texts, functions and classes to the evaluator's nodes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.escapes import Escapes
from toolgate.languages.scripting.lowering import TreeLowering, call, put_together, text

if TYPE_CHECKING:
    from tree_sitter import Node

_ESCAPES = Escapes(
    {"n": "\n", "t": "\t", "r": "\r", "v": "\v", "e": "\x1b", "f": "\f", "\\": "\\", "$": "$", '"': '"', "`": "`"},
    re.compile(r"x([0-9A-Fa-f]{1,2})|u\{([0-9A-Fa-f]{1,6})\}"),
    re.compile(r"[0-7]{1,3}"),
)
_FIRST = {"function_definition": 0, "class_declaration": 1, "trait_declaration": 0, "interface_declaration": 0}
_FALLTHROUGH = 200
_THIS = nodes.Name("$this")
_FUNCTIONS = ("function_definition", "method_declaration", "anonymous_function", "arrow_function")


class FunctionLowering(TreeLowering):
    """Lowers functions. `references`: the by-reference parameters of this text's functions; `class_name`: the enclosing class."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.references: dict[str, list[int]] = {}
        self.class_name = "a class"

    def program(self, node: Node) -> nodes.Block:
        waiting = [node]
        while waiting:
            each = waiting.pop()
            if each.type in _FUNCTIONS:
                name = self.text(each.child_by_field_name("name")).lower()
                parameters = enumerate(self.children(each.child_by_field_name("parameters")))
                places = [n for n, one in parameters if one.child_by_field_name("reference_modifier") is not None]
                if name and places:
                    self.references[name] = places
            waiting += each.named_children
        return super().program(node)

    def block(self, parts: Iterable[Node]) -> nodes.Block:
        """Lowers statements in order, hoisted declarations first."""
        return super().block(sorted(parts, key=lambda node: _FIRST.get(node.type, 2)))

    # ---- texts

    def string(self, node: Node) -> nodes.Expression:
        if node.type == "string":
            raw = self.text(node)
            raw = raw[raw.index("'") + 1 : -1]
            return text(re.sub(r"\\([\\'])", r"\1", raw))
        return put_together(self.parts(node))

    def parts(self, node: Node) -> list[nodes.Expression]:
        found: list[nodes.Expression] = []
        plain: list[str] = []
        for each in node.named_children:
            match each.type:
                case "string_content" | "string_value" | "nowdoc_string":
                    plain.append(self.text(each))
                case "escape_sequence":
                    plain.append(_ESCAPES.decode(self.text(each), self.text(each)))
                case _:
                    if plain:
                        found.append(text("".join(plain)))
                        plain = []
                    found.append(self.expression(each))
        return [*found, text("".join(plain))] if plain or not found else found

    def heredoc(self, node: Node) -> nodes.Expression:
        body = node.child_by_field_name("value")
        return text("") if body is None else put_together(self.parts(body))

    # ---- functions

    def function_definition(self, node: Node) -> nodes.Statement:
        name = self.text(node.child_by_field_name("name")).lower()
        return nodes.Assignment((nodes.Attribute(nodes.Name("globals"), name),), self.function(node))

    def function(self, node: Node) -> nodes.Lambda:
        found: list[nodes.Parameter] = []
        prologue: list[nodes.Statement] = []
        body_node = node.child_by_field_name("body")
        body_text = self.text(body_node)
        for each in self.children(node.child_by_field_name("parameters")):
            name = self.text(each.child_by_field_name("name"))
            default = each.child_by_field_name("default_value")
            kind = "rest" if each.type == "variadic_parameter" else "positional"
            found.append(nodes.Parameter(kind, name, None if default is None else self.expression(default)))
            if each.child_by_field_name("reference_modifier") is None and f"{name}[" in body_text:
                prologue.append(nodes.Declaration(nodes.Name(name), call("copy of", nodes.Name(name))))
            if each.type == "property_promotion_parameter":
                prologue.append(nodes.Assignment((nodes.Attribute(_THIS, name.lstrip("$")),), nodes.Name(name)))
        outer = [self.text(one) for each in node.named_children if each.type.endswith("use_clause") for one in _references(each)]
        if outer:
            prologue.insert(0, nodes.OuterNames(tuple(outer)))
        if "func_get_args" in body_text:
            found.append(nodes.Parameter("all", "arguments", None))
        if node.type in ("method_declaration",):
            found.append(nodes.Parameter("receiver", "$this", None))
        if node.type == "arrow_function":
            block: nodes.Block = (nodes.Return(self.expression(body_node)),)
        else:
            block = self.body(body_node)
        is_static = any(each.type == "static_modifier" for each in node.children) and node.type == "method_declaration"
        name = self.text(node.child_by_field_name("name")) or "<lambda>"
        generates = re.search(r"\byield\b", body_text) is not None
        return nodes.Lambda(name, tuple(found), (*prologue, *block), generates, binding="static" if is_static else "method")

    # ---- statements with several blocks

    def branch(self, node: Node) -> nodes.Block:
        body = node.child_by_field_name("body")
        return () if body is None else (self.statement(body),)

    def switch_statement(self, node: Node) -> nodes.Statement:
        """Lowers `switch`; a case falls through to the next one until a jump."""
        cases = [each for each in self.children(node.child_by_field_name("body")) if each.type.endswith("_statement")]
        found: list[tuple[nodes.Expression | None, nodes.Block]] = []
        for each in cases:
            value = each.child_by_field_name("value")
            block = self.block(one for one in self.children(each) if one != value)
            found.append((None if value is None else self.expression(value), block))
        joined: list[tuple[nodes.Expression | None, nodes.Block]] = []
        for n, (literal, block) in enumerate(found):
            statements = list(block)
            for _, following in found[n + 1 :]:
                if any(type(each) in (nodes.Jump, nodes.Return) for each in statements[-1:]) or len(statements) > _FALLTHROUGH:
                    break
                statements += following
            joined.append((literal, tuple(statements)))
        joined.sort(key=lambda case: case[0] is None)
        name = f"the subject of line {node.start_point[0]}"
        return nodes.BreakableBlock((nodes.Switch(self.field(node, "condition"), name, tuple(joined)),))

    def match_statement(self, node: Node) -> nodes.Statement:
        cases: list[tuple[nodes.Expression | None, nodes.Block]] = []
        arms: list[tuple[nodes.Expression, nodes.Block]] = []
        for each in self.children(node.child_by_field_name("body")):
            body: nodes.Block = (nodes.ExpressionStatement(self.field(each, "return_expression")),)
            tests = each.child_by_field_name("conditional_expressions")
            for one in self.children(tests):
                cases.append((self.expression(one), body))
                arms.append((self.expression(one), body))
            if tests is None:
                cases.append((None, body))
        condition = node.child_by_field_name("condition")
        if self.text(condition).strip("() ").lower() == "true":
            default = next((body for test, body in cases if test is None), ())
            return nodes.If(tuple(arms), default)
        return nodes.Switch(self.expression(condition), f"the subject of line {node.start_point[0]}", tuple(cases))

    def try_statement(self, node: Node) -> nodes.Statement:
        handlers: list[tuple[tuple[str, ...], nodes.Block]] = []
        final: nodes.Block = ()
        for each in self.children(node):
            if each.type == "catch_clause":
                name = self.text(each.child_by_field_name("name"))
                handlers.append(((name,) if name else (), self.branch(each)))
            elif each.type == "finally_clause":
                final = self.branch(each)
        return nodes.Try(self.branch(node), tuple(handlers), (), final)

    # ---- classes

    def scope(self, node: Node | None) -> nodes.Expression:
        """Returns a class by its name or by the value of an expression."""
        if node is None or node.type in ("name", "qualified_name", "relative_scope"):
            name = self.text(node).rpartition("\\")[2]
            return nodes.Name(self.class_name if name in ("self", "static") else name)
        return call("class by name", self.expression(node))

    def class_definition(self, node: Node) -> nodes.Statement:
        name = self.text(node.child_by_field_name("name"))
        made = self.class_body(name, node, node.child_by_field_name("body"))
        return nodes.Sequence((made, nodes.Assignment((nodes.Attribute(nodes.Name("globals"), name),), nodes.Name(name))))

    def class_body(self, name: str, node: Node, body: Node | None) -> nodes.Statement:
        before, self.class_name = self.class_name, name
        bases = [
            nodes.Name(self.text(one).rpartition("\\")[2])
            for each in node.named_children
            if "base" in each.type
            for one in self.children(each)
        ]
        found: list[nodes.Statement] = []
        for each in self.children(body):
            match each.type:
                case "method_declaration":
                    found.append(nodes.Declaration(nodes.Name(self.text(each.child_by_field_name("name"))), self.function(each)))
                case "property_declaration":
                    found += self._properties(each)
                case "const_declaration":
                    found.append(self.constants(each, is_own=True))
                case "use_declaration":
                    bases += [nodes.Name(self.text(one)) for one in self.children(each)]
                case "enum_case":
                    found.append(
                        nodes.Declaration(nodes.Name(self.text(each.child_by_field_name("name"))), self.field(each, "value"))
                    )
                case _:
                    pass
        self.class_name = before
        return nodes.ClassDefinition(name, tuple(bases), tuple(found), (), ())

    def _properties(self, node: Node) -> list[nodes.Statement]:
        is_static = any(each.type == "static_modifier" for each in node.children)
        found: list[nodes.Statement] = []
        for each in self.children(node):
            if each.type == "property_element":
                name = self.text(each.child_by_field_name("name"))
                found.append(nodes.Declaration(nodes.Name(name if is_static else name[1:]), self.field(each, "default_value")))
        return found

    def constants(self, node: Node, *, is_own: bool = False) -> nodes.Statement:
        found: list[nodes.Statement] = []
        for each in self.children(node):
            if each.type == "const_element":
                name, value = self.children(each)
                made = self.expression(value)
                place = nodes.Attribute(nodes.Name("globals"), f"const {self.text(name)}")
                found.append(nodes.Declaration(nodes.Name(self.text(name)), made) if is_own else nodes.Assignment((place,), made))
        return nodes.Sequence(tuple(found))


def _references(node: Node) -> list[Node]:
    """Returns the variables that a closure captures by reference."""
    return [one for each in node.named_children if each.type == "by_ref" for one in each.named_children]
