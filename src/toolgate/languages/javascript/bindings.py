"""Which names a text declares, in which scope, and where the value of each comes from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .grammar import FUNCTIONS, Scopes, Tree, inner, text
from .values import Code, Name, Value, beneath, module

if TYPE_CHECKING:
    from tree_sitter import Node

_FIRST = frozenset(("forEach", "map", "filter", "some", "every", "find", "flatMap", "findIndex"))


REST = "..."


@dataclass(frozen=True, slots=True)
class Bound:
    """Where the value of a name comes from: an expression, then a way into it (names of members; `*`: each of them). Nothing
    at all where nobody knows; a call and (REST, number): its arguments from there on."""

    node: Node | None
    way: tuple[str, ...] = ()
    value: Value | None = None


class Bindings:
    def __init__(self, tree: Tree) -> None:
        self.scopes = Scopes(tree.of("scope"))
        self.returned: dict[int, list[Node]] = {}
        self._bound: dict[tuple[int, str], list[Bound]] = {}
        self._calls: dict[str, list[Node]] = {}
        self._given_to: dict[int, str] = {}
        self._called_at: dict[int, Node] = {}
        self._handed_to: dict[int, Node] = {}
        self._learn(tree)

    def of(self, scope: int, name: str) -> list[Bound] | None:
        """All that a name declared in this very scope is given; None where it is not."""
        return self._bound.get((scope, name))

    def _learn(self, tree: Tree) -> None:
        for function in tree.of("function"):
            name = function.child_by_field_name("name")
            if name is not None and function.type.endswith("_declaration"):
                self._bind(self.scopes.outside(self.scopes.at(function.start_byte)), text(name), Bound(None, (), Code(function)))
        for node in tree.of("returned"):
            owner = self.scopes.function_at(node.start_byte)
            self.returned.setdefault(owner.id, []).extend(inner(node))
        self._place_functions(tree)
        for function in tree.of("function"):
            self._parameters(function)
        for node in tree.of("imported"):
            self._imported(node)
        var = {child.id for node in tree.of("var") for child in node.named_children}
        for node in tree.of("declared"):
            target, value = node.child_by_field_name("name"), node.child_by_field_name("value")
            if target is not None:
                scope = self.scopes.at(node.start_byte)
                scope = self.scopes.of_function(scope) if node.id in var else scope
                self._pattern(scope, target, Bound(value) if value is not None else None)
        for node in tree.of("looped"):
            self._loop(node)
        for node in tree.of("assigned"):
            self._assigned(node)

    def _loop(self, node: Node) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None and right is not None:
            self._pattern(self.scopes.at(left.start_byte), left, Bound(right, ("*",)))

    def _assigned(self, node: Node) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return
        scope = self.scopes.at(node.start_byte)
        if left.type == "identifier":
            scope = self._declaring(scope, text(left))
        whole = node.type == "assignment_expression"
        self._pattern(scope, left, Bound(right) if whole else Bound(None))

    def _declaring(self, scope: int, name: str) -> int:
        while scope > 0 and (scope, name) not in self._bound:
            scope = self.scopes.outside(scope)
        return max(scope, 0)

    def _bind(self, scope: int, name: str, bound: Bound) -> None:
        self._bound.setdefault((max(scope, 0), name), []).append(bound)

    def _pattern(self, scope: int, target: Node, bound: Bound | None) -> None:
        """A name, or names taken out of an object or an array."""
        match target.type:
            case "identifier" | "shorthand_property_identifier_pattern":
                key = () if target.type == "identifier" else (text(target),)
                if bound is None:
                    self._bound.setdefault((scope, text(target)), [])
                else:
                    self._bind(scope, text(target), Bound(bound.node, bound.way + key, bound.value))
            case "object_pattern" | "array_pattern":
                for n, part in enumerate(inner(target)):
                    way = (str(n),) if target.type == "array_pattern" else ()
                    self._pattern(scope, part, Bound(bound.node, bound.way + way, bound.value) if bound is not None else None)
            case "pair_pattern":
                key_node, part_node = target.child_by_field_name("key"), target.child_by_field_name("value")
                if part_node is not None:
                    key = (text(key_node).strip("'\"`"),)
                    self._pattern(
                        scope, part_node, Bound(bound.node, bound.way + key, bound.value) if bound is not None else None
                    )
            case "assignment_pattern" | "object_assignment_pattern":
                default, part_node = target.child_by_field_name("right"), target.child_by_field_name("left")
                if part_node is not None:
                    self._pattern(scope, part_node, bound)
                    self._pattern(
                        scope, part_node, Bound(default) if default is not None and part_node.type == "identifier" else None
                    )
            case "required_parameter" | "optional_parameter" | "rest_pattern":
                for part in inner(target)[:1]:
                    self._pattern(scope, part, bound)
            case _:
                pass

    def _imported(self, node: Node) -> None:
        source = node.child_by_field_name("source")
        clause = next((child for child in inner(node) if child.type in ("import_clause", "import_require_clause")), None)
        if clause is None:
            return
        source = source or clause.child_by_field_name("source")
        name = module(text(source).strip("'\"")) if source is not None else Name("?")
        for part in inner(clause):
            if part.type == "identifier":
                self._bind(0, text(part), Bound(None, (), name))
            elif part.type == "namespace_import":
                self._bind(0, text(next(reversed(inner(part)), None)), Bound(None, (), name))
            elif part.type == "named_imports":
                for each in inner(part):
                    names = [text(child).strip("'\"") for child in inner(each)]  # none, where the text is broken off
                    if names:
                        self._bind(0, names[-1], Bound(None, (), beneath(name, names[0])))

    def _parameters(self, function: Node) -> None:
        """What a function is called with, where the text calls it: by its name, as a callback, or on the spot."""
        listed = function.child_by_field_name("parameters")
        single = function.child_by_field_name("parameter")
        parameters = [single] if single is not None else inner(listed) if listed is not None else []
        scope = self.scopes.at(function.start_byte)
        for n, parameter in enumerate(parameters):
            rest = parameter.type == "rest_pattern" or (bool(inner(parameter)) and inner(parameter)[0].type == "rest_pattern")
            for bound in list(self._given(function, n, rest)) or [Bound(None)]:
                self._pattern(scope, parameter, bound)

    def _given(self, function: Node, n: int, rest: bool) -> Iterator[Bound]:
        """What comes to the nth parameter, or to it and all after it."""
        name = text(function.child_by_field_name("name")) or self._given_to.get(function.id, "")
        calls = list(self._calls.get(name, ())) if name else []
        if (call := self._called_at.get(function.id)) is not None:
            calls.append(call)
        elif (call := self._handed_to.get(function.id)) is not None:
            yield from _called_back(call, n)
        for call in calls:
            given = call.child_by_field_name("arguments")
            parts = inner(given) if given is not None and given.type == "arguments" else []
            if rest:
                yield Bound(call, (REST, str(n)))
            elif n < len(parts) and parts[n].type != "spread_element":
                yield Bound(parts[n])

    def _place_functions(self, tree: Tree) -> None:
        """Where a function without a name of its own goes: into a name, into a call, or it is called on the spot."""
        for kind, field, value in (("declared", "name", "value"), ("assigned", "left", "right"), ("pair", "key", "value")):
            for node in tree.of(kind):
                held = _bare(node.child_by_field_name(value))
                if held is not None and held.type in FUNCTIONS:
                    target = node.child_by_field_name(field)
                    last = (
                        target.child_by_field_name("property")
                        if target is not None and target.type == "member_expression"
                        else target
                    )
                    self._given_to[held.id] = text(last).strip("'\"")
        for call in tree.of("call"):
            callee = call.child_by_field_name("function") or call.child_by_field_name("constructor")
            last = (
                callee.child_by_field_name("property")
                if callee is not None and callee.type == "member_expression"
                else _bare(callee)
            )
            if last is not None and last.type in ("identifier", "property_identifier", "private_property_identifier"):
                self._calls.setdefault(text(last), []).append(call)
            elif last is not None and last.type in FUNCTIONS:
                self._called_at[last.id] = call
            given = call.child_by_field_name("arguments")
            for part in inner(given) if given is not None else ():
                if (held := _bare(part)) is not None and held.type in FUNCTIONS:
                    self._handed_to[held.id] = call


def _bare(node: Node | None) -> Node | None:
    """Without the brackets around it."""
    while node is not None and node.type == "parenthesized_expression" and inner(node):
        node = inner(node)[-1]
    return node


def _called_back(call: Node, n: int) -> Iterator[Bound]:
    """`list.forEach(f)` gives its members, `promise.then(f)` what it holds, another call what it comes to after an error."""
    callee = call.child_by_field_name("function")
    target = callee.child_by_field_name("object") if callee is not None and callee.type == "member_expression" else None
    verb = text(callee.child_by_field_name("property")) if callee is not None and target is not None else ""
    if verb in _FIRST or verb == "then":
        if n == 0:
            yield Bound(target, ("*",) if verb in _FIRST else ())
    elif n > 0:
        yield Bound(call)
