"""Lowering of syntax trees to the evaluator's nodes, shared by the script languages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from toolgate.languages import word_from_text
from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.values import NULL, TRUE, Constant, Unknown
from toolgate.model.word import known_word

if TYPE_CHECKING:
    from tree_sitter import Node

NOTHING = nodes.Literal(NULL)
YES = nodes.Literal(TRUE)


def positional(*values: nodes.Expression) -> tuple[nodes.Argument, ...]:
    return tuple(nodes.Argument("positional", "", each) for each in values)


def call(name: str, *values: nodes.Expression) -> nodes.Call:
    """Returns a call of an internal library function, which code cannot name."""
    return nodes.Call(nodes.Name(name), positional(*values))


def text(value: str) -> nodes.Literal:
    return nodes.Literal(word_from_text(value))


def number(value: int) -> nodes.Literal:
    return nodes.Literal(Constant(value))


def put_together(parts: list[Any]) -> nodes.Expression:
    """Returns the text that the parts form when concatenated."""
    if not parts:
        return nodes.Literal(known_word(""))
    return parts[0] if len(parts) == 1 and type(parts[0]) is nodes.Literal else nodes.Concatenation(tuple(parts))


def return_last(block: nodes.Block) -> nodes.Block:
    """Returns a body that returns the value of its last statement."""
    if not block:
        return block
    *before, last = block
    return (*before, *_as_return(last))


def _as_return(statement: Any) -> nodes.Block:
    match statement:
        case nodes.ExpressionStatement(value):
            return (nodes.Return(value),)
        case nodes.Assignment(targets, value):
            return (nodes.Assignment(targets, value), nodes.Return(targets[0]))
        case nodes.If(arms, alternative):
            arms = tuple((test, return_last(body)) for test, body in arms)
            return (nodes.If(arms, return_last(alternative)),)
        case nodes.Switch(subject, name, cases):
            return (nodes.Switch(subject, name, tuple((literal, return_last(body)) for literal, body in cases)),)
        case nodes.Try(body, handlers, alternative, final):
            handlers = tuple((names, return_last(each)) for names, each in handlers)
            body = body if alternative else return_last(body)
            return (nodes.Try(body, handlers, return_last(alternative), final),)
        case nodes.Sequence(body) | nodes.Scope(body):
            return (nodes.Scope(return_last(body)) if isinstance(statement, nodes.Scope) else nodes.Sequence(return_last(body)),)
        case _:
            return (statement,)


def value_of(statement: Any) -> nodes.Expression:
    """Lowers a statement in value position: a branch, a block."""
    if type(statement) is nodes.ExpressionStatement:
        return statement.value
    if type(statement) is nodes.If and len(statement.arms) == 1:
        ((test, body),) = statement.arms
        ways = (body, statement.alternative)
        if all(len(each) < 2 and all(type(one) is nodes.ExpressionStatement for one in each) for each in ways):
            yes, no = (each[0].value if each and type(each[0]) is nodes.ExpressionStatement else NOTHING for each in ways)
            return nodes.Conditional(test, yes, no)
    return nodes.Call(nodes.Lambda("<lambda>", (), return_last((statement,))), ())


class TreeLowering:
    """Lowers one text. Subclasses map node kinds to methods; for an unmapped kind its parts are lowered."""

    comments = frozenset(("comment",))

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._expressions: dict[str, Callable[[Node], nodes.Expression]] = {}
        self._statements: dict[str, Callable[[Node], nodes.Statement]] = {}

    # ---- the tree

    def text(self, node: Node | None) -> str:
        return "" if node is None else self._data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def children(self, node: Node | None) -> list[Node]:
        """Returns a node's parts without comments."""
        return [] if node is None else [each for each in node.named_children if each.type not in self.comments]

    def field(self, node: Node, name: str) -> nodes.Expression:
        return self.expression(node.child_by_field_name(name))

    def operator(self, node: Node) -> str:
        return self.text(node.child_by_field_name("operator"))

    # ---- lowering

    def program(self, node: Node) -> nodes.Block:
        return self.block(self.children(node))

    def block(self, parts: Iterable[Node]) -> nodes.Block:
        return tuple(self.statement(each) for each in parts)

    def body(self, node: Node | None) -> nodes.Block:
        """Lowers the statements of a block, or a single statement."""
        return () if node is None else self.block(self.children(node))

    def statement(self, node: Node) -> nodes.Statement:
        if node.type == "ERROR":
            return nodes.Sequence(self.block(self.children(node)))
        lower = self._statements.get(node.type)
        return nodes.ExpressionStatement(self.expression(node)) if lower is None else lower(node)

    def expression(self, node: Node | None) -> nodes.Expression:
        if node is None:
            return NOTHING
        if (lower := self._expressions.get(node.type)) is not None:
            return lower(node)
        if (lower_statement := self._statements.get(node.type)) is not None:
            return value_of(lower_statement(node))
        return self.inner(node)

    def inner(self, node: Node) -> nodes.Expression:
        """Lowers a node's only part, or all of its parts as a list."""
        parts = self.children(node)
        if len(parts) == 1:
            return self.expression(parts[0])
        if parts:
            return nodes.Collection("array", tuple(self.expression(each) for each in parts))
        return nodes.Literal(Unknown("a part of the code"))

    def number(self, node: Node) -> nodes.Expression:
        return nodes.Literal(parse_number(self.text(node)))

    def augment(self, target: nodes.Expression, operator: str, value: nodes.Expression) -> nodes.Expression:
        """Lowers `target operator= value`."""
        logical = {"||": "or", "&&": "and", "??": "??", "//": "??"}.get(operator)
        if logical is not None:
            return nodes.AssignmentExpression(target, nodes.Logical(logical, (target, value)))
        return nodes.AssignmentExpression(target, self.operation(operator, target, value))

    def operation(self, operator: str, left: nodes.Expression, right: nodes.Expression) -> nodes.Expression:
        """Lowers a binary operation, translating the operator to the evaluator's name."""
        if operator in _LOGICAL:
            return nodes.Logical(_LOGICAL[operator], (left, right))
        if operator in _COMPARISONS:
            return nodes.Comparison(_COMPARISONS[operator], left, right)
        return nodes.Operation(left, ((operator, right),))


_LOGICAL = {"&&": "and", "and": "and", "||": "or", "or": "or", "??": "??"}
_COMPARISONS = {
    **{each: each for each in ("==", "!=", "<", ">", "<=", ">=")},
    "===": "==",
    "!==": "!=",
    "<>": "!=",
    "~=": "!=",
    "eq": "==",
    "ne": "!=",
    "lt": "compared",
    "gt": "compared",
    "le": "compared",
    "ge": "compared",
    "=~": "matches",
    "!~": "matches",
}


def parse_number(digits: str) -> Constant | Unknown:
    """Returns the value of a number literal: `0o777`, `0777`, `0x1ff`, `1_000`, `1.5e3`."""
    bare = digits.replace("_", "")
    try:
        if bare[:1] == "0" and bare[1:].isdigit():
            return Constant(int(bare, 8))
        return Constant(int(bare, 0) if bare[:2].lower() in ("0x", "0o", "0b") or bare.isdigit() else float(bare))
    except ValueError:
        return Unknown("a number")
