"""Lowers Go's declarations: imports, types, functions and variables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolgate.languages.evaluation import nodes
from toolgate.languages.scripting.lowering import call, number

from .expressions import ExpressionLowering

if TYPE_CHECKING:
    from tree_sitter import Node

_VERSION = re.compile(r"v\d+")
_DECORATION = re.compile(r"^go-|[-.]go$|\.v\d+$")


class DeclarationLowering(ExpressionLowering):
    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.results: list[str] = []
        """The names of the results of the current function."""

    def list_imports(self, node: Node) -> list[nodes.Statement]:
        found: list[nodes.Statement] = []
        specs = [
            one for each in node.named_children for one in (each.named_children if each.type == "import_spec_list" else [each])
        ]
        for each in specs:
            name, path = each.child_by_field_name("name"), self.text(each.child_by_field_name("path"))[1:-1]
            if each.type != "import_spec" or (name is not None and name.type == "blank_identifier"):
                continue
            if name is not None and name.type == "dot":
                found.append(nodes.Import(path, "*", ""))
            else:
                found.append(nodes.Import(path, "", self.name_of(name) if name is not None else package_name(path)))
        return found

    def note_types(self, node: Node) -> None:
        for each in self.children(node):
            kind = each.child_by_field_name("type")
            if kind is not None and kind.type != "interface_type":
                self.types[self.name_of(each.child_by_field_name("name"))] = kind

    def declare_types(self, node: Node) -> list[nodes.Statement]:
        """Lowers type declarations: a struct is a class; any other type converts what it is called with."""
        self.note_types(node)
        found: list[nodes.Statement] = []
        for each in self.children(node):
            name, kind = self.name_of(each.child_by_field_name("name")), each.child_by_field_name("type")
            if kind is None or kind.type == "interface_type":
                continue
            if kind.type == "struct_type":
                fields = self.list_fields(kind)
                listed = next((part for part in kind.named_children if part.type == "field_declaration_list"), None)
                embedded = [
                    one.child_by_field_name("type") for one in self.children(listed) if one.child_by_field_name("name") is None
                ]
                bases = tuple(self.type_reference(one) for one in embedded)
                found.append(nodes.ClassDefinition(name, bases, (), (), tuple(field for field, _ in fields)))
            elif kind.type in ("type_identifier", "qualified_type", "generic_type") and each.type == "type_alias":
                found.append(nodes.Declaration(nodes.Name(name), self.type_reference(kind)))
            else:
                found.append(nodes.Declaration(nodes.Name(name), nodes.Name("converted value")))
        return found

    def declare_method(self, node: Node) -> list[nodes.Statement]:
        owner = next((each for each in self.children(node.child_by_field_name("receiver"))), None)
        kind = self.type_reference(owner.child_by_field_name("type") if owner is not None else None)
        made = self.lower_function(node, self.text(node.child_by_field_name("name")))
        receiver = nodes.Parameter(
            "receiver", self.name_of(owner.child_by_field_name("name") if owner is not None else None), None
        )
        made = made._replace(parameters=(receiver, *made.parameters))
        if not isinstance(kind, nodes.Name):
            return [nodes.ExpressionStatement(made)]
        return [nodes.Assignment((nodes.Attribute(kind, made.name),), made)]

    def lower_function(self, node: Node, name: str) -> nodes.Lambda:
        outer = self.results
        self.results = []
        parameters = self._parameters(node.child_by_field_name("parameters"))
        declared: list[nodes.Statement] = []
        result = node.child_by_field_name("result")
        for each in self.children(result) if result is not None and result.type == "parameter_list" else ():
            for one in each.children_by_field_name("name"):
                self.results.append(self.name_of(one))
                declared.append(
                    nodes.Declaration(nodes.Name(self.name_of(one)), self.zero_value(each.child_by_field_name("type")))
                )
        body = node.child_by_field_name("body")
        try:
            return nodes.Lambda(name, parameters, (*declared, *self.body(body)))
        finally:
            self.results = outer

    def _parameters(self, node: Node | None) -> tuple[nodes.Parameter, ...]:
        found: list[nodes.Parameter] = []
        for each in self.children(node):
            kind = "rest" if each.type == "variadic_parameter_declaration" else "positional"
            names = [self.name_of(name) for name in each.children_by_field_name("name")] or [f"_{len(found)}"]
            default = self._typed_unknown(each.child_by_field_name("type")) if kind == "positional" else None
            found += [nodes.Parameter(kind, f"_{len(found)}" if name == "_" else name, default) for name in names]
        return tuple(found)

    def _typed_unknown(self, node: Node | None) -> nodes.Expression | None:
        """Returns what a parameter of a package's type is where the caller is unknown."""
        if node is not None and node.type == "pointer_type" and node.named_children:
            node = node.named_children[0]
        return call("value of type", self.type_reference(node)) if node is not None and node.type == "qualified_type" else None

    def lower_variables(self, node: Node) -> nodes.Statement:
        found: list[nodes.Statement] = []
        values: Node | None = None
        specs = [one for each in self.children(node) for one in (self.children(each) if each.type == "var_spec_list" else [each])]
        for n, each in enumerate(specs):
            names = [nodes.Name(self.name_of(name)) for name in each.children_by_field_name("name") if name.is_named]
            given = each.child_by_field_name("value")
            if each.type == "const_spec":
                self.iota, values = n, given if given is not None else values
            else:
                values = given
            if values is None:
                zero = self.zero_value(each.child_by_field_name("type"))
                found += [nodes.Declaration(name, zero) for name in names]
            else:
                found.append(nodes.Declaration(*self.pair_values(list(names), self.children(values))))
        return nodes.Sequence(tuple(found))

    def list_values(self, node: Node | None) -> list[Node]:
        """Returns the parts of a list of expressions, or the only expression."""
        return [] if node is None else self.children(node) if node.type == "expression_list" else [node]

    def pair_values(self, targets: list[nodes.Expression], values: list[Node]) -> tuple[nodes.Expression, nodes.Expression]:
        if len(targets) == 1 and len(values) == 1:
            return targets[0], self.expression(values[0])
        target = nodes.Collection("values", tuple(targets))
        if len(values) == 1:
            return target, call("results of", self.expression(values[0]), number(len(targets)))
        return target, nodes.Collection("values", tuple(map(self.expression, values)))


def package_name(path: str) -> str:
    """Returns the name that a package most likely has, by its import path: `github.com/redis/go-redis/v9` is `redis`."""
    parts = path.split("/")
    last = parts[-2] if len(parts) > 1 and _VERSION.fullmatch(parts[-1]) else parts[-1]
    return _DECORATION.sub("", _DECORATION.sub("", last)).replace("-", "_") or last or "_"
