"""Lowers Ruby methods, blocks and classes to the evaluator's nodes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from toolgate.languages.evaluation import nodes
from toolgate.languages.scripting.lowering import NOTHING, call, positional, return_last, text

from .strings import StringLowering

if TYPE_CHECKING:
    from tree_sitter import Node

_SELF = nodes.Name("self")
_RECEIVER = nodes.Parameter("receiver", "self", None)
_BLOCK = nodes.Parameter("named", "block", NOTHING)


class FunctionLowering(StringLowering):
    """Lowers functions. `locals`: the names that are variables here; `in_loop`: the number of enclosing loops in the function."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.locals: set[str] = set()
        self.assigned: list[str] = []
        """Names that the enclosing method assigns."""
        self.uses_block = False
        self.in_loop = 0
        self._classes: list[str] = []
        self._methods: list[tuple[str, list[str]]] = []
        """The enclosing methods, each with its parameter names."""
        self._methods_of_classes: set[str] = set()

    @property
    def is_in_class(self) -> bool:
        return bool(self._classes)

    def find_methods(self, root: Node) -> None:
        """Collects the names of the methods that classes of this text define."""
        waiting = [(root, False)]
        while waiting:
            node, is_inside = waiting.pop()
            if node.type in ("method", "singleton_method"):
                if is_inside:
                    self._methods_of_classes.add(self.text(node.child_by_field_name("name")))
                is_inside = False
            is_inside = is_inside or node.type in ("class", "module", "singleton_class")
            waiting += [(each, is_inside) for each in node.named_children]

    def function_named(self, name: str) -> nodes.Expression:
        """Returns the expression for a method called without a receiver."""
        if self._classes and name in self._methods_of_classes:
            return nodes.Attribute(_SELF, name)
        return nodes.Name(name)

    def global_name(self, name: str) -> nodes.Expression:
        return nodes.Attribute(nodes.Name("globals"), name)

    def assign_local(self, name: str) -> None:
        self.locals.add(name)
        self.assigned.append(name)

    # ---- bodies

    def lower_rescue(self, parts: list[Node]) -> nodes.Block:
        """Lowers statements together with their `rescue`, `else` and `ensure` clauses."""
        body = self.block(each for each in parts if each.type not in ("rescue", "else", "ensure"))
        handlers: list[tuple[tuple[str, ...], nodes.Block]] = []
        alternative: nodes.Block = ()
        final: nodes.Block = ()
        for each in parts:
            if each.type == "rescue":
                variable = each.child_by_field_name("variable")
                names = tuple(self.text(one) for one in self.children(variable))
                self.locals.update(names)
                handlers.append((names, self.body(each.child_by_field_name("body"))))
            elif each.type == "else":
                alternative = self.body(each)
            elif each.type == "ensure":
                final = self.body(each)
        if not handlers and not final:
            return body
        return (nodes.Try(body, tuple(handlers), alternative, final),)

    def function_body(self, node: Node | None) -> nodes.Block:
        if node is None:
            return ()
        if node.type in ("body_statement", "block_body"):
            return self.lower_rescue(self.children(node))
        return (self.statement(node),)

    @contextmanager
    def _scope(self, names: set[str], *, is_method: bool) -> Iterator[None]:
        before = self.locals, self.assigned, self.in_loop, self.uses_block
        self.locals = names if is_method else self.locals | names
        self.in_loop = 0
        if is_method:
            self.assigned, self.uses_block = [], False
        yield
        uses = self.uses_block
        self.locals, self.assigned, self.in_loop, self.uses_block = before
        self.uses_block = self.uses_block or (uses and not is_method)

    # ---- cases

    def case_statement(self, node: Node) -> nodes.Statement:
        subject = node.child_by_field_name("value")
        name = f"the subject of line {node.start_point[0]}"
        cases: list[tuple[nodes.Expression | None, nodes.Block]] = []
        arms: list[tuple[nodes.Expression, nodes.Block]] = []
        alternative: nodes.Block = ()
        for each in self.children(node):
            if each.type == "when":
                body = self.body(each.child_by_field_name("body"))
                for pattern in each.children_by_field_name("pattern"):
                    literal: Any = self.inner(pattern)
                    cases.append((literal if type(literal) is nodes.Literal else None, body))
                    arms.append((literal, body))
            elif each.type == "in_clause":
                bound = nodes.Assignment((self._pattern(each.child_by_field_name("pattern")),), nodes.Name(name))
                cases.append((None, (bound, *self.body(each.child_by_field_name("body")))))
            elif each.type == "else":
                alternative = self.body(each)
                cases.append((None, alternative))
        if subject is None:
            return nodes.If(tuple(arms), alternative)
        return nodes.Switch(self.expression(subject), name, tuple(cases))

    def _pattern(self, node: Node | None) -> nodes.Expression:
        """Returns the targets that a pattern stores into; a part that is only compared yields nothing."""
        match "" if node is None else node.type:
            case "identifier":
                return self.target(node)
            case "array_pattern":
                return nodes.Collection("array", tuple(self._pattern(each) for each in self.children(node)))
            case "splat_parameter":
                return self.target(node)
            case "hash_pattern":
                assert node is not None
                return nodes.MapLiteral(tuple(self._part_of_pattern(each) for each in self.children(node)))
            case _:
                return nodes.Name("*")

    def _part_of_pattern(self, node: Node) -> tuple[nodes.Expression | None, nodes.Expression]:
        key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
        if key is None:
            return None, nodes.Name("*")
        if value is None:
            self.assign_local(self.text(key))
            return self.expression(key), nodes.Name(self.text(key))
        return self.expression(key), self._pattern(value)

    # ---- functions

    def method(self, node: Node) -> nodes.Statement:
        name = self.text(node.child_by_field_name("name"))
        if name.endswith("=") and name[:1].isalpha():
            name = f"set {name[:-1]}"
        with self._scope(set(), is_method=True):
            parameters, prologue = self._parameters(node.child_by_field_name("parameters"))
            self._methods.append((name, [each.name for each in parameters]))
            own = len(self.assigned)
            block = return_last(self.function_body(node.child_by_field_name("body")))
            self._methods.pop()
            names = {each.name for each in parameters}
            declared = dict.fromkeys(each for each in self.assigned[own:] if each not in names)
            start = tuple(nodes.Declaration(nodes.Name(each), NOTHING) for each in declared)
        is_own = node.type == "singleton_method" or self._is_singleton
        binding = "class" if is_own and self._classes else "method"
        own_parameters = (_BLOCK, _RECEIVER) if self._classes else (_BLOCK,)
        made = nodes.Lambda(name, (*parameters, *own_parameters), (*start, *prologue, *block), binding=binding)
        return nodes.Declaration(nodes.Name(name), made)

    _is_singleton = False

    def _parameters(self, node: Node | None) -> tuple[list[nodes.Parameter], list[nodes.Statement]]:
        found: list[nodes.Parameter] = []
        prologue: list[nodes.Statement] = []
        for number, each in enumerate(self.children(node)):
            name = self.text(each.child_by_field_name("name") or each)
            value = each.child_by_field_name("value")
            match each.type:
                case "optional_parameter":
                    found.append(nodes.Parameter("positional", name, self.expression(value)))
                case "splat_parameter":
                    found.append(nodes.Parameter("rest", name.lstrip("*") or "*", None))
                case "keyword_parameter":
                    found.append(nodes.Parameter("named", name, None if value is None else self.expression(value)))
                case "hash_splat_parameter":
                    found.append(nodes.Parameter("rest-map", name.lstrip("*") or "**", None))
                case "block_parameter":
                    if name.lstrip("&"):
                        self.locals.add(name)
                        prologue.append(nodes.Declaration(nodes.Name(name), nodes.Name("block")))
                    continue
                case "destructured_parameter":
                    name = f"parameter {number}"
                    found.append(nodes.Parameter("positional", name, None))
                    prologue.append(nodes.Declaration(self.target(each), nodes.Name(name)))
                case _:
                    found.append(nodes.Parameter("positional", name, None))
            self.locals.add(name)
        return found, prologue

    def block_function(self, node: Node) -> nodes.Lambda:
        """Lowers a block or a lambda. A block with several parameters destructures a single list argument."""
        with self._scope(set(), is_method=False):
            parameter_list = node.child_by_field_name("parameters")
            parameters, prologue = self._parameters(parameter_list)
            simple = [each for each in parameters if each.kind in ("positional", "rest")]
            if node.type != "lambda" and (len(simple) > 1 or (simple and simple[0].kind == "rest")):
                targets = tuple(
                    nodes.Spread(nodes.Name(each.name)) if each.kind == "rest" else nodes.Name(each.name) for each in simple
                )
                everything = call("arguments of a block", nodes.Name("arguments"))
                prologue.insert(0, nodes.Declaration(nodes.Collection("array", targets), everything))
                parameters = [nodes.Parameter("all", "arguments", None), *(each for each in parameters if each not in simple)]
            if parameter_list is None and node.type != "lambda":
                self.locals |= {"_1", "it"}
                parameters = [nodes.Parameter("positional", "_1", None)]
                prologue = [nodes.Declaration(nodes.Name("it"), nodes.Name("_1"))]
            block = return_last(self.block_body(node))
        return nodes.Lambda("<lambda>", tuple(parameters), (*prologue, *block))

    def block_body(self, node: Node) -> nodes.Block:
        body = node.child_by_field_name("body")
        if node.type == "lambda" and body is not None:
            body = body.child_by_field_name("body")
        return self.function_body(body)

    def call_super(self, argument_list: Node | None) -> nodes.Expression:
        """Lowers `super`: calls the parent's method of the same name, by default with the same arguments."""
        name, names = self._methods[-1] if self._methods else ("initialize", [])
        own = nodes.Name(self._classes[-1] if self._classes else "Object")
        arguments = (
            self.arguments(self.children(argument_list)) if argument_list is not None else positional(*map(nodes.Name, names))
        )
        return nodes.Call(nodes.Name("call super"), (*positional(own, _SELF, text(name)), *arguments))

    def arguments(self, parts: list[Node]) -> tuple[nodes.Argument, ...]:
        raise NotImplementedError

    def target(self, node: Node | None) -> nodes.Expression:
        raise NotImplementedError

    # ---- classes

    def class_definition(self, node: Node) -> nodes.Statement:
        name = self.text(node.child_by_field_name("name")).rpartition("::")[2]
        base = node.child_by_field_name("superclass")
        bases = [] if base is None else [self.inner(base)]
        body = node.child_by_field_name("body")
        for each in self.children(body):
            if each.type == "call" and self.text(each.child_by_field_name("method")) in ("include", "extend", "prepend"):
                bases += [self.expression(one) for one in self.children(each.child_by_field_name("arguments"))]
        with self._scope(set(), is_method=True):
            self._classes.append(name)
            receiver = nodes.Declaration(_SELF, nodes.Name(name))
            block = self.body(body)
            self._classes.pop()
        made = nodes.ClassDefinition(name, tuple(bases), (receiver, *block), (), ())
        return nodes.Sequence((made, nodes.Assignment((self.global_name(name),), nodes.Name(name))))

    def singleton_class(self, node: Node) -> nodes.Statement:
        """Lowers `class << self`, whose methods belong to the class itself."""
        before, self._is_singleton = self._is_singleton, True
        block = self.body(node.child_by_field_name("body"))
        self._is_singleton = before
        return nodes.Sequence(block)
