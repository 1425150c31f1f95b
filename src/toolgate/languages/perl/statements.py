"""Lowers Perl statements, assignments and subroutines to the evaluator's nodes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.values import Unknown
from toolgate.languages.scripting.lowering import NOTHING, call, return_last, value_of
from toolgate.model.word import known_word

from .loops import LoopLowering
from .strings import TOPIC

if TYPE_CHECKING:
    from tree_sitter import Node

SINGLE = (
    *("scalar", "number", "string_literal", "interpolated_string_literal", "array_element_expression", "autoquoted_bareword"),
    *("hash_element_expression", "anonymous_array_expression", "anonymous_hash_expression", "heredoc_token"),
)
"""Node kinds that are always a single value in a list."""
_SKIPPED = ("eof_marker", "data_section", "no_statement", "heredoc_content", "empty_statement")
_BRANCHING = ("lowprec_logical_expression", "binary_expression")


class StatementLowering(LoopLowering):
    """Lowers statements.

    `functions`: this text's subroutines by full name; `package`: the current package; `depth`: number of enclosing subroutines.
    """

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.functions: set[str] = set()
        self.package = "main"
        self.depth = 0
        self._statements.update(
            {
                "expression_statement": self._expression_statement,
                "block_statement": lambda node: nodes.BreakableBlock((nodes.Scope(self.body(node)),)),
                "block": lambda node: nodes.Scope(self.body(node)),
                "conditional_statement": self._if,
                "postfix_conditional_expression": self._postfix_if,
                "loop_statement": self._while,
                "postfix_loop_expression": self._postfix_while,
                **dict.fromkeys(("for_statement", "postfix_for_expression"), self._lower_for),
                "cstyle_for_statement": self._counting_for,
                "statement_label": self._lower_label,
                "loopex_expression": self._jump,
                "return_expression": self._return,
                "package_statement": self._package,
                "subroutine_declaration_statement": lambda _: nodes.Sequence(()),
                "use_statement": self._use,
                "phaser_statement": lambda node: nodes.Sequence(
                    tuple(one for each in node.named_children if each.type == "block" for one in self.body(each))
                ),
                "try_statement": self._try,
                **dict.fromkeys(_SKIPPED, lambda _: nodes.Sequence(())),
            }
        )

    # ---- the whole text

    def program(self, node: Node) -> nodes.Block:
        self.find_heredocs(node)
        self._find_functions(node)
        return self.block(self.children(node))

    def _find_functions(self, root: Node) -> None:
        package = "main"
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if node.type == "package_statement":
                package = self.text(node.child_by_field_name("name"))
            elif node.type == "subroutine_declaration_statement":
                self.functions.add(self.qualify_name(self.text(node.child_by_field_name("name")), package))
            elif node.type == "use_statement" and self.text(node.child_by_field_name("module")) == "constant":
                words = [each for each in node.named_children if each.type != "package"]
                names = words[0].named_children[:1] if words and words[0].type == "list_expression" else []
                self.functions.update(self.qualify_name(self.text(each), package) for each in names)
            elif node.type == "assignment_expression" and (left := node.child_by_field_name("left")) and left.type == "glob":
                self.functions.add(self.qualify_name(self.text(left)[1:], package))
            waiting += reversed(node.named_children)

    def qualify_name(self, name: str, package: str | None = None) -> str:
        package = self.package if package is None else package
        name = name.removeprefix("main::").removeprefix("::")
        return name if "::" in name or package == "main" else f"{package}::{name}"

    def function_named(self, name: str) -> nodes.Expression:
        full = self.qualify_name(name)
        return nodes.Name(f"&{full}" if full in self.functions else name)

    def block(self, parts: Iterable[Node]) -> nodes.Block:
        """Lowers statements in order, subroutine declarations first."""
        parts = list(parts)
        outer = self.package
        found: list[nodes.Statement] = []
        for each in parts:
            if each.type == "package_statement":
                self.package = self.text(each.child_by_field_name("name"))
            elif each.type == "subroutine_declaration_statement":
                name = self.qualify_name(self.text(each.child_by_field_name("name")))
                found.append(nodes.Assignment((nodes.Attribute(nodes.Name("globals"), f"&{name}"),), self.subroutine(each)))
        self.package = outer
        return (*found, *super().block(parts))

    # ---- subroutines

    def subroutine(self, node: Node) -> nodes.Lambda:
        self.depth += 1
        body = self.body(node.child_by_field_name("body"))
        signature = next((each for each in node.named_children if each.type == "signature"), None)
        own: list[nodes.Statement] = [nodes.Declaration(nodes.Name("@_"), call("dereferenced", nodes.Name("@_")))]
        targets: list[nodes.Expression] = []
        for each in self.children(signature):
            parts = self.children(each)
            target = self.expression(parts[0]) if parts else nodes.Name("$")
            default = each.child_by_field_name("default")
            if each.type == "slurpy_parameter":
                targets.append(nodes.Spread(target))
            else:
                targets.append(target if default is None else nodes.AssignmentExpression(target, self.expression(default)))
        if targets:
            own.append(nodes.Declaration(nodes.Collection("list", tuple(targets)), nodes.Name("@_")))
        self.depth -= 1
        return nodes.Lambda("<lambda>", (nodes.Parameter("all", "@_", None),), (*own, *return_last(body)))

    def value_block(self, node: Node) -> nodes.Block:
        return return_last(self.body(node))

    def value_of_block(self, node: Node) -> nodes.Expression:
        body: Any = self.body(node)
        if len(body) == 1 and type(body[0]) is nodes.ExpressionStatement:
            return body[0].value
        return value_of(nodes.Scope(body))

    def topic_function(self, node: Node | None) -> nodes.Lambda:
        """Lowers a block or an expression to a function of `$_`."""
        if node is not None and node.type == "block":
            block = self.value_block(node)
        else:
            block = (nodes.Return(nodes.Collection("list", self.items_of(node)) if node is not None else NOTHING),)
        return nodes.Lambda("<lambda>", (nodes.Parameter("positional", "$_", None),), block)

    def items_of(self, node: Node) -> tuple[Any, ...]:
        raise NotImplementedError

    def lower_try(self, block: Node) -> nodes.Expression:
        return value_of(nodes.Try(self.body(block), (((), ()),), (), ()))

    def _try(self, node: Node) -> nodes.Statement:
        blocks = [each for each in node.named_children if each.type == "block"]
        handlers = tuple(((), self.body(each)) for each in blocks[1:])
        return nodes.Try(self.body(blocks[0] if blocks else None), handlers, (), ())

    def scalar(self, node: Node | None) -> nodes.Expression:
        """Lowers a value in scalar context."""
        made = self.expression(node)
        if node is None or node.type in SINGLE or node.type == "anonymous_subroutine_expression":
            return made
        return call("scalar" if node.type == "array" else "scalar of", made)

    # ---- assignments

    def lower_declaration(self, node: Node) -> Any:
        names = [
            nodes.Name("$ignored") if each.type == "undef_expression" else self._own_variable(each)
            for each in node.named_children
            if each.type in ("scalar", "array", "hash", "undef_expression")
        ]
        many = node.child_by_field_name("variables") is not None
        return nodes.Collection("list", tuple(names)) if many or len(names) != 1 else names[0]

    def _own_variable(self, node: Node) -> Any:
        """Returns a variable by its name; `@ISA`, the parent classes, belongs to the package."""
        if self.text(node) == "@ISA":
            return nodes.Attribute(nodes.Name("globals"), f"@{self.package}::ISA")
        return self.expression(node)

    def target(self, node: Node | None) -> Any:
        """Returns the target of an assignment; containers on the path are created if missing."""
        if node is None:
            return NOTHING
        match node.type:
            case "variable_declaration":
                return self.lower_declaration(node)
            case "localization_expression":
                parts = self.children(node)
                return self.target(parts[0]) if parts else NOTHING
            case "parenthesized_expression" | "list_expression":
                return nodes.Collection("list", tuple(self._flat_targets(node)))
            case "arraylen":
                length: Any = self.expression(node)
                return nodes.Slice(length.arguments[0].value, None, None, None)
            case "glob":
                return nodes.Attribute(nodes.Name("globals"), f"&{self.qualify_name(self.text(node)[1:])}")
            case "hash_element_expression" | "array_element_expression":
                return self._element_target(self.expression(node), node.type)
            case "slice_expression":
                made: Any = self.expression(node)
                if isinstance(made, nodes.Call) and isinstance(keys := made.arguments[1].value, nodes.Collection):
                    return nodes.Collection("list", tuple(nodes.Index(made.arguments[0].value, key) for key in keys.items))
                return made
            case "undef_expression":
                return nodes.Name("$ignored")
            case "array":
                return self._own_variable(node)
            case _:
                return self.expression(node)

    def _flat_targets(self, node: Node) -> list[Any]:
        found: list[Any] = []
        for each in self.children(node):
            inner = self.target(each)
            found += inner.items if isinstance(inner, nodes.Collection) else [inner]
        return found

    def _element_target(self, target: Any, _kind: str) -> Any:
        if isinstance(target, nodes.Index) and isinstance(target.owner, nodes.Index | nodes.Name):
            owner = target.owner
            if isinstance(owner, nodes.Index) or owner.name.startswith("$"):
                inner = self._element_target(owner, "") if isinstance(owner, nodes.Index) else owner
                is_number = isinstance(target.key, nodes.Literal) and isinstance(getattr(target.key.value, "value", None), int)
                empty = nodes.Collection("array", ()) if is_number else nodes.MapLiteral(())
                return nodes.Index(nodes.AssignmentExpression(inner, nodes.Logical("??", (owner, empty))), target.key)
        return target

    def assignment(self, node: Node) -> nodes.Expression:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = self.operator(node).removesuffix("=")
        target, value = self._lower_assignment(left, right, operator)
        made: nodes.Expression = nodes.AssignmentExpression(target, value)
        for each in _hashes_in(target):
            again = nodes.Call(nodes.Name("hash of"), (nodes.Argument("spread", "", each),))
            made = call("last of", made, nodes.AssignmentExpression(each, again))
        return made

    def _lower_assignment(self, left: Node | None, right: Node | None, operator: str) -> tuple[Any, nodes.Expression]:
        target = self.target(left)
        if operator:
            value = self.scalar(right)
            if operator == "x":
                return target, call("repeated", target, value)
            operator = "concatenated with" if operator == "." else operator
            made: Any = self.augment(target, operator, value)
            return target, made.value
        is_array = isinstance(target, nodes.Name | nodes.Attribute) and target.name.startswith("@")
        if isinstance(target, nodes.Collection):
            items = [
                nodes.Spread(each) if isinstance(each, nodes.Name) and each.name[0] in "@%" else each for each in target.items
            ]
            target = nodes.Collection("list", tuple(items))
        if is_array or isinstance(target, nodes.Collection):
            return target, nodes.Collection("list", self.items_of(right) if right is not None else ())
        if isinstance(target, nodes.Name) and target.name.startswith("%"):
            spread = tuple(
                nodes.Argument("spread", "", each.value)
                if isinstance(each, nodes.Spread)
                else nodes.Argument("positional", "", each)
                for each in (self.items_of(right) if right is not None else ())
            )
            return target, nodes.Call(nodes.Name("hash of"), spread)
        if isinstance(target, nodes.Call):  # `@$x = ..` changes the referenced array
            return nodes.Name("$ignored"), call("fill", target, nodes.Collection("list", self.items_of(right) if right else ()))
        return target, self.scalar(right)

    # ---- statements

    def _expression_statement(self, node: Node) -> nodes.Statement:
        parts = self.children(node)
        return self.single(parts[0]) if parts else nodes.Sequence(())

    def single(self, node: Node) -> nodes.Statement:
        if node.type == "assignment_expression":
            return self._assignment_statement(node)
        if node.type == "variable_declaration":
            target = self.lower_declaration(node)
            names = target.items if isinstance(target, nodes.Collection) else (target,)
            return nodes.Sequence(tuple(nodes.Declaration(each, _empty(each)) for each in names))
        if node.type in _BRANCHING and self.operator(node) in ("or", "and", "&&", "||"):
            test = self.expression(node.child_by_field_name("left"))
            right = node.child_by_field_name("right")
            then = () if right is None else (self.single(right),)
            return nodes.If(((test if self.operator(node) in ("and", "&&") else nodes.Unary("not", test), then),), ())
        return self.statement(node)

    def _assignment_statement(self, node: Node) -> nodes.Statement:
        left = node.child_by_field_name("left")
        operator = self.operator(node).removesuffix("=")
        if operator in ("+", "*"):
            return nodes.AugmentedAssignment(self.target(left), operator, self.scalar(node.child_by_field_name("right")))
        if operator == ".":
            target = self.target(left)
            return nodes.AugmentedAssignment(target, "+", nodes.Concatenation((self.scalar(node.child_by_field_name("right")),)))
        is_new = left is not None and left.type == "variable_declaration" and not self.text(left).startswith("our")
        if not is_new:
            return nodes.ExpressionStatement(self.assignment(node))
        target, value = self._lower_assignment(left, node.child_by_field_name("right"), "")
        again = tuple(
            nodes.Assignment((each,), nodes.Call(nodes.Name("hash of"), (nodes.Argument("spread", "", each),)))
            for each in _hashes_in(target)
        )
        return nodes.Sequence((nodes.Declaration(target, value), *again))

    def _return(self, node: Node) -> nodes.Statement:
        parts = self.children(node)
        if not parts:
            return nodes.Return(nodes.Collection("list", ()))
        if len(parts) == 1 and parts[0].type not in ("list_expression", "hash", "parenthesized_expression"):
            return nodes.Return(self.expression(parts[0]))
        return nodes.Return(nodes.Collection("list", tuple(one for each in parts for one in self.items_of(each))))

    # ---- code that is made

    def eval_expression(self, node: Node) -> nodes.Expression:
        parts = self.children(node)
        if parts and parts[0].type == "block":
            return self.lower_try(parts[0])
        return call("evaluate text", self.expression(parts[0]) if parts else TOPIC)

    def do_expression(self, node: Node) -> nodes.Expression:
        parts = self.children(node)
        if parts and parts[0].type == "block":
            return self.value_of_block(parts[0])
        return call("do", self.inner(node))

    def require_expression(self, node: Node) -> nodes.Expression:
        parts = self.children(node)
        is_name = not parts or parts[0].type in ("bareword", "package", "version", "number")
        return nodes.Literal(Unknown("a module")) if is_name else call("do", self.inner(node))

    # ---- packages

    def _package(self, node: Node) -> nodes.Statement:
        before, self.package = self.package, self.text(node.child_by_field_name("name"))
        block = next((each for each in node.named_children if each.type == "block"), None)
        made = self.body(block)
        if block is not None:
            self.package = before
        return nodes.Sequence(made)

    def _use(self, node: Node) -> nodes.Statement:
        module = self.text(node.child_by_field_name("module"))
        parts = [each for each in self.children(node) if each.type != "package"]
        items = tuple(one for each in parts for one in self.items_of(each))
        if module in ("parent", "base"):
            place = nodes.Attribute(nodes.Name("globals"), f"@{self.package}::ISA")
            return nodes.Assignment((place,), nodes.Collection("list", items))
        if module == "constant" and len(items) > 1 and isinstance(items[0], nodes.Literal):
            name = self.qualify_name(getattr(items[0].value, "text", None) or "")
            value = items[1] if len(items) == 2 else nodes.Collection("list", items[1:])
            value = value.value if isinstance(value, nodes.Spread) else value
            place = nodes.Attribute(nodes.Name("globals"), f"&{name}")
            return nodes.Assignment((place,), nodes.Lambda("<lambda>", (), (nodes.Return(value),)))
        file = nodes.Literal(known_word(f"{module.replace('::', '/')}.pm"))
        return nodes.ExpressionStatement(call("use_module", file, *items)) if module[:1].isupper() else nodes.Sequence(())


def _empty(target: Any) -> nodes.Expression:
    sign = target.name[:1] if isinstance(target, nodes.Name) else "$"
    return nodes.Collection("list", ()) if sign == "@" else nodes.MapLiteral(()) if sign == "%" else NOTHING


def _hashes_in(target: Any) -> list[Any]:
    """Returns the hashes that take the rest of a list."""
    items = target.items if isinstance(target, nodes.Collection) else ()
    found = (each.value for each in items if isinstance(each, nodes.Spread))
    return [each for each in found if isinstance(each, nodes.Name) and each.name.startswith("%")]
