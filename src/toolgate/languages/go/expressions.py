"""Lowers Go's expressions and types to the evaluator's nodes.

Internal functions have names with a space, which no Go program can use. A call may return several values: a list of the kind
`values`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.plain_documents import fold_name
from toolgate.languages.evaluation.values import FALSE, TRUE, Constant, Unknown
from toolgate.languages.scripting import grammars
from toolgate.languages.scripting.lowering import NOTHING, TreeLowering, call, number, positional, text

from .decoding import DECODES

if TYPE_CHECKING:
    from tree_sitter import Node

_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[0-7]{3}|.)", re.DOTALL)
_STORES_FLAG = re.compile(r"(?P<kind>String|Bool|Int|Int64|Uint|Uint64|Float64|Duration|StringSlice|StringArray)Var(?P<short>P?)")
_NUMBERS = frozenset(
    (
        *("int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr"),
        *("float32", "float64", "complex64", "complex128", "byte", "rune"),
    )
)
_LISTS = ("slice_type", "array_type", "implicit_length_array_type")


def parse(data: bytes) -> Node:
    return grammars.parse(data, "tree_sitter_go")


def _unescape(match: re.Match[str]) -> str:
    body = match[1]
    if body[0] in "xuU" and len(body) > 1:
        code = int(body[1:], 16)
        return chr(code) if code < 0x110000 else ""
    return chr(int(body, 8) & 0xFF) if len(body) == 3 else _PLAIN.get(body, body)


class ExpressionLowering(TreeLowering):
    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.iota = 0
        self.types: dict[str, Node] = {}
        """The types that the text declares, by name."""
        self._expressions.update(
            {
                "identifier": lambda node: nodes.Name(self.name_of(node)),
                "nil": lambda _: NOTHING,
                "true": lambda _: nodes.Literal(TRUE),
                "false": lambda _: nodes.Literal(FALSE),
                "iota": lambda _: number(self.iota),
                **dict.fromkeys(("int_literal", "float_literal"), self.number),
                "imaginary_literal": lambda _: nodes.Literal(Unknown("a number")),
                "rune_literal": self._lower_rune,
                "interpreted_string_literal": lambda node: text(_ESCAPE.sub(_unescape, self.text(node)[1:-1])),
                "raw_string_literal": lambda node: text(self.text(node)[1:-1].replace("\r", "")),
                "selector_expression": lambda node: nodes.Attribute(
                    self.field(node, "operand"), self.text(node.child_by_field_name("field"))
                ),
                "index_expression": self._lower_index,
                "type_instantiation_expression": lambda node: self.expression(node.named_children[0]),
                "slice_expression": lambda node: nodes.Slice(
                    self.field(node, "operand"), self._optional(node, "start"), self._optional(node, "end"), None
                ),
                "call_expression": self._lower_call,
                "type_conversion_expression": self._lower_conversion,
                "type_assertion_expression": lambda node: self.field(node, "operand"),
                "binary_expression": lambda node: self.operation(
                    self.operator(node), self.field(node, "left"), self.field(node, "right")
                ),
                "unary_expression": self._lower_unary,
                "parenthesized_expression": self.inner,
                "composite_literal": lambda node: self._literal_of_type(
                    node.child_by_field_name("type"), node.child_by_field_name("body")
                ),
                "literal_element": self.inner,
                "literal_value": lambda node: self._literal_of_type(None, node),
                "func_literal": lambda node: self.lower_function(node, "<lambda>"),
                **dict.fromkeys(("type_identifier", "qualified_type", "pointer_type", "generic_type"), self.type_reference),
            }
        )

    # ---- what statements define

    def lower_function(self, node: Node, name: str) -> nodes.Lambda:
        raise NotImplementedError

    # ---- values

    def _optional(self, node: Node, name: str) -> nodes.Expression | None:
        found = node.child_by_field_name(name)
        return None if found is None else self.expression(found)

    def name_of(self, node: Node | None) -> str:
        """Returns a name; `_` for one that is missing."""
        return self.text(node) or "_"

    def _lower_rune(self, node: Node) -> nodes.Expression:
        letter = _ESCAPE.sub(_unescape, self.text(node)[1:-1])
        return nodes.Literal(Constant(ord(letter)) if len(letter) == 1 else Unknown("a number"))

    def _lower_index(self, node: Node) -> nodes.Expression:
        index = node.child_by_field_name("index")
        if index is not None and (index.type.endswith("_type") or self.text(index) in ("string", "any", *_NUMBERS)):
            return self.field(node, "operand")  # a generic function with its type
        return nodes.Index(self.field(node, "operand"), self.expression(index))

    def _lower_unary(self, node: Node) -> nodes.Expression:
        operator, operand = self.operator(node), self.field(node, "operand")
        if operator in ("&", "*"):
            return operand  # a pointer is what it points to
        if operator == "<-":
            return call("received value", operand)
        return nodes.Unary("not" if operator == "!" else operator, operand)

    def _lower_conversion(self, node: Node) -> nodes.Expression:
        kind, operand = node.child_by_field_name("type"), self.field(node, "operand")
        if kind is not None and kind.type == "generic_type":
            return nodes.Call(self.type_reference(kind), positional(operand))
        return operand

    # ---- types

    def type_reference(self, node: Node | None) -> nodes.Expression:
        """Lowers the name of a type."""
        while node is not None and node.type in ("pointer_type", "generic_type", "parenthesized_type"):
            node = node.child_by_field_name("type") or (node.named_children[0] if node.named_children else None)
        if node is not None and node.type == "qualified_type":
            package, name = node.child_by_field_name("package"), node.child_by_field_name("name")
            return nodes.Attribute(nodes.Name(self.text(package)), self.text(name))
        if node is not None and node.type == "type_identifier":
            return nodes.Name(self.text(node))
        return NOTHING

    def underlying_type(self, node: Node | None) -> Node | None:
        """Returns the type that a name of the text stands for."""
        for _ in range(4):
            if node is not None and node.type == "pointer_type" and node.named_children:
                node = node.named_children[0]
            if node is None or node.type != "type_identifier" or self.text(node) not in self.types:
                return node
            found = self.types[self.text(node)]
            if found.type == "struct_type":
                return node
            node = found
        return node

    def zero_value(self, node: Node | None) -> nodes.Expression:
        """Returns the value of a variable of this type that nothing was assigned to."""
        kind = self.underlying_type(node) if node is not None and node.type == "type_identifier" else node
        if kind is None:
            return NOTHING
        name = self.text(kind)
        if name == "string":
            return text("")
        if name == "bool" or name in _NUMBERS:
            return nodes.Literal(FALSE) if name == "bool" else number(0)
        if kind.type in _LISTS:
            return nodes.Collection("array", ())
        if kind.type in ("map_type", "struct_type"):
            return nodes.MapLiteral(())
        if kind.type in ("qualified_type", "generic_type") or name in self.types:
            return call("made value", self.type_reference(kind), nodes.MapLiteral(()))
        return NOTHING

    def _literal_of_type(self, node: Node | None, body: Node | None) -> nodes.Expression:
        """Lowers a composite literal: a list, a map, or a struct as a map of its fields."""
        kind = self.underlying_type(node)
        parts = self.children(body)
        if kind is not None and kind.type in _LISTS:
            element = kind.child_by_field_name("element")
            return nodes.Collection("array", tuple(self._element(_value_part(each), element) for each in parts))
        if kind is not None and kind.type == "map_type":
            element = kind.child_by_field_name("value")
            keys = [each.child_by_field_name("key") for each in parts]
            pairs = [
                (self.expression(key), self._element(_value_part(each), element)) for key, each in zip(keys, parts, strict=True)
            ]
            return nodes.MapLiteral(tuple(pairs))
        if kind is not None and kind.type == "struct_type":
            return self._literal_of_fields(parts, self.list_fields(kind))
        if kind is None or not any(each.type == "keyed_element" for each in parts):
            declared = self.types.get(self.text(kind)) if kind is not None else None
            if declared is not None:
                made = self._literal_of_fields(parts, self.list_fields(declared))
            elif parts:
                return nodes.Collection("array", tuple(self._element(_value_part(each), None) for each in parts))
            else:
                made = nodes.MapLiteral(())
        else:
            declared = self.types.get(self.text(kind))
            made = self._literal_of_fields(parts, self.list_fields(declared) if declared is not None else [])
        return call("made value", self.type_reference(kind), made)

    def _literal_of_fields(self, parts: list[Node], fields: list[tuple[str, Node | None]]) -> nodes.MapLiteral:
        pairs: list[tuple[nodes.Expression | None, nodes.Expression]] = []
        kinds = dict(fields)
        for n, each in enumerate(parts):
            key = each.child_by_field_name("key") if each.type == "keyed_element" else None
            name = self.text(key) if key is not None else fields[n][0] if n < len(fields) else str(n)
            is_name = key is None or (key.named_child_count > 0 and key.named_children[0].type == "identifier")
            lowered = text(name) if is_name else self.expression(key)
            pairs.append((lowered, self._element(_value_part(each), kinds.get(name))))
        return nodes.MapLiteral(tuple(pairs))

    def _element(self, node: Node, kind: Node | None) -> nodes.Expression:
        """Lowers an element. A nested literal without a type has that of the elements."""
        inner = node.named_children[0] if node.type == "literal_element" and node.named_children else node
        return self._literal_of_type(kind, inner) if inner.type == "literal_value" else self.expression(inner)

    def list_fields(self, node: Node) -> list[tuple[str, Node | None]]:
        """Returns the names and types of a struct's fields; an embedded type's name is its own."""
        found: list[tuple[str, Node | None]] = []
        declared = next((each for each in node.named_children if each.type == "field_declaration_list"), None)
        for each in self.children(declared):
            kind = each.child_by_field_name("type")
            names = [self.name_of(name) for name in each.children_by_field_name("name")]
            found += [(name, kind) for name in names or [self.text(kind).rpartition(".")[2].lstrip("*")]]
        return found

    # ---- calls

    def arguments(self, parts: list[Node]) -> tuple[nodes.Argument, ...]:
        if len(parts) == 1 and parts[0].type == "call_expression":
            return (nodes.Argument("spread", "", call("all results", self.expression(parts[0]))),)
        return tuple(
            nodes.Argument("spread", "", self.inner(each))
            if each.type == "variadic_argument"
            else nodes.Argument("positional", "", self.expression(each))
            for each in parts
        )

    def _lower_call(self, node: Node) -> nodes.Expression:
        function, parts = node.child_by_field_name("function"), self.children(node.child_by_field_name("arguments"))
        name = self.text(function)
        if name in ("make", "new") and parts:
            return self._lower_making(name, parts)
        if function is not None and function.type == "selector_expression" and len(parts) > 1:
            stored = _STORES_FLAG.fullmatch(self.text(function.child_by_field_name("field")))
            if stored is not None and parts[0].type == "unary_expression":
                return self._store_flag(function, stored, parts)
        made = nodes.Call(self.expression(function), self.arguments(parts))
        if (decoded := self._decode_into(function, parts)) is not None:
            return nodes.Index(nodes.Collection("tuple", (made, decoded)), number(0))
        stored_names = [each for each in parts if each.type == "unary_expression" and self._is_pointer_to_name(each)]
        if not stored_names:
            return made
        targets = [self.field(each, "operand") for each in stored_names]
        after = [nodes.AssignmentExpression(each, call("value after a call", each)) for each in targets]
        return nodes.Index(nodes.Collection("tuple", (made, *after)), number(0))

    def _decode_into(self, function: Node | None, parts: list[Node]) -> nodes.Expression | None:
        """Lowers what `json.Unmarshal(data, &c)` stores: the variable has what the document sets. None for other calls."""
        name = function.child_by_field_name("field") if function is not None and function.type == "selector_expression" else None
        if function is None or name is None or DECODES.fullmatch(self.text(name)) is None or not parts:
            return None
        pointer = next((each for each in parts[1:] if each.type in ("unary_expression", "identifier")), parts[0])
        if pointer.type == "unary_expression" and not self._is_pointer_to_name(pointer):
            return None
        target = self.field(pointer, "operand") if pointer.type == "unary_expression" else self.expression(pointer)
        source = self.field(function, "operand") if pointer is parts[0] else self.expression(parts[0])
        if not isinstance(target, nodes.Name):
            return None
        names = nodes.MapLiteral(tuple((text(folded), text(field)) for folded, field in self.list_document_names().items()))
        return nodes.AssignmentExpression(target, call("decoded value", target, text(self.text(function)), source, names))

    def list_document_names(self) -> dict[str, str]:
        """Returns the fields of the text's structs by their names in documents: that of a tag, or the field's own."""
        found: dict[str, str] = {}
        for name, tags in _FIELD.findall(self._data.decode(errors="replace")):
            found.setdefault(fold_name(name), name)
            for tag in _TAG.findall(tags):
                found[fold_name(tag)] = name
        return found

    def _is_pointer_to_name(self, node: Node) -> bool:
        operand = node.child_by_field_name("operand")
        return self.operator(node) == "&" and operand is not None and operand.type == "identifier"

    def _store_flag(self, function: Node, stored: re.Match[str], parts: list[Node]) -> nodes.Expression:
        """Lowers `flag.StringVar(&dir, "dir", "out", "usage")`: the variable has the flag's value."""
        rest = [each for n, each in enumerate(parts[1:]) if not (stored["short"] and n == 1)]
        owner = nodes.Attribute(self.field(function, "operand"), stored["kind"])
        return nodes.AssignmentExpression(self.field(parts[0], "operand"), nodes.Call(owner, self.arguments(rest)))

    def _lower_making(self, name: str, parts: list[Node]) -> nodes.Expression:
        kind: Any = self.underlying_type(parts[0])
        if name == "new":
            return self.zero_value(parts[0])
        if kind is not None and kind.type == "channel_type":
            return call("made channel")
        if kind is not None and kind.type in _LISTS:
            return call("made list", *(self.expression(each) for each in parts[1:2]))
        return nodes.MapLiteral(())


_FIELD = re.compile(r"(?:^|[{;])[ \t]*([A-Z]\w*)[ \t]+[^\s=:(;]+[^\n`;{}]*(?:`([^`\n]*)`)?", re.MULTILINE)
_TAG = re.compile(r"\b(?:json|yaml|toml|mapstructure):\"([\w-]+)")


def _value_part(node: Node) -> Node:
    return node.child_by_field_name("value") or node
