"""Lowers a Python tree to the evaluator's nodes: expressions."""

from __future__ import annotations

import re
from codecs import decode
from collections.abc import Callable
from typing import TYPE_CHECKING

from toolgate.languages import word
from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.values import FALSE, NULL, TRUE, Constant, Unknown

if TYPE_CHECKING:
    from tree_sitter import Node

_ESCAPE = re.compile(r"\\(\r?\n|[\\'\"abfnrtv]|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]+\})")
_PLAIN = {
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

    def replace(match: re.Match[str]) -> str:
        if match[1] in _PLAIN:
            return _PLAIN[match[1]]
        try:
            return decode(match[0], "unicode_escape")
        except ValueError:
            return match[0]

    return _ESCAPE.sub(replace, text)


class ExpressionLowering:
    """Lowers the expressions of one text. `texts`: its literals; `modules`: imported names."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.texts: list[str] = []
        self.modules: list[str] = []
        self._expressions: dict[str, Callable[[Node], nodes.Expression]] = {
            "identifier": lambda node: nodes.Name(self.text(node)),
            "attribute": self._attribute,
            "subscript": self._subscript,
            "call": self._call,
            "list": lambda node: nodes.Collection("list", self.expressions(node)),
            "set": lambda node: nodes.Collection("set", self.expressions(node)),
            **dict.fromkeys(
                ("tuple", "expression_list", "pattern_list", "tuple_pattern", "list_pattern"),
                lambda node: nodes.Collection("tuple", self.expressions(node)),
            ),
            **dict.fromkeys(("list_splat", "list_splat_pattern"), lambda node: nodes.Spread(self._inner(node))),
            "parenthesized_expression": self._inner,
            "dictionary": self._dictionary,
            "string": self._string,
            "concatenated_string": lambda node: nodes.Concatenation(self.expressions(node)),
            "integer": self._integer,
            "float": self._float,
            "true": lambda _: nodes.Literal(TRUE),
            "false": lambda _: nodes.Literal(FALSE),
            "none": lambda _: nodes.Literal(NULL),
            "ellipsis": lambda _: nodes.Literal(Unknown("...")),
            "binary_operator": self._binary,
            "unary_operator": lambda node: nodes.Unary(
                self.text(node.child_by_field_name("operator")), self._field(node, "argument")
            ),
            "not_operator": lambda node: nodes.Unary("not", self._field(node, "argument")),
            "boolean_operator": self._boolean,
            "comparison_operator": self._comparison,
            "conditional_expression": self._conditional,
            "named_expression": lambda node: nodes.AssignedExpression(self._field(node, "name"), self._field(node, "value")),
            "lambda": self._lambda,
            "await": lambda node: nodes.Unary("await", self._inner(node)),
            "yield": self._yield,
            "list_comprehension": lambda node: self._comprehension(node, "list"),
            "set_comprehension": lambda node: self._comprehension(node, "set"),
            "dictionary_comprehension": lambda node: self._comprehension(node, "map"),
            "generator_expression": lambda node: self._comprehension(node, "iterator"),
            "as_pattern": lambda node: self.expression(node.named_children[0]),
        }

    def text(self, node: Node | None) -> str:
        return "" if node is None else self._data[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")

    def children(self, node: Node) -> list[Node]:
        """Returns the node's children without comments."""
        return [each for each in node.named_children if each.type not in ("comment", "line_continuation")]

    def expression(self, node: Node | None) -> nodes.Expression:
        if node is None:
            return nodes.Literal(NULL)
        lower = self._expressions.get(node.type)
        if lower is not None:
            return lower(node)
        parts = self.children(node)
        if len(parts) == 1:
            return self.expression(parts[0])
        return nodes.Collection("tuple", self.expressions(node)) if parts else nodes.Name(self.text(node))

    def expressions(self, node: Node) -> tuple[nodes.Expression, ...]:
        return tuple(self.expression(each) for each in self.children(node))

    def _inner(self, node: Node) -> nodes.Expression:
        parts = self.children(node)
        return self.expression(parts[0]) if parts else nodes.Literal(NULL)

    def _field(self, node: Node, name: str) -> nodes.Expression:
        return self.expression(node.child_by_field_name(name))

    # ---- places

    def _attribute(self, node: Node) -> nodes.Expression:
        return nodes.Attribute(self._field(node, "object"), self.text(node.child_by_field_name("attribute")))

    def _subscript(self, node: Node) -> nodes.Expression:
        owner, keys = self._field(node, "value"), node.children_by_field_name("subscript")
        if len(keys) != 1:
            return nodes.Index(owner, nodes.Collection("tuple", tuple(self.expression(each) for each in keys)))
        if keys[0].type != "slice":
            return nodes.Index(owner, self.expression(keys[0]))
        parts: list[nodes.Expression | None] = [None, None, None]
        at = 0
        for each in keys[0].children:
            if each.type == ":":
                at += 1
            elif each.is_named and each.type != "comment" and at < 3:
                parts[at] = self.expression(each)
        return nodes.Slice(owner, *parts)

    # ---- calls and functions

    def _call(self, node: Node) -> nodes.Expression:
        given = node.child_by_field_name("arguments")
        arguments: list[nodes.Argument] = []
        if given is not None and given.type == "generator_expression":
            arguments.append(nodes.Argument("positional", "", self.expression(given)))
        elif given is not None:
            arguments += [self._argument(each) for each in self.children(given)]
        return nodes.Call(self._field(node, "function"), tuple(arguments))

    def _argument(self, node: Node) -> nodes.Argument:
        match node.type:
            case "keyword_argument":
                return nodes.Argument("named", self.text(node.child_by_field_name("name")), self._field(node, "value"))
            case "list_splat":
                return nodes.Argument("spread", "", self._inner(node))
            case "dictionary_splat":
                return nodes.Argument("spread-map", "", self._inner(node))
            case _:
                return nodes.Argument("positional", "", self.expression(node))

    def _lambda(self, node: Node) -> nodes.Expression:
        parameters = self.parameters(node.child_by_field_name("parameters"))
        return nodes.Lambda("<lambda>", parameters, (nodes.Return(self._field(node, "body")),))

    def parameters(self, node: Node | None) -> tuple[nodes.Parameter, ...]:
        found: list[nodes.Parameter] = []
        kind = "positional"
        for each in self.children(node) if node is not None else ():
            inner = each
            if each.type == "typed_parameter":
                inner = each.named_children[0]
            match inner.type:
                case "list_splat_pattern":
                    found.append(nodes.Parameter("rest", self.text(inner).lstrip("*"), None))
                    kind = "named"
                case "dictionary_splat_pattern":
                    found.append(nodes.Parameter("rest-map", self.text(inner).lstrip("*"), None))
                case "keyword_separator":
                    kind = "named"
                case "default_parameter" | "typed_default_parameter":
                    name = self.text(inner.child_by_field_name("name"))
                    found.append(nodes.Parameter(kind, name, self._field(inner, "value")))
                case "identifier":
                    found.append(nodes.Parameter(kind, self.text(inner), None))
                case _:
                    pass
        return tuple(found)

    def _yield(self, node: Node) -> nodes.Expression:
        parts = self.children(node)
        is_spread = any(each.type == "from" for each in node.children)
        return nodes.Yielded(self.expression(parts[0]) if parts else None, is_spread)

    # ---- literals

    def _dictionary(self, node: Node) -> nodes.Expression:
        pairs: list[tuple[nodes.Expression | None, nodes.Expression]] = []
        for each in self.children(node):
            if each.type == "pair":
                pairs.append((self._field(each, "key"), self._field(each, "value")))
            else:
                pairs.append((None, self._inner(each)))
        return nodes.MapLiteral(tuple(pairs))

    def _string(self, node: Node) -> nodes.Expression:
        opening = self.text(node.children[0]).rstrip("\"'").lower()
        is_raw, is_formatted = "r" in opening, "f" in opening or "t" in opening
        parts: list[nodes.Expression] = []
        plain: list[str] = []
        for each in node.children[1:-1]:
            if each.type == "interpolation":
                if plain:
                    parts.append(self._literal("".join(plain)))
                    plain = []
                parts.append(self._interpolation(each))
            elif each.type == "string_content":
                text = self.text(each)
                if is_formatted:
                    text = text.replace("{{", "{").replace("}}", "}")
                plain.append(text if is_raw else unescape(text))
        if plain or not parts:
            parts.append(self._literal("".join(plain)))
        return parts[0] if len(parts) == 1 and isinstance(parts[0], nodes.Literal) else nodes.Concatenation(tuple(parts))

    def _literal(self, text: str) -> nodes.Expression:
        self.texts.append(text)
        return nodes.Literal(word(text))

    def _interpolation(self, node: Node) -> nodes.Expression:
        value = self._field(node, "expression")
        shown = [self.text(each) for each in node.named_children if each.type == "type_conversion"]
        formats = [self.text(each)[1:] for each in node.named_children if each.type == "format_specifier"]
        if shown in (["!r"], ["!a"]):
            value = nodes.Call(nodes.Name("repr"), (nodes.Argument("positional", "", value),))
        if formats:
            given = (value, nodes.Literal(word(formats[0])))
            value = nodes.Call(nodes.Name("format"), tuple(nodes.Argument("positional", "", each) for each in given))
        return value

    def _integer(self, node: Node) -> nodes.Expression:
        try:
            return nodes.Literal(Constant(int(self.text(node).replace("_", "").rstrip("lL"), 0)))
        except ValueError:
            return nodes.Literal(
                Constant(int(self.text(node), 8))
                if self.text(node).isdigit() and len(self.text(node)) < 12 and not set(self.text(node)) & set("89")
                else Unknown("a number")
            )

    def _float(self, node: Node) -> nodes.Expression:
        try:
            return nodes.Literal(Constant(float(self.text(node).replace("_", ""))))
        except ValueError:
            return nodes.Literal(Unknown("a number"))

    # ---- operators

    def _binary(self, node: Node) -> nodes.Expression:
        more: list[tuple[str, nodes.Expression]] = []
        first: Node | None = node
        while first is not None and first.type == "binary_operator":
            more.append((self.text(first.child_by_field_name("operator")), self._field(first, "right")))
            first = first.child_by_field_name("left")
        return nodes.Operation(self.expression(first), tuple(reversed(more)))

    def _boolean(self, node: Node) -> nodes.Expression:
        operator = self.text(node.child_by_field_name("operator"))
        operands: list[nodes.Expression] = [self._field(node, "right")]
        left = node.child_by_field_name("left")
        while (
            left is not None and left.type == "boolean_operator" and self.text(left.child_by_field_name("operator")) == operator
        ):
            operands.append(self._field(left, "right"))
            left = left.child_by_field_name("left")
        return nodes.Logical(operator, (self.expression(left), *reversed(operands)))

    def _comparison(self, node: Node) -> nodes.Expression:
        operands = [self.expression(each) for each in node.children if each.is_named and each.type != "comment"]
        operators = [self.text(each) for each in node.children if not each.is_named]
        found: list[nodes.Expression] = [
            nodes.Comparison(operator, *operands[n : n + 2]) for n, operator in enumerate(operators) if n + 1 < len(operands)
        ]
        if not found:
            return nodes.Collection("tuple", tuple(operands))
        return found[0] if len(found) == 1 else nodes.Logical("and", tuple(found))

    def _conditional(self, node: Node) -> nodes.Expression:
        parts = self.expressions(node)
        return nodes.Conditional(parts[1], parts[0], parts[2]) if len(parts) == 3 else nodes.Collection("tuple", parts)

    def _comprehension(self, node: Node, kind: str) -> nodes.Expression:
        body = node.child_by_field_name("body")
        if body is not None and body.type == "pair":
            element: nodes.Expression = nodes.Collection("tuple", (self._field(body, "key"), self._field(body, "value")))
        else:
            element = self.expression(body)
        clauses: list[nodes.Clause] = []
        for each in node.named_children:
            if each.type == "for_in_clause":
                clauses.append(nodes.Clause(self._field(each, "left"), self._iterable(each), ()))
            elif each.type == "if_clause" and clauses:
                clauses[-1] = clauses[-1]._replace(tests=(*clauses[-1].tests, self._inner(each)))
        return nodes.Comprehension(kind, element, tuple(clauses))

    def _iterable(self, node: Node) -> nodes.Expression:
        found = node.children_by_field_name("right")
        if len(found) == 1:
            return self.expression(found[0])
        return nodes.Collection("tuple", tuple(self.expression(each) for each in found if each.is_named))
