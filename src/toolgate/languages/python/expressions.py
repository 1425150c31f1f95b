"""Lowers a Python tree to the evaluator's nodes: expressions."""

from __future__ import annotations

import re
from codecs import decode
from collections.abc import Callable
from typing import TYPE_CHECKING

from toolgate.languages import word_from_text
from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.values import FALSE, NULL, TRUE, Constant, Unknown

if TYPE_CHECKING:
    from tree_sitter import Node

_ESCAPE = re.compile(r"\\(\r?\n|[\\'\"abfnrtv]|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]+\})")
_SIMPLE_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "\n": "",
    "\r\n": "",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "r": "\r",
    "v": "\v",
}
_BYTES = r"\\([0-7]{1,3}|x[0-9a-fA-F]{2})"


def unescape(text: str) -> str:
    if "\\" not in text:
        return text

    def decode_match(match: re.Match[str]) -> str:
        if match[1] in _SIMPLE_ESCAPES:
            return _SIMPLE_ESCAPES[match[1]]
        try:
            return decode(match[0], "unicode_escape")
        except ValueError:
            return match[0]

    return _ESCAPE.sub(decode_match, text)


class ExpressionLowering:
    """Lowers the expressions of one text. `texts`: its literals; `modules`: imported names."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.texts: list[str] = []
        self.modules: list[str] = []
        self._expressions: dict[str, Callable[[Node], nodes.Expression]] = {
            "identifier": lambda node: nodes.Name(self.node_text(node)),
            "attribute": self._lower_attribute,
            "subscript": self._lower_subscript,
            "call": self._lower_call,
            "list": lambda node: nodes.Collection("list", self.lower_expressions(node)),
            "set": lambda node: nodes.Collection("set", self.lower_expressions(node)),
            **dict.fromkeys(
                ("tuple", "expression_list", "pattern_list", "tuple_pattern", "list_pattern"),
                lambda node: nodes.Collection("tuple", self.lower_expressions(node)),
            ),
            **dict.fromkeys(("list_splat", "list_splat_pattern"), lambda node: nodes.Spread(self._lower_inner(node))),
            "parenthesized_expression": self._lower_inner,
            "dictionary": self._lower_dictionary,
            "string": self._lower_string,
            "concatenated_string": lambda node: nodes.Concatenation(self.lower_expressions(node)),
            "integer": self._lower_integer,
            "float": self._lower_float,
            "true": lambda _: nodes.Literal(TRUE),
            "false": lambda _: nodes.Literal(FALSE),
            "none": lambda _: nodes.Literal(NULL),
            "ellipsis": lambda _: nodes.Literal(Unknown("...")),
            "binary_operator": self._lower_binary,
            "unary_operator": lambda node: nodes.Unary(
                self.node_text(node.child_by_field_name("operator")), self._lower_field(node, "argument")
            ),
            "not_operator": lambda node: nodes.Unary("not", self._lower_field(node, "argument")),
            "boolean_operator": self._lower_boolean,
            "comparison_operator": self._lower_comparison,
            "conditional_expression": self._lower_conditional,
            "named_expression": lambda node: nodes.AssignmentExpression(
                self._lower_field(node, "name"), self._lower_field(node, "value")
            ),
            "lambda": self._lower_lambda,
            "await": lambda node: nodes.Unary("await", self._lower_inner(node)),
            "yield": self._lower_yield,
            "list_comprehension": lambda node: self._lower_comprehension(node, "list"),
            "set_comprehension": lambda node: self._lower_comprehension(node, "set"),
            "dictionary_comprehension": lambda node: self._lower_comprehension(node, "map"),
            "generator_expression": lambda node: self._lower_comprehension(node, "iterator"),
            "as_pattern": lambda node: self.lower_expression(node.named_children[0]),
        }

    def node_text(self, node: Node | None) -> str:
        return "" if node is None else self._data[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")

    def code_children(self, node: Node) -> list[Node]:
        """Returns the node's children without comments."""
        return [each for each in node.named_children if each.type not in ("comment", "line_continuation")]

    def lower_expression(self, node: Node | None) -> nodes.Expression:
        if node is None:
            return nodes.Literal(NULL)
        lower = self._expressions.get(node.type)
        if lower is not None:
            return lower(node)
        parts = self.code_children(node)
        if len(parts) == 1:
            return self.lower_expression(parts[0])
        return nodes.Collection("tuple", self.lower_expressions(node)) if parts else nodes.Name(self.node_text(node))

    def lower_expressions(self, node: Node) -> tuple[nodes.Expression, ...]:
        return tuple(self.lower_expression(each) for each in self.code_children(node))

    def _lower_inner(self, node: Node) -> nodes.Expression:
        parts = self.code_children(node)
        return self.lower_expression(parts[0]) if parts else nodes.Literal(NULL)

    def _lower_field(self, node: Node, name: str) -> nodes.Expression:
        return self.lower_expression(node.child_by_field_name(name))

    # ---- places

    def _lower_attribute(self, node: Node) -> nodes.Expression:
        return nodes.Attribute(self._lower_field(node, "object"), self.node_text(node.child_by_field_name("attribute")))

    def _lower_subscript(self, node: Node) -> nodes.Expression:
        owner, keys = self._lower_field(node, "value"), node.children_by_field_name("subscript")
        if len(keys) != 1:
            return nodes.Index(owner, nodes.Collection("tuple", tuple(self.lower_expression(each) for each in keys)))
        if keys[0].type != "slice":
            return nodes.Index(owner, self.lower_expression(keys[0]))
        parts: list[nodes.Expression | None] = [None, None, None]
        at = 0
        for each in keys[0].children:
            if each.type == ":":
                at += 1
            elif each.is_named and each.type != "comment" and at < 3:
                parts[at] = self.lower_expression(each)
        return nodes.Slice(owner, *parts)

    # ---- calls and functions

    def _lower_call(self, node: Node) -> nodes.Expression:
        argument_list = node.child_by_field_name("arguments")
        arguments: list[nodes.Argument] = []
        if argument_list is not None and argument_list.type == "generator_expression":
            arguments.append(nodes.Argument("positional", "", self.lower_expression(argument_list)))
        elif argument_list is not None:
            arguments += [self._lower_argument(each) for each in self.code_children(argument_list)]
        return nodes.Call(self._lower_field(node, "function"), tuple(arguments))

    def _lower_argument(self, node: Node) -> nodes.Argument:
        match node.type:
            case "keyword_argument":
                return nodes.Argument("named", self.node_text(node.child_by_field_name("name")), self._lower_field(node, "value"))
            case "list_splat":
                return nodes.Argument("spread", "", self._lower_inner(node))
            case "dictionary_splat":
                return nodes.Argument("spread-map", "", self._lower_inner(node))
            case _:
                return nodes.Argument("positional", "", self.lower_expression(node))

    def _lower_lambda(self, node: Node) -> nodes.Expression:
        parameters = self.lower_parameters(node.child_by_field_name("parameters"))
        return nodes.Lambda("<lambda>", parameters, (nodes.Return(self._lower_field(node, "body")),))

    def lower_parameters(self, node: Node | None) -> tuple[nodes.Parameter, ...]:
        found: list[nodes.Parameter] = []
        kind = "positional"
        for each in self.code_children(node) if node is not None else ():
            inner = each
            annotation = self._lower_annotation(each.child_by_field_name("type"))
            if each.type == "typed_parameter":
                inner = each.named_children[0]
            match inner.type:
                case "list_splat_pattern":
                    found.append(nodes.Parameter("rest", self.node_text(inner).lstrip("*"), None))
                    kind = "named"
                case "dictionary_splat_pattern":
                    found.append(nodes.Parameter("rest-map", self.node_text(inner).lstrip("*"), None))
                case "keyword_separator":
                    kind = "named"
                case "default_parameter" | "typed_default_parameter":
                    name = self.node_text(inner.child_by_field_name("name"))
                    found.append(nodes.Parameter(kind, name, self._lower_field(inner, "value"), annotation))
                case "identifier":
                    found.append(nodes.Parameter(kind, self.node_text(inner), None, annotation))
                case _:
                    pass
        return tuple(found)

    def _lower_annotation(self, node: Node | None) -> tuple[nodes.Expression, ...]:
        """Returns the type of a parameter, and the further items of `Annotated`; nothing for a type of several parts."""
        inner = node.named_children[0] if node is not None and node.type == "type" and node.named_children else node
        if inner is None:
            return ()
        if inner.type in ("identifier", "attribute", "call"):
            return (self.lower_expression(inner),)
        parts: list[Node] = []
        if inner.type == "binary_operator" and self.node_text(inner.children[-1]) == "None":
            parts = inner.children[:1]
        elif inner.type == "generic_type" and self.node_text(inner.children[0]) in ("Annotated", "Optional"):
            parts = inner.named_children[-1].named_children
        elif inner.type == "subscript" and self.node_text(inner.children[0]) in ("typing.Annotated", "typing.Optional"):
            parts = inner.named_children[1:]
        return tuple(lowered for each in parts for lowered in self._lower_annotation(each))

    def _lower_yield(self, node: Node) -> nodes.Expression:
        parts = self.code_children(node)
        is_spread = any(each.type == "from" for each in node.children)
        return nodes.Yield(self.lower_expression(parts[0]) if parts else None, is_spread)

    # ---- literals

    def _lower_dictionary(self, node: Node) -> nodes.Expression:
        pairs: list[tuple[nodes.Expression | None, nodes.Expression]] = []
        for each in self.code_children(node):
            if each.type == "pair":
                pairs.append((self._lower_field(each, "key"), self._lower_field(each, "value")))
            else:
                pairs.append((None, self._lower_inner(each)))
        return nodes.MapLiteral(tuple(pairs))

    def _lower_string(self, node: Node) -> nodes.Expression:
        opening = self.node_text(node.children[0]).rstrip("\"'").lower()
        is_raw, is_formatted = "r" in opening, "f" in opening or "t" in opening
        parts: list[nodes.Expression] = []
        plain: list[str] = []
        for each in node.children[1:-1]:
            if each.type == "interpolation":
                if plain:
                    parts.append(self._lower_literal("".join(plain)))
                    plain = []
                parts.append(self._lower_interpolation(each))
            elif each.type == "string_content":
                text = self.node_text(each)
                if is_formatted:
                    text = text.replace("{{", "{").replace("}}", "}")
                plain.append(text if is_raw else unescape(text))
        if plain or not parts:
            parts.append(self._lower_literal("".join(plain)))
        return parts[0] if len(parts) == 1 and isinstance(parts[0], nodes.Literal) else nodes.Concatenation(tuple(parts))

    def _lower_literal(self, text: str) -> nodes.Expression:
        self.texts.append(text)
        return nodes.Literal(word_from_text(text))

    def _lower_interpolation(self, node: Node) -> nodes.Expression:
        value = self._lower_field(node, "expression")
        shown = [self.node_text(each) for each in node.named_children if each.type == "type_conversion"]
        formats = [self.node_text(each)[1:] for each in node.named_children if each.type == "format_specifier"]
        if shown in (["!r"], ["!a"]):
            value = nodes.Call(nodes.Name("repr"), (nodes.Argument("positional", "", value),))
        if formats:
            parts = (value, nodes.Literal(word_from_text(formats[0])))
            value = nodes.Call(nodes.Name("format"), tuple(nodes.Argument("positional", "", each) for each in parts))
        return value

    def _lower_integer(self, node: Node) -> nodes.Expression:
        try:
            return nodes.Literal(Constant(int(self.node_text(node).replace("_", "").rstrip("lL"), 0)))
        except ValueError:
            return nodes.Literal(
                Constant(int(self.node_text(node), 8))
                if self.node_text(node).isdigit() and len(self.node_text(node)) < 12 and not set(self.node_text(node)) & set("89")
                else Unknown("a number")
            )

    def _lower_float(self, node: Node) -> nodes.Expression:
        try:
            return nodes.Literal(Constant(float(self.node_text(node).replace("_", ""))))
        except ValueError:
            return nodes.Literal(Unknown("a number"))

    # ---- operators

    def _lower_binary(self, node: Node) -> nodes.Expression:
        more: list[tuple[str, nodes.Expression]] = []
        first: Node | None = node
        while first is not None and first.type == "binary_operator":
            more.append((self.node_text(first.child_by_field_name("operator")), self._lower_field(first, "right")))
            first = first.child_by_field_name("left")
        return nodes.Operation(self.lower_expression(first), tuple(reversed(more)))

    def _lower_boolean(self, node: Node) -> nodes.Expression:
        operator = self.node_text(node.child_by_field_name("operator"))
        operands: list[nodes.Expression] = [self._lower_field(node, "right")]
        left = node.child_by_field_name("left")
        while (
            left is not None
            and left.type == "boolean_operator"
            and self.node_text(left.child_by_field_name("operator")) == operator
        ):
            operands.append(self._lower_field(left, "right"))
            left = left.child_by_field_name("left")
        return nodes.Logical(operator, (self.lower_expression(left), *reversed(operands)))

    def _lower_comparison(self, node: Node) -> nodes.Expression:
        operands = [self.lower_expression(each) for each in node.children if each.is_named and each.type != "comment"]
        operators = [self.node_text(each) for each in node.children if not each.is_named]
        found: list[nodes.Expression] = [
            nodes.Comparison(operator, *operands[n : n + 2]) for n, operator in enumerate(operators) if n + 1 < len(operands)
        ]
        if not found:
            return nodes.Collection("tuple", tuple(operands))
        return found[0] if len(found) == 1 else nodes.Logical("and", tuple(found))

    def _lower_conditional(self, node: Node) -> nodes.Expression:
        parts = self.lower_expressions(node)
        return nodes.Conditional(parts[1], parts[0], parts[2]) if len(parts) == 3 else nodes.Collection("tuple", parts)

    def _lower_comprehension(self, node: Node, kind: str) -> nodes.Expression:
        body = node.child_by_field_name("body")
        if body is not None and body.type == "pair":
            element: nodes.Expression = nodes.Collection(
                "tuple", (self._lower_field(body, "key"), self._lower_field(body, "value"))
            )
        else:
            element = self.lower_expression(body)
        clauses: list[nodes.Clause] = []
        for each in node.named_children:
            if each.type == "for_in_clause":
                clauses.append(nodes.Clause(self._lower_field(each, "left"), self._lower_iterable(each), ()))
            elif each.type == "if_clause" and clauses:
                clauses[-1] = clauses[-1]._replace(tests=(*clauses[-1].tests, self._lower_inner(each)))
        return nodes.Comprehension(kind, element, tuple(clauses))

    def _lower_iterable(self, node: Node) -> nodes.Expression:
        found = node.children_by_field_name("right")
        if len(found) == 1:
            return self.lower_expression(found[0])
        return nodes.Collection("tuple", tuple(self.lower_expression(each) for each in found if each.is_named))
