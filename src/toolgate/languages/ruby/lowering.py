"""Lowers a Ruby syntax tree to the evaluator's nodes.

A name that was assigned before is a variable, any other name a call. A block is the argument `block` of its call; `@name` is the
attribute `@name` of `self`; `$name` and constants are global.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.values import FALSE, NULL, TRUE, Instance, Unknown
from toolgate.languages.scripting import grammars
from toolgate.languages.scripting.lowering import (
    NOTHING,
    YES,
    call,
    number,
    positional,
    put_together,
    text,
    value_of,
)

from .functions import FunctionLowering

if TYPE_CHECKING:
    from tree_sitter import Node

_SELF = nodes.Name("self")
_SKIPPED = ("heredoc_body", "empty_statement", "undef", "alias", "retry", "redo", "uninterpreted")


def parse(data: bytes) -> Node:
    return grammars.parse(data, "tree_sitter_ruby")


class RubyLowering(FunctionLowering):
    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        literal = nodes.Literal
        self._expressions.update(
            {
                **dict.fromkeys(("nil",), lambda _: NOTHING),
                "true": lambda _: literal(TRUE),
                "false": lambda _: literal(FALSE),
                "self": lambda _: _SELF,
                **dict.fromkeys(("integer", "float"), self.number),
                **dict.fromkeys(("string", "bare_string", "string_content"), self.string),
                "chained_string": lambda node: put_together([self.expression(each) for each in self.children(node)]),
                "character": lambda node: text(self.text(node)[1:]),
                **dict.fromkeys(("delimited_symbol", "bare_symbol"), self.string),
                **dict.fromkeys(("simple_symbol", "hash_key_symbol"), self.symbol),
                **dict.fromkeys(("string_array", "symbol_array"), self.string_words),
                "heredoc_beginning": self.heredoc,
                "subshell": lambda node: call("`", put_together(self._parts(node))),
                "regex": self._regex,
                "identifier": self._identifier,
                "constant": lambda node: nodes.Name(self.text(node)),
                "global_variable": lambda node: nodes.Name(self.text(node)),
                **dict.fromkeys(("instance_variable", "class_variable"), self._own_variable),
                "scope_resolution": self._scope_resolution,
                "call": self.call,
                "super": lambda _: self.call_super(None),
                "yield": self._yield,
                "element_reference": self._element,
                "array": lambda node: nodes.Collection("array", self._items(node)),
                **dict.fromkeys(
                    ("right_assignment_list", "exceptions"), lambda node: nodes.Collection("array", self._items(node))
                ),
                "hash": self._hash,
                "splat_argument": lambda node: nodes.Spread(self.inner(node)),
                "range": self._range,
                "binary": self._binary,
                "unary": self._unary,
                "conditional": lambda node: nodes.Conditional(
                    self.field(node, "condition"),
                    self.field(node, "consequence"),
                    self.field(node, "alternative"),
                ),
                "assignment": self._assignment,
                "operator_assignment": self._lower_augmented_assignment,
                "parenthesized_statements": self._several,
                "then": self._several,
                "lambda": self.block_function,
                **dict.fromkeys(("block", "do_block"), self.block_function),
                "rescue_modifier": lambda node: nodes.Logical(
                    "or", (literal(Unknown("a test")), self.field(node, "body"), self.field(node, "handler"))
                ),
            }
        )
        self._statements.update(
            {
                **dict.fromkeys(("if", "unless", "if_modifier", "unless_modifier"), self._if),
                **dict.fromkeys(("while", "until", "while_modifier", "until_modifier"), self._while),
                "for": self._lower_for,
                **dict.fromkeys(("case", "case_match"), self.case_statement),
                "begin": lambda node: nodes.Sequence(self.lower_rescue(self.children(node))),
                "body_statement": lambda node: nodes.Sequence(self.lower_rescue(self.children(node))),
                **dict.fromkeys(("begin_block", "end_block", "block_body"), lambda node: nodes.Sequence(self.body(node))),
                "method": self.method,
                "singleton_method": self.method,
                "class": self.class_definition,
                "module": self.class_definition,
                "singleton_class": self.singleton_class,
                "return": lambda node: nodes.Return(self._value_of_jump(node)),
                "break": lambda node: self._leave(node, "break"),
                "next": lambda node: self._leave(node, "continue"),
                **dict.fromkeys(_SKIPPED, lambda _: nodes.Sequence(())),
            }
        )

    def program(self, node: Node) -> nodes.Block:
        self.find_heredocs(node)
        self.find_methods(node)
        return self.block(self.children(node))

    # ---- names

    def _identifier(self, node: Node) -> nodes.Expression:
        name = self.text(node)
        if name in self.locals:
            return nodes.Name(name)
        if name in ("__FILE__", "__dir__", "__method__"):
            return nodes.Name(name)
        return nodes.Call(self.function_named(name), ())

    def _own_variable(self, node: Node) -> nodes.Expression:
        name = self.text(node)
        return nodes.Name(name) if name.startswith("@@") else nodes.Attribute(_SELF, name)

    def _scope_resolution(self, node: Node) -> nodes.Expression:
        scope, name = node.child_by_field_name("scope"), self.text(node.child_by_field_name("name"))
        return nodes.Name(name) if scope is None else nodes.Attribute(self.expression(scope), name)

    def _regex(self, node: Node) -> nodes.Expression:
        parts = self._parts(node)
        made: Any = put_together(parts)
        if type(made) is nodes.Literal:
            return nodes.Literal(Instance("pattern", {"source": made.value}))
        return call("a pattern", made)

    # ---- containers

    def _items(self, node: Node) -> tuple[nodes.Expression, ...]:
        parts = self.children(node)
        pairs = [each for each in parts if each.type == "pair"]
        items = tuple(self.expression(each) for each in parts if each.type != "pair")
        return (*items, self._map(pairs)) if pairs else items

    def _hash(self, node: Node) -> nodes.Expression:
        return self._map(self.children(node))

    def _map(self, parts: list[Node]) -> nodes.Expression:
        pairs: list[tuple[nodes.Expression | None, nodes.Expression]] = []
        for each in parts:
            if each.type == "pair":
                key, value = each.child_by_field_name("key"), each.child_by_field_name("value")
                assert key is not None
                value_expression = nodes.Name(self.text(key).rstrip(":")) if value is None else self.expression(value)
                pairs.append((self.expression(key), value_expression))
            else:
                pairs.append((None, self.inner(each)))
        return nodes.MapLiteral(tuple(pairs))

    def _range(self, node: Node) -> nodes.Expression:
        low, high = self.field(node, "begin"), self.field(node, "end")
        return call("range", low, high, text(self.operator(node)))

    def _element(self, node: Node) -> nodes.Expression:
        owner, *keys = self.children(node)
        key_expressions = [self.expression(each) for each in keys]
        if keys and keys[0].type == "range":
            ends = [each.child_by_field_name(name) for each in keys[:1] for name in ("begin", "end")]
            low, high = (None if each is None else self.expression(each) for each in ends)
            if high is not None and ends[1] is not None and self.operator(keys[0]) == "..":
                is_last = self.text(ends[1]) == "-1"
                high = None if is_last else nodes.Operation(high, (("+", number(1)),))
            return nodes.Slice(self.expression(owner), low, high, None)
        if owner.type == "constant" and self.text(owner) in ("Dir", "Set", "Hash", "Array"):
            return nodes.Call(nodes.Attribute(nodes.Name(self.text(owner)), "[]"), positional(*key_expressions))
        if len(key_expressions) > 1:
            end = nodes.Operation(key_expressions[0], (("+", key_expressions[1]),))
            return nodes.Slice(self.expression(owner), key_expressions[0], end, None)
        return nodes.Index(self.expression(owner), key_expressions[0] if key_expressions else NOTHING)

    # ---- operators

    def _binary(self, node: Node) -> nodes.Expression:
        operator, right = self.operator(node), self.field(node, "right")
        left: Any = self.field(node, "left")
        if operator == "<<":
            made = call("append to", left, right)
            return nodes.AssignmentExpression(left, made) if isinstance(left, nodes.Name | nodes.Attribute) else made
        return self.operation(operator, left, right)

    def _unary(self, node: Node) -> nodes.Expression:
        operator = self.operator(node)
        if operator == "defined?":
            return nodes.Literal(Unknown("a test"))
        if operator == "+":
            return self.field(node, "operand")
        return nodes.Unary("not" if operator in ("!", "not") else operator, self.field(node, "operand"))

    def _several(self, node: Node) -> nodes.Expression:
        parts = self.children(node)
        if len(parts) == 1:
            return self.expression(parts[0])
        return value_of(nodes.Sequence(self.block(parts))) if parts else NOTHING

    def _assignment(self, node: Node) -> nodes.Expression:
        left = node.child_by_field_name("left")
        value: Any = self.field(node, "right")
        if isinstance(value, nodes.Spread):
            value = nodes.Collection("array", (value,))
        target = self.target(left)
        return nodes.AssignmentExpression(target, value)

    def _lower_augmented_assignment(self, node: Node) -> nodes.Expression:
        left = node.child_by_field_name("left")
        operator, value = self.operator(node).removesuffix("="), self.field(node, "right")
        return self.augment(self.target(left), operator, value)

    def target(self, node: Node | None) -> nodes.Expression:
        """Returns the target of an assignment."""
        if node is None:
            return NOTHING
        match node.type:
            case "identifier":
                self.assign_local(self.text(node))
                return nodes.Name(self.text(node))
            case "constant":
                return nodes.Name(self.text(node)) if self.is_in_class else self.global_name(self.text(node))
            case "global_variable":
                return self.global_name(self.text(node))
            case "class_variable":
                return self.global_name(self.text(node))
            case "left_assignment_list" | "destructured_left_assignment" | "destructured_parameter":
                return nodes.Collection("array", tuple(self.target(each) for each in self.children(node)))
            case "rest_assignment" | "splat_parameter":
                parts = self.children(node)
                return nodes.Spread(self.target(parts[0]) if parts else nodes.Name("*"))
            case "call":
                return nodes.Attribute(self.field(node, "receiver"), self.text(node.child_by_field_name("method")))
            case _:
                return self.expression(node)

    def statement(self, node: Node) -> nodes.Statement:
        left = node.child_by_field_name("left") if node.type == "assignment" else None
        if left is not None and left.type == "constant" and self.is_in_class:
            name = nodes.Name(self.text(left))
            made = nodes.Declaration(name, self.field(node, "right"))
            return nodes.Sequence((made, nodes.Assignment((self.global_name(name.name),), name)))
        if node.type == "operator_assignment" and self.operator(node) in ("+=", "*="):
            target = self.target(node.child_by_field_name("left"))
            return nodes.AugmentedAssignment(target, self.operator(node)[0], self.field(node, "right"))
        return super().statement(node)

    # ---- branches and loops

    def _if(self, node: Node) -> nodes.Statement:
        test = self.field(node, "condition")
        if node.type.startswith("unless"):
            test = nodes.Unary("not", test)
        if node.type.endswith("_modifier"):
            body = node.child_by_field_name("body")
            return nodes.If(((test, () if body is None else (self.statement(body),)),), ())
        arms = [(test, self.body(node.child_by_field_name("consequence")))]
        other = node.child_by_field_name("alternative")
        while other is not None and other.type == "elsif":
            arms.append((self.field(other, "condition"), self.body(other.child_by_field_name("consequence"))))
            other = other.child_by_field_name("alternative")
        return nodes.If(tuple(arms), self.body(other))

    def _while(self, node: Node) -> nodes.Statement:
        test = self.field(node, "condition")
        if node.type.startswith("until"):
            test = nodes.Unary("not", test)
        body = node.child_by_field_name("body")
        self.in_loop += 1
        block = (self.statement(body),) if body is not None and node.type.endswith("_modifier") else self.body(body)
        self.in_loop -= 1
        made = nodes.While(test, block)
        is_first = body is not None and body.type == "begin" and node.type.endswith("_modifier")
        return nodes.Sequence((*block, made)) if is_first else made

    def _lower_for(self, node: Node) -> nodes.Statement:
        target = self.target(node.child_by_field_name("pattern"))
        value = node.child_by_field_name("value")
        over = self.inner(value) if value is not None else NOTHING
        self.in_loop += 1
        body = self.body(node.child_by_field_name("body"))
        self.in_loop -= 1
        return nodes.For(target, over, body)

    def _leave(self, node: Node, kind: str) -> nodes.Statement:
        """Lowers `break` and `next`: a jump inside a loop, the block's value inside a block."""
        return nodes.Jump(kind) if self.in_loop else nodes.Return(self._value_of_jump(node))

    def _value_of_jump(self, node: Node) -> nodes.Expression | None:
        parts = [one for each in self.children(node) for one in self.children(each)]
        if len(parts) == 1 and parts[0].type != "splat_argument":
            return self.expression(parts[0])
        return nodes.Collection("array", tuple(self.expression(each) for each in parts)) if parts else None

    # ---- calls

    def _yield(self, node: Node) -> nodes.Expression:
        self.uses_block = True
        parts = [one for each in self.children(node) for one in self.children(each)]
        return nodes.Call(nodes.Name("block"), self.arguments(parts))

    def call(self, node: Node) -> nodes.Expression:
        receiver, method = node.child_by_field_name("receiver"), node.child_by_field_name("method")
        argument_list, block = node.child_by_field_name("arguments"), node.child_by_field_name("block")
        name = self.text(method) or "call"
        if method is not None and method.type == "super":
            return self.call_super(argument_list)
        arguments = self.arguments(self.children(argument_list))
        if receiver is None and name in ("loop",) and block is not None:
            body = nodes.While(YES, self.block_body(block))
            return value_of(nodes.Sequence((body,)))
        if receiver is None and name in ("raise", "fail"):
            return value_of(nodes.Raise(arguments[0].value if arguments else None))
        if receiver is None and name == "block_given?":
            self.uses_block = True
            return nodes.Logical("and", (nodes.Name("block"), nodes.Literal(TRUE)))
        if receiver is None and name in ("binding", "private", "public", "protected", "attr_accessor", "attr_reader"):
            return nodes.Collection("array", tuple(each.value for each in arguments))
        if block is not None:
            arguments = (*arguments, nodes.Argument("named", "block", self.block_function(block)))
        if receiver is None:
            function = nodes.Name(name) if method is not None and name in self.locals else self.function_named(name)
            return nodes.Call(function, arguments)
        owner: Any = self.expression(receiver)
        if isinstance(owner, nodes.Name) and name[:1].isupper() and not arguments and self.operator(node) == "::":
            return nodes.Attribute(owner, name)
        function = nodes.Attribute(owner, name)
        if self.operator(node) == "&.":
            return nodes.Conditional(owner, nodes.Call(function, arguments), nodes.Literal(NULL))
        return nodes.Call(function, arguments)

    def arguments(self, parts: list[Node]) -> tuple[nodes.Argument, ...]:
        """Lowers the arguments of a call. `name: value` is a named argument; other pairs form one map."""
        found: list[nodes.Argument] = []
        pairs: list[Node] = []
        for each in parts:
            match each.type:
                case "splat_argument":
                    found.append(nodes.Argument("spread", "", self.inner(each)))
                case "hash_splat_argument":
                    found.append(nodes.Argument("spread-map", "", self.inner(each)))
                case "block_argument":
                    found.append(nodes.Argument("named", "block", self._block_argument(each)))
                case "pair":
                    key, value = each.child_by_field_name("key"), each.child_by_field_name("value")
                    assert key is not None
                    if key.type == "hash_key_symbol":
                        name = self.text(key)
                        value_expression = self._identifier(key) if value is None else self.expression(value)
                        found.append(nodes.Argument("named", name, value_expression))
                    elif key.type == "simple_symbol":
                        found.append(nodes.Argument("named", self.text(key)[1:], self.expression(value)))
                    else:
                        pairs.append(each)
                case _:
                    found.append(nodes.Argument("positional", "", self.expression(each)))
        if pairs:
            found.append(nodes.Argument("positional", "", self._map(pairs)))
        return tuple(found)

    def _block_argument(self, node: Node) -> nodes.Expression:
        parts = self.children(node)
        if not parts:
            self.uses_block = True
            return nodes.Name("block")
        if parts[0].type == "simple_symbol":
            return call("function of a symbol", self.symbol(parts[0]))
        return self.expression(parts[0])
