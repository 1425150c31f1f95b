"""Lowers a JavaScript tree to the evaluator's nodes: expressions and patterns."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from toolgate.languages import word
from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.values import FALSE, NULL, TRUE, Constant, Instance, Unknown
from toolgate.model.word import known

from .grammar import parse_number, unescape

if TYPE_CHECKING:
    from tree_sitter import Node

_COMMENTS = ("comment", "html_comment", "hash_bang_line")
_EQUALITIES = {"===": "==", "==": "==", "!==": "!=", "!=": "!="}
_LOGICAL = {"&&": "and", "||": "or", "??": "??"}
_ITERATORS = ("Symbol.iterator", "Symbol.asyncIterator")
NOTHING = nodes.Literal(NULL)


def positional(*values: nodes.Expression) -> tuple[nodes.Argument, ...]:
    return tuple(nodes.Argument("positional", "", each) for each in values)


def call_super(arguments: tuple[nodes.Argument, ...]) -> nodes.Expression:
    """Returns a call of the base class's constructor for this instance."""
    return nodes.Call(nodes.Name("call super"), (*positional(nodes.Name("super"), nodes.Name("this")), *arguments))


class ExpressionLowering:
    """Lowers the expressions of one text. `uses`: for each enclosing function, which of `this` and `arguments` it uses."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._uses: list[set[str]] = [set()]
        literal = nodes.Literal
        self._expressions: dict[str, Callable[[Node], nodes.Expression]] = {
            "identifier": self._identifier,
            "shorthand_property_identifier": self._identifier,
            "shorthand_property_identifier_pattern": self._identifier,
            "this": self._this,
            "super": lambda _: nodes.Name("super"),
            "import": lambda _: nodes.Name("import"),
            "undefined": lambda _: NOTHING,
            "null": lambda _: NOTHING,
            "true": lambda _: literal(TRUE),
            "false": lambda _: literal(FALSE),
            "number": self._number,
            "string": lambda node: literal(word(self.string(node))),
            "template_string": lambda node: nodes.Concatenation(tuple(self.template(node))),
            "regex": self._regex,
            "member_expression": self._member,
            "subscript_expression": self._subscript,
            "meta_property": lambda node: nodes.Name("".join(self.text(node).split())),
            "call_expression": self._call,
            "new_expression": self._new,
            "array": lambda node: nodes.Collection("array", self._items(node)),
            "object": self._object,
            "spread_element": lambda node: nodes.Spread(self._inner(node)),
            "parenthesized_expression": self._inner,
            "sequence_expression": self._sequence,
            "await_expression": lambda node: nodes.Unary("await", self._inner(node)),
            "yield_expression": self._yield,
            "unary_expression": self._unary,
            "update_expression": self._update,
            "binary_expression": self._binary,
            "ternary_expression": self._ternary,
            "assignment_expression": lambda node: nodes.AssignedExpression(
                self.pattern(node.child_by_field_name("left")), self.field(node, "right")
            ),
            "augmented_assignment_expression": self._augmented,
            **dict.fromkeys(("arrow_function", "function_expression", "generator_function"), self.function),
            "class": self.class_expression,
            **dict.fromkeys(
                ("as_expression", "satisfies_expression", "non_null_expression", "instantiation_expression"), self._inner
            ),
            "type_assertion": lambda node: self.expression(self.children(node)[-1]),
        }

    # ---- the tree

    def text(self, node: Node | None) -> str:
        return "" if node is None else self._data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def children(self, node: Node) -> list[Node]:
        """Returns the node's children without comments."""
        return [each for each in node.named_children if each.type not in _COMMENTS]

    def field(self, node: Node, name: str) -> nodes.Expression:
        return self.expression(node.child_by_field_name(name))

    def expression(self, node: Node | None) -> nodes.Expression:
        if node is None:
            return NOTHING
        lower = self._expressions.get(node.type)
        if lower is not None:
            return lower(node)
        if node.type.endswith(("_type", "_annotation")) or node.type == "type_arguments":
            return NOTHING
        parts = self.children(node)
        if len(parts) == 1:
            return self.expression(parts[0])
        if parts:
            return nodes.Collection("array", tuple(self.expression(each) for each in parts))
        return nodes.Literal(Unknown("a part of the code"))

    def _inner(self, node: Node) -> nodes.Expression:
        parts = self.children(node)
        return self.expression(parts[0]) if parts else NOTHING

    # ---- names and literals

    def _identifier(self, node: Node) -> nodes.Expression:
        name = self.text(node)
        if name == "arguments":
            self._uses[-1].add(name)
        return nodes.Name(name)

    def _this(self, _node: Node) -> nodes.Expression:
        self._uses[-1].add("this")
        return nodes.Name("this")

    def _number(self, node: Node) -> nodes.Expression:
        value = parse_number(self.text(node))
        return nodes.Literal(Unknown("a number") if value is None else Constant(value))

    def string(self, node: Node) -> str:
        text = self.text(node)[1:-1]
        if "\\" not in text:
            return text
        return "".join(
            unescape(self.text(each)) if each.type == "escape_sequence" else self.text(each) for each in node.named_children
        )

    def template(self, node: Node) -> list[nodes.Expression]:
        """Returns the parts of a template: texts, and the values between them."""
        parts: list[nodes.Expression] = []
        plain: list[str] = []
        for each in node.named_children:
            if each.type == "template_substitution":
                if plain:
                    parts.append(nodes.Literal(word("".join(plain))))
                    plain = []
                parts.append(self._inner(each))
            elif each.type not in _COMMENTS:
                plain.append(unescape(self.text(each)) if each.type == "escape_sequence" else self.text(each))
        if plain or not parts:
            parts.append(nodes.Literal(word("".join(plain))))
        return parts

    def _regex(self, node: Node) -> nodes.Expression:
        return nodes.Literal(Instance("RegExp", {"source": known(self.text(node.child_by_field_name("pattern")))}))

    # ---- places

    def _member(self, node: Node) -> nodes.Expression:
        return nodes.Attribute(self.field(node, "object"), self.text(node.child_by_field_name("property")))

    def _subscript(self, node: Node) -> nodes.Expression:
        owner, index = node.child_by_field_name("object"), node.child_by_field_name("index")
        if owner is not None and index is not None and owner.type == "identifier" and self.text(owner) == "await":
            parts = self.children(index) if index.type == "sequence_expression" else [index]
            return nodes.Collection("array", tuple(self.expression(each) for each in parts))  # `await [a, b]`
        return nodes.Index(self.expression(owner), self.expression(index))

    def key(self, node: Node | None) -> nodes.Expression:
        """Lowers the name of a property, computed or not."""
        if node is None:
            return NOTHING
        if node.type == "computed_property_name":
            text = "".join(self.text(node)[1:-1].split())
            return nodes.Literal(known("__iter__")) if text in _ITERATORS else self._inner(node)
        if node.type == "string":
            return nodes.Literal(known(self.string(node)))
        return nodes.Literal(known(self.text(node)))

    def pattern(self, node: Node | None) -> nodes.Expression:
        """Lowers the target of an assignment, a declaration or a parameter."""
        if node is None:
            return NOTHING
        match node.type:
            case "array_pattern" | "array":
                return nodes.Collection("array", tuple(self._elements(node, self.pattern)))
            case "object_pattern" | "object":
                return nodes.MapLiteral(tuple(self._part_of_pattern(each) for each in self.children(node)))
            case "assignment_pattern" | "object_assignment_pattern" | "assignment_expression":
                return nodes.AssignedExpression(self.pattern(node.child_by_field_name("left")), self.field(node, "right"))
            case "rest_pattern" | "spread_element":
                return nodes.Spread(self.pattern(node.named_children[0]))
            case "parenthesized_expression" | "non_null_expression" | "as_expression":
                return self.pattern(node.named_children[0])
            case _:
                return self.expression(node)

    def _part_of_pattern(self, node: Node) -> tuple[nodes.Expression | None, nodes.Expression]:
        match node.type:
            case "pair_pattern" | "pair":
                return self.key(node.child_by_field_name("key")), self.pattern(node.child_by_field_name("value"))
            case "rest_pattern" | "spread_element":
                return None, self.pattern(node.named_children[0])
            case "object_assignment_pattern" | "assignment_expression":
                return nodes.Literal(known(self.text(node.child_by_field_name("left")))), self.pattern(node)
            case _:
                return nodes.Literal(known(self.text(node))), self.expression(node)

    def _elements(self, node: Node, lower: Callable[[Node], nodes.Expression]) -> list[nodes.Expression]:
        """Returns the elements of an array, with null for omitted ones."""
        found: list[nodes.Expression] = []
        is_open = True
        for each in node.children:
            if each.type == ",":
                if is_open:
                    found.append(NOTHING)
                is_open = True
            elif each.is_named and each.type not in _COMMENTS:
                found.append(lower(each))
                is_open = False
        return found

    # ---- calls

    def _items(self, node: Node) -> tuple[nodes.Expression, ...]:
        return tuple(self._elements(node, self.expression))

    def _arguments(self, node: Node | None) -> tuple[nodes.Argument, ...]:
        return tuple(
            nodes.Argument("spread", "", self._inner(each))
            if each.type == "spread_element"
            else nodes.Argument("positional", "", self.expression(each))
            for each in (self.children(node) if node is not None else ())
        )

    def _call(self, node: Node) -> nodes.Expression:
        function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if given is not None and given.type == "template_string":
            return self._tagged(self.expression(function), given)
        arguments = self._arguments(given)
        if function is not None and function.type == "super":
            self._uses[-1].add("this")
            return call_super(arguments)
        if function is not None and function.type == "member_expression" and self._is_super(function):
            self._uses[-1].add("this")
            method = nodes.Attribute(self._member(function), "call")
            return nodes.Call(method, (*positional(nodes.Name("this")), *arguments))
        if function is not None and function.type == "identifier" and self.text(function) == "await" and arguments:
            return nodes.Unary("await", arguments[-1].value)  # `await (f)(x)`, as the grammar parses it outside of modules
        return nodes.Call(self.expression(function), arguments)

    def _is_super(self, node: Node) -> bool:
        owner = node.child_by_field_name("object")
        return owner is not None and owner.type == "super"

    def _tagged(self, tag: nodes.Expression, node: Node) -> nodes.Expression:
        """Passes the texts of the template, and the values between them, to a function."""
        texts: list[nodes.Expression] = [nodes.Literal(known(""))]
        values: list[nodes.Expression] = []
        is_text = [each.type != "template_substitution" for each in node.named_children]
        for part, text in zip(self.template(node), _runs(is_text), strict=False):
            if text:
                texts[-1] = part
            else:
                values.append(part)
                texts.append(nodes.Literal(known("")))
        return nodes.Call(tag, positional(nodes.Collection("array", tuple(texts)), *values))

    def _new(self, node: Node) -> nodes.Expression:
        return nodes.Construction(self.field(node, "constructor"), self._arguments(node.child_by_field_name("arguments")))

    def _object(self, node: Node) -> nodes.Expression:
        pairs: list[tuple[nodes.Expression | None, nodes.Expression]] = []
        for each in self.children(node):
            match each.type:
                case "pair":
                    pairs.append((self.key(each.child_by_field_name("key")), self.field(each, "value")))
                case "spread_element":
                    pairs.append((None, self._inner(each)))
                case "method_definition":
                    key, value = self.method(each)
                    pairs.append((key, value))
                case _:
                    pairs.append((nodes.Literal(known(self.text(each))), self.expression(each)))
        return nodes.MapLiteral(tuple(pairs))

    def method(self, node: Node) -> tuple[nodes.Expression, nodes.Expression]:
        """Returns a method's name and function; a getter is a property, a setter has a name of its own."""
        key, made = self.key(node.child_by_field_name("name")), self.function(node)
        kinds = {each.type for each in node.children if not each.is_named}
        if "get" in kinds:
            return key, nodes.Call(nodes.Name("a getter"), positional(made))
        if "set" in kinds:
            return nodes.Concatenation((nodes.Literal(known("set ")), key)), made
        return key, made

    # ---- operators

    def _sequence(self, node: Node) -> nodes.Expression:
        parts = tuple(self.expression(each) for each in self.children(node))
        return nodes.Index(nodes.Collection("tuple", parts), nodes.Literal(Constant(-1)))

    def _yield(self, node: Node) -> nodes.Expression:
        parts = self.children(node)
        return nodes.Yielded(self.expression(parts[0]) if parts else None, any(each.type == "*" for each in node.children))

    def _unary(self, node: Node) -> nodes.Expression:
        operator, operand = self.text(node.child_by_field_name("operator")), self.field(node, "argument")
        if operator == "typeof":
            return nodes.Call(nodes.Name("typeof"), positional(operand))
        return nodes.Unary("not" if operator == "!" else operator, operand)

    def _update(self, node: Node) -> nodes.Expression:
        operator = self.text(node.child_by_field_name("operator"))[0]
        target = self.field(node, "argument")
        one = nodes.Literal(Constant(1))
        made = nodes.AssignedExpression(target, nodes.Operation(target, ((operator, one),)))
        if not node.children[0].is_named:  # `++i` is the new value, `i++` the old one
            return made
        return nodes.Operation(made, (("-" if operator == "+" else "+", one),))

    def _binary(self, node: Node) -> nodes.Expression:
        operator = self.text(node.child_by_field_name("operator"))
        if operator in _LOGICAL:
            return nodes.Logical(_LOGICAL[operator], self._spine(node, operator))
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if operator in _EQUALITIES or operator in ("<", ">", "<=", ">=", "in", "instanceof"):
            return nodes.Comparison(_EQUALITIES.get(operator, operator), self.expression(left), self.expression(right))
        more: list[tuple[str, nodes.Expression]] = []
        first: Node | None = node
        while first is not None and first.type == "binary_expression":
            operator = self.text(first.child_by_field_name("operator"))
            if operator in _LOGICAL or operator in _EQUALITIES or operator in ("<", ">", "<=", ">=", "in", "instanceof"):
                break
            more.append((operator, self.field(first, "right")))
            first = first.child_by_field_name("left")
        return nodes.Operation(self.expression(first), tuple(reversed(more)))

    def _spine(self, node: Node, operator: str) -> tuple[nodes.Expression, ...]:
        """Returns the operands of one operator, from left to right."""
        operands: list[nodes.Expression] = []
        left: Node | None = node
        while left is not None and left.type == "binary_expression":
            if self.text(left.child_by_field_name("operator")) != operator:
                break
            operands.append(self.field(left, "right"))
            left = left.child_by_field_name("left")
        return (self.expression(left), *reversed(operands))

    def _ternary(self, node: Node) -> nodes.Expression:
        return nodes.Conditional(self.field(node, "condition"), self.field(node, "consequence"), self.field(node, "alternative"))

    def _augmented(self, node: Node) -> nodes.Expression:
        target, operator, value = self.augmented_parts(node)
        if operator in _LOGICAL:
            return nodes.AssignedExpression(target, nodes.Logical(_LOGICAL[operator], (target, value)))
        return nodes.AssignedExpression(target, nodes.Operation(target, ((operator, value),)))

    def augmented_parts(self, node: Node) -> tuple[nodes.Expression, str, nodes.Expression]:
        operator = self.text(node.child_by_field_name("operator")).removesuffix("=")
        return self.field(node, "left"), operator, self.field(node, "right")

    # ---- lowered with statements

    def function(self, node: Node) -> nodes.Lambda:
        raise NotImplementedError

    def class_expression(self, node: Node) -> nodes.Expression:
        raise NotImplementedError


def _runs(is_text: list[bool]) -> list[bool]:
    """Merges adjacent parts of text."""
    return [each for n, each in enumerate(is_text) if not (each and n and is_text[n - 1])] or [True]
