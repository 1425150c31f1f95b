"""Lowers a Lua syntax tree to the evaluator's nodes.

A name that no enclosing `local` declares is global. A call may return several values (a list of the kind `values`); most places
take the first. Tables count from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.values import FALSE, TRUE
from toolgate.languages.scripting import grammars
from toolgate.languages.scripting.lowering import NOTHING, TreeLowering, call, number, positional, text

if TYPE_CHECKING:
    from tree_sitter import Node

_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\n": "\n"}
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|u\{[0-9A-Fa-f]{1,6}\}|\d{1,3}|z\s*|\r?\n|.)", re.DOTALL)
_SEVERAL = ("function_call", "vararg_expression")


def parse(data: bytes) -> Node:
    return grammars.parse(data, "tree_sitter_lua")


def _unescape(match: re.Match[str]) -> str:
    body = match[1]
    if body[0] == "x":
        return chr(int(body[1:], 16))
    if body[0] == "u" and len(body) > 1:
        code = int(body[2:-1], 16)
        return chr(code) if code < 0x110000 else ""
    if body.isdigit():
        return chr(int(body) & 0xFF)
    return "" if body[0] == "z" else _PLAIN.get(body, body)


class LuaLowering(TreeLowering):
    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._scopes: list[set[str]] = [set()]
        self._expressions.update(
            {
                "identifier": lambda node: nodes.Name(self.text(node)),
                "nil": lambda _: NOTHING,
                "true": lambda _: nodes.Literal(TRUE),
                "false": lambda _: nodes.Literal(FALSE),
                "number": self.number,
                "string": self._lower_string,
                "vararg_expression": lambda _: call("first value", nodes.Name("...")),
                "dot_index_expression": lambda node: nodes.Attribute(
                    self.field(node, "table"), self.text(node.child_by_field_name("field"))
                ),
                "bracket_index_expression": lambda node: nodes.Index(self.field(node, "table"), self.field(node, "field")),
                "method_index_expression": lambda node: nodes.Attribute(
                    self.field(node, "table"), self.text(node.child_by_field_name("method"))
                ),
                "function_call": self._call,
                "table_constructor": self._table,
                "binary_expression": lambda node: self.operation(
                    self.operator(node), *(self._first_value(each) for each in self.children(node)[:2])
                ),
                "unary_expression": self._unary,
                "parenthesized_expression": self._lower_parenthesized,
                "function_definition": self._function,
            }
        )
        self._statements.update(
            {
                **dict.fromkeys(("chunk", "block"), lambda node: nodes.Sequence(self.body(node))),
                "variable_declaration": self._local,
                "assignment_statement": self._assignment,
                "function_declaration": self._declaration,
                "if_statement": self._if,
                "while_statement": lambda node: nodes.While(self.field(node, "condition"), self._scope_of(node)),
                "repeat_statement": self._repeat,
                "for_statement": self._lower_for,
                "do_statement": lambda node: nodes.Sequence(self._scope_of(node)),
                "return_statement": self._return,
                "break_statement": lambda _: nodes.Jump("break"),
                **dict.fromkeys(
                    ("empty_statement", "goto_statement", "label_statement", "hash_bang_line"), lambda _: nodes.Sequence(())
                ),
            }
        )

    # ---- scopes

    @contextmanager
    def _scope(self, names: tuple[str, ...] = ()) -> Iterator[None]:
        self._scopes.append(set(names))
        yield
        self._scopes.pop()

    def _scope_of(self, node: Node, field: str = "body") -> nodes.Block:
        with self._scope():
            return (nodes.Scope(self.body(node.child_by_field_name(field))),)

    def _target(self, node: Node) -> nodes.Expression:
        """Returns the target of an assignment: a local variable, a global one or a table entry."""
        name = self.text(node)
        if node.type == "identifier" and not any(name in scope for scope in self._scopes):
            return nodes.Attribute(nodes.Name("globals"), name)
        return self.expression(node)

    # ---- values

    def _lower_string(self, node: Node) -> nodes.Expression:
        raw = self.text(node)
        if raw[0] in "\"'":
            return text(_ESCAPE.sub(_unescape, raw[1:-1]))
        opening = raw.index("[", 1) + 1
        return text(raw[opening:-opening].removeprefix("\n"))

    def _lower_parenthesized(self, node: Node) -> nodes.Expression:
        inner: Any = self.inner(node)
        return inner if type(inner) is nodes.Literal else call("first value", inner)

    def _values(self, parts: list[Node]) -> nodes.Expression:
        """Lowers a list of expressions to all their values."""
        if len(parts) == 1:
            return self._all_values(parts[0])
        items = [self._first_value(each) for each in parts]
        if parts and parts[-1].type in _SEVERAL:
            items[-1] = nodes.Spread(self._all_values(parts[-1]))
        return nodes.Collection("values", tuple(items))

    def _all_values(self, node: Node) -> nodes.Expression:
        if node.type == "vararg_expression":
            return nodes.Name("...")
        made = self.expression(node)
        return call("all values", made) if node.type in _SEVERAL else nodes.Collection("values", (made,))

    def _first_value(self, node: Node) -> nodes.Expression:
        made = self.expression(node)
        return call("first value", made) if node.type == "function_call" else made

    def _table(self, node: Node) -> nodes.Expression:
        pairs: list[tuple[nodes.Expression | None, nodes.Expression]] = []
        at = 1
        fields = [each for each in self.children(node) if each.type == "field"]
        for each in fields:
            name, value = each.child_by_field_name("name"), each.child_by_field_name("value")
            assert value is not None
            if name is not None:
                is_computed = each.children[0].type == "["
                key = self.expression(name) if is_computed else text(self.text(name))
                pairs.append((key, self._first_value(value)))
            elif each == fields[-1] and value.type in _SEVERAL:
                pairs.append((None, call("numbered", number(at), self._all_values(value))))
            else:
                pairs.append((number(at), self._first_value(value)))
                at += 1
        return nodes.MapLiteral(tuple(pairs))

    def _unary(self, node: Node) -> nodes.Expression:
        operator = self.text(node.children[0])
        operand = self.field(node, "operand")
        if operator == "#":
            return call("length of", operand)
        return nodes.Unary(operator, operand)

    # ---- calls and functions

    def _call(self, node: Node) -> nodes.Expression:
        function = node.child_by_field_name("name")
        parts = self.children(node.child_by_field_name("arguments"))
        given = [nodes.Argument("positional", "", self._first_value(each)) for each in parts]
        if parts and parts[-1].type in _SEVERAL:
            given[-1] = nodes.Argument("spread", "", self._all_values(parts[-1]))
        if function is not None and function.type == "method_index_expression":
            owner, name = self.field(function, "table"), self.text(function.child_by_field_name("method"))
            return nodes.Call(nodes.Name("call a method"), (*positional(owner, text(name)), *given))
        return nodes.Call(self.expression(function), tuple(given))

    def _function(self, node: Node, own: tuple[str, ...] = ()) -> nodes.Lambda:
        names = [*own]
        has_rest = False
        for each in self.children(node.child_by_field_name("parameters")):
            has_rest = has_rest or each.type == "vararg_expression"
            if each.type == "identifier":
                names.append(self.text(each))
        parameters = [nodes.Parameter("positional", name, None) for name in names]
        if has_rest:
            parameters.append(nodes.Parameter("rest", "...", None))
        with self._scope(tuple(names)):
            block = self.body(node.child_by_field_name("body"))
        return nodes.Lambda("<lambda>", tuple(parameters), block)

    def _declaration(self, node: Node) -> nodes.Statement:
        name = node.child_by_field_name("name")
        assert name is not None
        if any(each.type == "local" for each in node.children):
            self._scopes[-1].add(self.text(name))
            return nodes.Declaration(nodes.Name(self.text(name)), self._function(node))
        own = ("self",) if name.type == "method_index_expression" else ()
        return nodes.Assignment((self._target(name),), self._function(node, own))

    # ---- statements

    def _parts_of(self, node: Node) -> tuple[list[Node], list[Node]]:
        """Returns the targets and the values of an assignment."""
        lists = [self.children(each) for each in node.named_children if each.type.endswith("_list")]
        places = [one for each in lists[:1] for one in each if one.type != "attribute"]
        return places, lists[1] if len(lists) > 1 else []

    def _lower_assignment(self, targets: list[nodes.Expression], values: list[Node]) -> tuple[nodes.Expression, nodes.Expression]:
        if len(targets) == 1 and len(values) == 1:
            return targets[0], self._first_value(values[0])
        return nodes.Collection("values", tuple(targets)), self._values(values)

    def _local(self, node: Node) -> nodes.Statement:
        inner = next((each for each in node.named_children if each.type == "assignment_statement"), node)
        places, values = self._parts_of(inner)
        names = [self.text(each) for each in places]
        targets: list[nodes.Expression] = [nodes.Name(name) for name in names]
        if not values:
            self._scopes[-1].update(names)
            return nodes.Sequence(tuple(nodes.Declaration(each, NOTHING) for each in targets))
        target, value = self._lower_assignment(targets, values)
        self._scopes[-1].update(names)
        return nodes.Declaration(target, value)

    def _assignment(self, node: Node) -> nodes.Statement:
        places, values = self._parts_of(node)
        target, value = self._lower_assignment([self._target(each) for each in places], values)
        return nodes.Assignment((target,), value)

    def _if(self, node: Node) -> nodes.Statement:
        arms = [(self.field(node, "condition"), self._scope_of(node, "consequence"))]
        alternative: nodes.Block = ()
        for other in node.children_by_field_name("alternative"):
            if other.type == "elseif_statement":
                arms.append((self.field(other, "condition"), self._scope_of(other, "consequence")))
            else:
                alternative = self._scope_of(other)
        return nodes.If(tuple(arms), alternative)

    def _repeat(self, node: Node) -> nodes.Statement:
        with self._scope():
            block = self.body(node.child_by_field_name("body"))
            test = nodes.Unary("not", self.field(node, "condition"))
        return nodes.BreakableBlock((nodes.Scope((*block, nodes.While(test, block))),))

    def _lower_for(self, node: Node) -> nodes.Statement:
        clause = node.child_by_field_name("clause")
        assert clause is not None
        if clause.type == "for_numeric_clause":
            ends = [clause.child_by_field_name(name) for name in ("start", "end", "step")]
            over = call("numbers", *(self.expression(each) for each in ends if each is not None))
            names: tuple[str, ...] = (self.text(clause.child_by_field_name("name")),)
            target: nodes.Expression = nodes.Name(names[0])
        else:
            places, values = self._parts_of(clause)
            names = tuple(self.text(each) for each in places)
            over = nodes.Call(nodes.Name("iterations"), (nodes.Argument("spread", "", self._values(values)),))
            target = nodes.Collection("values", tuple(map(nodes.Name, names)))
        with self._scope(names):
            block = self.body(node.child_by_field_name("body"))
        return nodes.For(target, over, block, (), True)

    def _return(self, node: Node) -> nodes.Statement:
        parts = [one for each in self.children(node) for one in self.children(each)]
        if not parts:
            return nodes.Return(None)
        if len(parts) == 1:
            only = parts[0]
            return nodes.Return(nodes.Name("...") if only.type == "vararg_expression" else self.expression(only))
        return nodes.Return(self._values(parts))
