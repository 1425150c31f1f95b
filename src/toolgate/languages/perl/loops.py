"""Lowers Perl's branches and loops to the evaluator's nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgate.languages.evaluation import nodes
from toolgate.languages.scripting.lowering import YES, call, text

from .strings import TOPIC, StringLowering

if TYPE_CHECKING:
    from tree_sitter import Node

_PARTS_OF_FOR = ("initialiser", "condition", "iterator")


class LoopLowering(StringLowering):
    def single(self, node: Node) -> nodes.Statement:
        """Lowers an expression in statement position."""
        raise NotImplementedError

    def items_of(self, node: Node) -> tuple[Any, ...]:
        """Returns the items that an element contributes to a list."""
        raise NotImplementedError

    def read_line(self, node: Node) -> nodes.Expression:
        """Lowers `<$fh>`, `<FILE>` and `<>`."""
        name = node.named_children[0] if node.named_children else None
        if name is None:
            return call("readline")
        handle = self.text(name)
        return call("readline", nodes.Name(handle) if handle.startswith("$") else text(handle))

    def _negate_test(self, node: Node, test: nodes.Expression) -> nodes.Expression:
        tokens = {each.type for each in node.children if not each.is_named}
        return nodes.Unary("not", test) if tokens & {"unless", "until"} else test

    def _if(self, node: Node) -> nodes.Statement:
        test = self._negate_test(node, self.field(node, "condition"))
        arms = [(test, self._block_of(node))]
        alternative: nodes.Block = ()
        other = next((each for each in node.named_children if each.type in ("elsif", "else")), None)
        while other is not None:
            if other.type == "elsif":
                arms.append((self.field(other, "condition"), self._block_of(other)))
            else:
                alternative = self._block_of(other)
            other = next((each for each in other.named_children if each.type in ("elsif", "else")), None)
        return nodes.If(tuple(arms), alternative)

    def _block_of(self, node: Node) -> nodes.Block:
        block = node.child_by_field_name("block") or next((each for each in node.named_children if each.type == "block"), None)
        return () if block is None else (nodes.Scope(self.body(block)),)

    def _postfix_if(self, node: Node) -> nodes.Statement:
        condition = node.child_by_field_name("condition")
        body = next(each for each in self.children(node) if each != condition)
        return nodes.If(((self._negate_test(node, self.expression(condition)), (self.single(body),)),), ())

    def _loop_test(self, node: Node) -> nodes.Expression:
        condition = node.child_by_field_name("condition")
        if condition is None:
            return YES
        if condition.type == "readline_expression":
            return nodes.AssignmentExpression(TOPIC, self.expression(condition))
        return self._negate_test(node, self.expression(condition))

    def _while(self, node: Node) -> nodes.Statement:
        return nodes.Scope((nodes.While(self._loop_test(node), self._block_of(node)),))

    def _postfix_while(self, node: Node) -> nodes.Statement:
        condition = node.child_by_field_name("condition")
        body = next(each for each in self.children(node) if each != condition)
        block = (self.single(body),)
        made = nodes.While(self._loop_test(node), block)
        return nodes.Sequence((*block, made)) if body.type == "do_expression" else made

    def _lower_for(self, node: Node) -> nodes.Statement:
        over = node.child_by_field_name("list")
        variable = node.child_by_field_name("variable")
        target = TOPIC if variable is None else self.expression(variable)
        items = nodes.Collection("list", self.items_of(over) if over is not None else ())
        if node.type == "postfix_for_expression":
            body = next(each for each in self.children(node) if each != over)
            return nodes.For(TOPIC, items, (self.single(body),))
        return nodes.For(target, items, self._block_of(node), (), variable is not None)

    def _counting_for(self, node: Node) -> nodes.Statement:
        parts = {
            name: next((each for each in node.children_by_field_name(name) if each.is_named), None) for name in _PARTS_OF_FOR
        }
        first, test, step = (parts[name] for name in _PARTS_OF_FOR)
        before = () if first is None else (self.statement(first),)
        condition = (
            YES if test is None else self.expression(self.children(test)[0] if test.type == "expression_statement" else test)
        )
        after = () if step is None else (nodes.ExpressionStatement(self.expression(step)),)
        return nodes.Scope((*before, nodes.While(condition, self._block_of(node), (), after)))

    def _lower_label(self, node: Node) -> nodes.Statement:
        label = self.text(node.child_by_field_name("label"))
        inner = node.child_by_field_name("statement")
        made: Any = nodes.Sequence(()) if inner is None else self.statement(inner)
        if type(made) is nodes.Scope and len(made.body) == 1 and type(made.body[0]) is nodes.While:
            return nodes.Scope((made.body[0]._replace(label=label),))
        labelled: nodes.Statement = (
            made._replace(label=label) if type(made) in (nodes.For, nodes.While, nodes.BreakableBlock) else made
        )
        return labelled

    def _jump(self, node: Node) -> nodes.Statement:
        kind = {"last": "break", "next": "continue"}.get(self.text(node.child_by_field_name("loopex")), "continue")
        label = self.text(next((each for each in node.named_children if each.type == "label"), None))
        return nodes.Jump(f"{kind} {label}" if label else kind)
