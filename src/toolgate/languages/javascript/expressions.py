"""Lowers a JavaScript tree to the evaluator's nodes: expressions and patterns."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from toolgate.languages import word_from_text
from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.values import FALSE, NULL, TRUE, Constant, Instance, Unknown
from toolgate.model.word import known_word

from .grammar import ESCAPES, parse_number

if TYPE_CHECKING:
    from tree_sitter import Node

_COMMENTS = ("comment", "html_comment", "hash_bang_line")
_EQUALITIES = {"===": "==", "==": "==", "!==": "!=", "!=": "!="}
_LOGICAL = {"&&": "and", "||": "or", "??": "??"}
_ITERATORS = ("Symbol.iterator", "Symbol.asyncIterator")
NULL_LITERAL = nodes.Literal(NULL)


def positional_arguments(*values: nodes.Expression) -> tuple[nodes.Argument, ...]:
    return tuple(nodes.Argument("positional", "", each) for each in values)


def call_super(arguments: tuple[nodes.Argument, ...]) -> nodes.Expression:
    """Returns a call of the base class's constructor for this instance."""
    return nodes.Call(nodes.Name("call super"), (*positional_arguments(nodes.Name("super"), nodes.Name("this")), *arguments))


class ExpressionLowering:
    """Lowers the expressions of one text. `uses`: for each enclosing function, which of `this` and `arguments` it uses."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._uses: list[set[str]] = [set()]
        literal = nodes.Literal
        self._expressions: dict[str, Callable[[Node], nodes.Expression]] = {
            "identifier": self._lower_identifier,
            "shorthand_property_identifier": self._lower_identifier,
            "shorthand_property_identifier_pattern": self._lower_identifier,
            "this": self._lower_this,
            "super": lambda _: nodes.Name("super"),
            "import": lambda _: nodes.Name("import"),
            "undefined": lambda _: NULL_LITERAL,
            "null": lambda _: NULL_LITERAL,
            "true": lambda _: literal(TRUE),
            "false": lambda _: literal(FALSE),
            "number": self._lower_number,
            "string": lambda node: literal(word_from_text(self.string_text(node))),
            "template_string": lambda node: nodes.Concatenation(tuple(self.lower_template(node))),
            "regex": self._lower_regex,
            "member_expression": self._lower_member,
            "subscript_expression": self._lower_subscript,
            "meta_property": lambda node: nodes.Name("".join(self.node_text(node).split())),
            "call_expression": self._lower_call,
            "new_expression": self._lower_new,
            "array": lambda node: nodes.Collection("array", self._lower_items(node)),
            "object": self._lower_object,
            "spread_element": lambda node: nodes.Spread(self._lower_inner(node)),
            "parenthesized_expression": self._lower_inner,
            "sequence_expression": self._lower_sequence,
            "await_expression": lambda node: nodes.Unary("await", self._lower_inner(node)),
            "yield_expression": self._lower_yield,
            "unary_expression": self._lower_unary,
            "update_expression": self._lower_update,
            "binary_expression": self._lower_binary,
            "ternary_expression": self._lower_ternary,
            "assignment_expression": lambda node: nodes.AssignmentExpression(
                self.lower_pattern(node.child_by_field_name("left")), self.lower_field(node, "right")
            ),
            "augmented_assignment_expression": self._lower_augmented,
            **dict.fromkeys(("arrow_function", "function_expression", "generator_function"), self.lower_function),
            "class": self.lower_class,
            **dict.fromkeys(
                ("as_expression", "satisfies_expression", "non_null_expression", "instantiation_expression"), self._lower_inner
            ),
            "type_assertion": lambda node: self.lower_expression(self.code_children(node)[-1]),
        }

    # ---- the tree

    def node_text(self, node: Node | None) -> str:
        return "" if node is None else self._data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def code_children(self, node: Node) -> list[Node]:
        """Returns the node's children without comments."""
        return [each for each in node.named_children if each.type not in _COMMENTS]

    def lower_field(self, node: Node, name: str) -> nodes.Expression:
        return self.lower_expression(node.child_by_field_name(name))

    def lower_expression(self, node: Node | None) -> nodes.Expression:
        if node is None:
            return NULL_LITERAL
        lower = self._expressions.get(node.type)
        if lower is not None:
            return lower(node)
        if node.type.endswith(("_type", "_annotation")) or node.type == "type_arguments":
            return NULL_LITERAL
        parts = self.code_children(node)
        if len(parts) == 1:
            return self.lower_expression(parts[0])
        if parts:
            return nodes.Collection("array", tuple(self.lower_expression(each) for each in parts))
        return nodes.Literal(Unknown("a part of the code"))

    def _lower_inner(self, node: Node) -> nodes.Expression:
        parts = self.code_children(node)
        return self.lower_expression(parts[0]) if parts else NULL_LITERAL

    # ---- names and literals

    def _lower_identifier(self, node: Node) -> nodes.Expression:
        name = self.node_text(node)
        if name == "arguments":
            self._uses[-1].add(name)
        return nodes.Name(name)

    def _lower_this(self, _node: Node) -> nodes.Expression:
        self._uses[-1].add("this")
        return nodes.Name("this")

    def _lower_number(self, node: Node) -> nodes.Expression:
        value = parse_number(self.node_text(node))
        return nodes.Literal(Unknown("a number") if value is None else Constant(value))

    def string_text(self, node: Node) -> str:
        text = self.node_text(node)[1:-1]
        if "\\" not in text:
            return text
        return "".join(map(self._decode_part, node.named_children))

    def _decode_part(self, node: Node) -> str:
        text = self.node_text(node)
        return ESCAPES.decode(text, text[1:]) if node.type == "escape_sequence" else text

    def lower_template(self, node: Node) -> list[nodes.Expression]:
        """Returns the parts of a template: texts, and the values between them."""
        parts: list[nodes.Expression] = []
        plain: list[str] = []
        for each in node.named_children:
            if each.type == "template_substitution":
                if plain:
                    parts.append(nodes.Literal(word_from_text("".join(plain))))
                    plain = []
                parts.append(self._lower_inner(each))
            elif each.type not in _COMMENTS:
                plain.append(self._decode_part(each))
        if plain or not parts:
            parts.append(nodes.Literal(word_from_text("".join(plain))))
        return parts

    def _lower_regex(self, node: Node) -> nodes.Expression:
        source, flags = (self.node_text(node.child_by_field_name(name)) for name in ("pattern", "flags"))
        return nodes.Literal(Instance("RegExp", {"source": known_word(source), "flags": known_word(flags)}))

    # ---- places

    def _lower_member(self, node: Node) -> nodes.Expression:
        return nodes.Attribute(self.lower_field(node, "object"), self.node_text(node.child_by_field_name("property")))

    def _lower_subscript(self, node: Node) -> nodes.Expression:
        owner, index = node.child_by_field_name("object"), node.child_by_field_name("index")
        if owner is not None and index is not None and owner.type == "identifier" and self.node_text(owner) == "await":
            parts = self.code_children(index) if index.type == "sequence_expression" else [index]
            return nodes.Collection("array", tuple(self.lower_expression(each) for each in parts))  # `await [a, b]`
        return nodes.Index(self.lower_expression(owner), self.lower_expression(index))

    def lower_key(self, node: Node | None) -> nodes.Expression:
        """Lowers the name of a property, computed or not."""
        if node is None:
            return NULL_LITERAL
        if node.type == "computed_property_name":
            text = "".join(self.node_text(node)[1:-1].split())
            return nodes.Literal(known_word("__iter__")) if text in _ITERATORS else self._lower_inner(node)
        if node.type == "string":
            return nodes.Literal(known_word(self.string_text(node)))
        return nodes.Literal(known_word(self.node_text(node)))

    def lower_pattern(self, node: Node | None) -> nodes.Expression:
        """Lowers the target of an assignment, a declaration or a parameter."""
        if node is None:
            return NULL_LITERAL
        match node.type:
            case "array_pattern" | "array":
                return nodes.Collection("array", tuple(self._lower_elements(node, self.lower_pattern)))
            case "object_pattern" | "object":
                return nodes.MapLiteral(tuple(self._lower_pattern_part(each) for each in self.code_children(node)))
            case "assignment_pattern" | "object_assignment_pattern" | "assignment_expression":
                return nodes.AssignmentExpression(
                    self.lower_pattern(node.child_by_field_name("left")), self.lower_field(node, "right")
                )
            case "rest_pattern" | "spread_element":
                return nodes.Spread(self.lower_pattern(node.named_children[0]))
            case "parenthesized_expression" | "non_null_expression" | "as_expression":
                return self.lower_pattern(node.named_children[0])
            case _:
                return self.lower_expression(node)

    def _lower_pattern_part(self, node: Node) -> tuple[nodes.Expression | None, nodes.Expression]:
        match node.type:
            case "pair_pattern" | "pair":
                return self.lower_key(node.child_by_field_name("key")), self.lower_pattern(node.child_by_field_name("value"))
            case "rest_pattern" | "spread_element":
                return None, self.lower_pattern(node.named_children[0])
            case "object_assignment_pattern" | "assignment_expression":
                return nodes.Literal(known_word(self.node_text(node.child_by_field_name("left")))), self.lower_pattern(node)
            case _:
                return nodes.Literal(known_word(self.node_text(node))), self.lower_expression(node)

    def _lower_elements(self, node: Node, lower: Callable[[Node], nodes.Expression]) -> list[nodes.Expression]:
        """Returns the elements of an array, with null for omitted ones."""
        found: list[nodes.Expression] = []
        is_open = True
        for each in node.children:
            if each.type == ",":
                if is_open:
                    found.append(NULL_LITERAL)
                is_open = True
            elif each.is_named and each.type not in _COMMENTS:
                found.append(lower(each))
                is_open = False
        return found

    # ---- calls

    def _lower_items(self, node: Node) -> tuple[nodes.Expression, ...]:
        return tuple(self._lower_elements(node, self.lower_expression))

    def _lower_arguments(self, node: Node | None) -> tuple[nodes.Argument, ...]:
        return tuple(
            nodes.Argument("spread", "", self._lower_inner(each))
            if each.type == "spread_element"
            else nodes.Argument("positional", "", self.lower_expression(each))
            for each in (self.code_children(node) if node is not None else ())
        )

    def _lower_call(self, node: Node) -> nodes.Expression:
        function, argument_list = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if argument_list is not None and argument_list.type == "template_string":
            return self._lower_tagged_template(self.lower_expression(function), argument_list)
        arguments = self._lower_arguments(argument_list)
        if function is not None and function.type == "super":
            self._uses[-1].add("this")
            return call_super(arguments)
        if function is not None and function.type == "member_expression" and self._is_super(function):
            self._uses[-1].add("this")
            method = nodes.Attribute(self._lower_member(function), "call")
            return nodes.Call(method, (*positional_arguments(nodes.Name("this")), *arguments))
        if function is not None and function.type == "identifier" and self.node_text(function) == "await" and arguments:
            return nodes.Unary("await", arguments[-1].value)  # `await (f)(x)`, as the grammar parses it outside of modules
        return nodes.Call(self.lower_expression(function), arguments)

    def _is_super(self, node: Node) -> bool:
        owner = node.child_by_field_name("object")
        return owner is not None and owner.type == "super"

    def _lower_tagged_template(self, tag: nodes.Expression, node: Node) -> nodes.Expression:
        """Passes the texts of the template, and the values between them, to a function."""
        texts: list[nodes.Expression] = [nodes.Literal(known_word(""))]
        values: list[nodes.Expression] = []
        is_text = [each.type != "template_substitution" for each in node.named_children]
        for part, text in zip(self.lower_template(node), _merge_text_runs(is_text), strict=False):
            if text:
                texts[-1] = part
            else:
                values.append(part)
                texts.append(nodes.Literal(known_word("")))
        return nodes.Call(tag, positional_arguments(nodes.Collection("array", tuple(texts)), *values))

    def _lower_new(self, node: Node) -> nodes.Expression:
        return nodes.Construction(
            self.lower_field(node, "constructor"), self._lower_arguments(node.child_by_field_name("arguments"))
        )

    def _lower_object(self, node: Node) -> nodes.Expression:
        pairs: list[tuple[nodes.Expression | None, nodes.Expression]] = []
        for each in self.code_children(node):
            match each.type:
                case "pair":
                    pairs.append((self.lower_key(each.child_by_field_name("key")), self.lower_field(each, "value")))
                case "spread_element":
                    pairs.append((None, self._lower_inner(each)))
                case "method_definition":
                    key, value = self.lower_method(each)
                    pairs.append((key, value))
                case _:
                    pairs.append((nodes.Literal(known_word(self.node_text(each))), self.lower_expression(each)))
        return nodes.MapLiteral(tuple(pairs))

    def lower_method(self, node: Node) -> tuple[nodes.Expression, nodes.Expression]:
        """Returns a method's name and function; a getter is a property, a setter has a name of its own."""
        key, made = self.lower_key(node.child_by_field_name("name")), self.lower_function(node)
        kinds = {each.type for each in node.children if not each.is_named}
        if "get" in kinds:
            return key, nodes.Call(nodes.Name("a getter"), positional_arguments(made))
        if "set" in kinds:
            return nodes.Concatenation((nodes.Literal(known_word("set ")), key)), made
        return key, made

    # ---- operators

    def _lower_sequence(self, node: Node) -> nodes.Expression:
        parts = tuple(self.lower_expression(each) for each in self.code_children(node))
        return nodes.Index(nodes.Collection("tuple", parts), nodes.Literal(Constant(-1)))

    def _lower_yield(self, node: Node) -> nodes.Expression:
        parts = self.code_children(node)
        return nodes.Yield(self.lower_expression(parts[0]) if parts else None, any(each.type == "*" for each in node.children))

    def _lower_unary(self, node: Node) -> nodes.Expression:
        operator, operand = self.node_text(node.child_by_field_name("operator")), self.lower_field(node, "argument")
        if operator == "typeof":
            return nodes.Call(nodes.Name("typeof"), positional_arguments(operand))
        return nodes.Unary("not" if operator == "!" else operator, operand)

    def _lower_update(self, node: Node) -> nodes.Expression:
        operator = self.node_text(node.child_by_field_name("operator"))[0]
        target = self.lower_field(node, "argument")
        one = nodes.Literal(Constant(1))
        made = nodes.AssignmentExpression(target, nodes.Operation(target, ((operator, one),)))
        if not node.children[0].is_named:  # `++i` is the new value, `i++` the old one
            return made
        return nodes.Operation(made, (("-" if operator == "+" else "+", one),))

    def _lower_binary(self, node: Node) -> nodes.Expression:
        operator = self.node_text(node.child_by_field_name("operator"))
        if operator in _LOGICAL:
            return nodes.Logical(_LOGICAL[operator], self._lower_operands(node, operator))
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if operator in _EQUALITIES or operator in ("<", ">", "<=", ">=", "in", "instanceof"):
            return nodes.Comparison(
                _EQUALITIES.get(operator, operator), self.lower_expression(left), self.lower_expression(right)
            )
        more: list[tuple[str, nodes.Expression]] = []
        first: Node | None = node
        while first is not None and first.type == "binary_expression":
            operator = self.node_text(first.child_by_field_name("operator"))
            if operator in _LOGICAL or operator in _EQUALITIES or operator in ("<", ">", "<=", ">=", "in", "instanceof"):
                break
            more.append((operator, self.lower_field(first, "right")))
            first = first.child_by_field_name("left")
        return nodes.Operation(self.lower_expression(first), tuple(reversed(more)))

    def _lower_operands(self, node: Node, operator: str) -> tuple[nodes.Expression, ...]:
        """Returns the operands of one operator, from left to right."""
        operands: list[nodes.Expression] = []
        left: Node | None = node
        while left is not None and left.type == "binary_expression":
            if self.node_text(left.child_by_field_name("operator")) != operator:
                break
            operands.append(self.lower_field(left, "right"))
            left = left.child_by_field_name("left")
        return (self.lower_expression(left), *reversed(operands))

    def _lower_ternary(self, node: Node) -> nodes.Expression:
        return nodes.Conditional(
            self.lower_field(node, "condition"), self.lower_field(node, "consequence"), self.lower_field(node, "alternative")
        )

    def _lower_augmented(self, node: Node) -> nodes.Expression:
        target, operator, value = self.split_augmented(node)
        if operator in _LOGICAL:
            return nodes.AssignmentExpression(target, nodes.Logical(_LOGICAL[operator], (target, value)))
        return nodes.AssignmentExpression(target, nodes.Operation(target, ((operator, value),)))

    def split_augmented(self, node: Node) -> tuple[nodes.Expression, str, nodes.Expression]:
        operator = self.node_text(node.child_by_field_name("operator")).removesuffix("=")
        return self.lower_field(node, "left"), operator, self.lower_field(node, "right")

    # ---- lowered with statements

    def lower_function(self, node: Node) -> nodes.Lambda:
        raise NotImplementedError

    def lower_class(self, node: Node) -> nodes.Expression:
        raise NotImplementedError


def _merge_text_runs(is_text: list[bool]) -> list[bool]:
    """Merges adjacent parts of text."""
    return [each for n, each in enumerate(is_text) if not (each and n and is_text[n - 1])] or [True]
