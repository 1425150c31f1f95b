"""Lowers a JavaScript tree to the evaluator's nodes: statements, functions and classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from toolgate.languages import word_from_text
from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.values import FALSE, TRUE

from .expressions import positional_arguments
from .functions import FunctionLowering, declare_undefined, list_bound_names

if TYPE_CHECKING:
    from tree_sitter import Node

_HOISTING_ORDER = {"import_statement": 0, "function_declaration": 1, "generator_function_declaration": 1}
_LEXICAL_DECLARATIONS = ("lexical_declaration", "class_declaration", "abstract_class_declaration")
_IGNORED_NODES = (
    *("empty_statement", "debugger_statement", "comment", "html_comment", "hash_bang_line", "interface_declaration"),
    *("type_alias_declaration", "ambient_declaration", "function_signature", "import_alias"),
)
_MAX_FALLTHROUGH = 64
"""Maximum statements that are repeated for cases that fall through to them."""


class Lowering(FunctionLowering):
    """Lowers the statements of one text."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._statements: dict[str, Callable[[Node, str], nodes.Statement]] = {
            "expression_statement": self._expression_statement,
            **dict.fromkeys(("lexical_declaration", "variable_declaration"), self._lower_declaration),
            **dict.fromkeys(("function_declaration", "generator_function_declaration"), self._function_declaration),
            **dict.fromkeys(("class_declaration", "abstract_class_declaration"), self._class_declaration),
            "statement_block": lambda node, label: self._with_label(self._block_of(node), label),
            "if_statement": self._lower_if,
            "for_statement": self._lower_for,
            "for_in_statement": self._for_in,
            "while_statement": self._lower_while,
            "do_statement": self._lower_do,
            "switch_statement": self._lower_switch,
            "try_statement": self._lower_try,
            "with_statement": self._lower_with,
            "labeled_statement": self._lower_label,
            "return_statement": lambda node, _: nodes.Return(self._only_value(node)),
            "throw_statement": lambda node, _: nodes.Raise(self._only_value(node)),
            "break_statement": self._lower_jump,
            "continue_statement": self._lower_jump,
            "import_statement": self._lower_import,
            "export_statement": self._lower_export,
            "enum_declaration": self._lower_enum,
            **dict.fromkeys(
                ("module", "internal_module"), lambda node, _: nodes.Sequence(self.lower_body(node.child_by_field_name("body")))
            ),
            **dict.fromkeys(_IGNORED_NODES, lambda *_: nodes.Sequence(())),
            "ERROR": lambda node, _: nodes.Sequence(self.lower_block(self.code_children(node))),
        }

    def lower_program(self, node: Node) -> nodes.Block:
        body = self.lower_block(self.code_children(node))
        return (*declare_undefined(self._vars[0]), *body)

    def lower_block(self, parts: Iterable[Node]) -> nodes.Block:
        """Lowers statements in order, after hoisted ones."""
        return tuple(self.lower_statement(each) for each in sorted(parts, key=_hoisting_order))

    def lower_statement(self, node: Node, label: str = "") -> nodes.Statement:
        lower = self._statements.get(node.type)
        return nodes.ExpressionStatement(self.lower_expression(node)) if lower is None else lower(node, label)

    def lower_body(self, node: Node | None) -> nodes.Block:
        """Lowers the body of a loop or a branch, in its own scope if it declares something."""
        if node is None:
            return ()
        if node.type == "else_clause":
            parts = self.code_children(node)
            return self.lower_body(parts[0]) if parts else ()
        return self._block_of(node) if node.type == "statement_block" else (self.lower_statement(node),)

    def _block_of(self, node: Node) -> nodes.Block:
        self._depth += 1
        parts = self.code_children(node)
        made = self.lower_block(parts)
        self._depth -= 1
        return (nodes.Scope(made),) if any(each.type in _LEXICAL_DECLARATIONS for each in parts) else made

    def _with_label(self, body: nodes.Block, label: str) -> nodes.Statement:
        return nodes.BreakableBlock(body, label) if label else nodes.Sequence(body)

    def _only_value(self, node: Node) -> nodes.Expression | None:
        parts = self.code_children(node)
        return self.lower_expression(parts[0]) if parts else None

    # ---- simple statements

    def _expression_statement(self, node: Node, _label: str) -> nodes.Statement:
        parts = self.code_children(node)
        if not parts:
            return nodes.Sequence(())
        match parts[0].type:
            case "sequence_expression":
                return nodes.Sequence(
                    tuple(nodes.ExpressionStatement(self.lower_expression(each)) for each in self.code_children(parts[0]))
                )
            case "augmented_assignment_expression":
                target, operator, value = self.split_augmented(parts[0])
                if operator not in ("&&", "||", "??"):
                    return nodes.AugmentedAssignment(target, operator, value)
            case _:
                pass
        return nodes.ExpressionStatement(self.lower_expression(parts[0]))

    def _lower_declaration(self, node: Node, _label: str) -> nodes.Statement:
        is_var = node.type == "variable_declaration"
        found: list[nodes.Statement] = []
        for each in self.code_children(node):
            target, value = self.lower_pattern(each.child_by_field_name("name")), each.child_by_field_name("value")
            if is_var and self._depth:
                self._vars[-1] += list_bound_names(target)
                if value is not None:
                    found.append(nodes.Assignment((target,), self.lower_expression(value)))
            elif value is not None or not is_var:
                found.append(nodes.Declaration(target, self.lower_expression(value)))
            else:
                self._vars[-1] += list_bound_names(target)
        return found[0] if len(found) == 1 else nodes.Sequence(tuple(found))

    def _lower_jump(self, node: Node, _label: str) -> nodes.Statement:
        target = self.node_text(node.child_by_field_name("label"))
        kind = node.type.partition("_")[0]
        return nodes.Jump(f"{kind} {target}" if target else kind)

    def _lower_label(self, node: Node, _label: str) -> nodes.Statement:
        body = node.child_by_field_name("body")
        return (
            nodes.Sequence(()) if body is None else self.lower_statement(body, self.node_text(node.child_by_field_name("label")))
        )

    # ---- branches and loops

    def _lower_if(self, node: Node, label: str) -> nodes.Statement:
        arms: list[tuple[nodes.Expression, nodes.Block]] = []
        at: Node | None = node
        while at is not None and at.type == "if_statement":
            arms.append((self.lower_field(at, "condition"), self.lower_body(at.child_by_field_name("consequence"))))
            other = at.child_by_field_name("alternative")
            parts = self.code_children(other) if other is not None else []
            at = parts[0] if parts else None
        return self._with_label((nodes.If(tuple(arms), self.lower_body(at)),), label)

    def _lower_for(self, node: Node, label: str) -> nodes.Statement:
        first = node.child_by_field_name("initializer")
        self._depth += 1
        before = (self.lower_statement(first),) if first is not None else ()
        condition, increment = node.child_by_field_name("condition"), node.child_by_field_name("increment")
        test = (
            nodes.Literal(TRUE) if condition is None or condition.type == "empty_statement" else self.lower_expression(condition)
        )
        body = self.lower_body(node.child_by_field_name("body"))
        if first is not None and first.type == "lexical_declaration":  # a closure keeps the value of its round
            names = [name for each in before for name in _declared_names(each)]
            assigned = _list_assigned_names(body)
            copies = tuple(nodes.Declaration(nodes.Name(name), nodes.Name(name)) for name in names if name not in assigned)
            if _has_functions(body):
                body = (nodes.Scope((*copies, *body)),)
        update = () if increment is None else (nodes.ExpressionStatement(self.lower_expression(increment)),)
        self._depth -= 1
        return nodes.Scope((*before, nodes.While(test, body, (), update, label)))

    def _for_in(self, node: Node, label: str) -> nodes.Statement:
        operator, kind = self.node_text(node.child_by_field_name("operator")), self.node_text(node.child_by_field_name("kind"))
        over = self.lower_field(node, "right")
        if operator == "in":
            over = nodes.Call(nodes.Name("keys of"), positional_arguments(over))
        target = self.lower_pattern(node.child_by_field_name("left"))
        self._depth += 1
        body = self.lower_body(node.child_by_field_name("body"))
        self._depth -= 1
        if kind == "var":
            self._vars[-1] += list_bound_names(target)
        return nodes.For(target, over, body, (), kind not in ("", "var"), label)

    def _lower_while(self, node: Node, label: str) -> nodes.Statement:
        return nodes.While(self.lower_field(node, "condition"), self.lower_body(node.child_by_field_name("body")), label=label)

    def _lower_do(self, node: Node, label: str) -> nodes.Statement:
        first = nodes.Name(f"the first round of line {node.start_point[0]}")
        test = nodes.Logical("or", (first, self.lower_field(node, "condition")))
        body = (nodes.Assignment((first,), nodes.Literal(FALSE)), *self.lower_body(node.child_by_field_name("body")))
        return nodes.Scope((nodes.Declaration(first, nodes.Literal(TRUE)), nodes.While(test, body, label=label)))

    def _lower_switch(self, node: Node, label: str) -> nodes.Statement:
        """A case continues with the following ones, until one of them leaves."""
        body = node.child_by_field_name("body")
        cases: list[tuple[nodes.Expression | None, nodes.Block]] = []
        self._depth += 1
        for each in self.code_children(body) if body is not None else []:
            literal = self.lower_field(each, "value") if each.type == "switch_case" else None
            cases.append((literal, self.lower_block(each.children_by_field_name("body"))))
        self._depth -= 1
        joined: list[tuple[nodes.Expression | None, nodes.Block]] = []
        for n, (literal, block) in enumerate(cases):
            statements = list(block)
            for _, following in cases[n + 1 :]:
                if (statements and _is_exit(statements[-1])) or len(statements) > _MAX_FALLTHROUGH:
                    break
                statements += following
            joined.append((literal, tuple(statements)))
        joined.sort(key=lambda case: case[0] is None)
        name = f"the subject of line {node.start_point[0]}"
        made = nodes.Switch(self.lower_field(node, "value"), name, tuple(joined))
        return nodes.BreakableBlock((nodes.Scope((made,)),), label)

    def _lower_try(self, node: Node, label: str) -> nodes.Statement:
        handler, final = node.child_by_field_name("handler"), node.child_by_field_name("finalizer")
        handlers: list[tuple[tuple[str, ...], nodes.Block]] = []
        if handler is not None:
            parameter = handler.child_by_field_name("parameter")
            names = tuple(list_bound_names(self.lower_pattern(parameter))) if parameter is not None else ()
            handlers.append((names, self.lower_body(handler.child_by_field_name("body"))))
        last = self.lower_body(final.child_by_field_name("body")) if final is not None else ()
        made = nodes.Try(self.lower_body(node.child_by_field_name("body")), tuple(handlers), (), last)
        return self._with_label((made,), label)

    def _lower_with(self, node: Node, _label: str) -> nodes.Statement:
        opened = nodes.Call(nodes.Name("names of"), positional_arguments(self.lower_field(node, "object")))
        return nodes.Sequence((nodes.ExpressionStatement(opened), *self.lower_body(node.child_by_field_name("body"))))

    # ---- enumerations

    def _lower_enum(self, node: Node, _label: str) -> nodes.Statement:
        body = node.child_by_field_name("body")
        pairs: list[tuple[nodes.Expression | None, nodes.Expression]] = []
        for each in self.code_children(body) if body is not None else ():
            is_assigned = each.type == "enum_assignment"
            key = self.lower_key(each.child_by_field_name("name") if is_assigned else each)
            pairs.append((key, self.lower_field(each, "value") if is_assigned else key))
        return nodes.Declaration(nodes.Name(self.node_text(node.child_by_field_name("name"))), nodes.MapLiteral(tuple(pairs)))

    # ---- modules

    def _lower_import(self, node: Node, _label: str) -> nodes.Statement:
        if any(each.type in ("type", "typeof") for each in node.children):
            return nodes.Sequence(())
        source = node.child_by_field_name("source")
        required = next((each for each in node.named_children if each.type == "import_require_clause"), None)
        if required is not None:
            name = self.node_text(required.named_children[0])
            return nodes.Import(self.string_text(required.child_by_field_name("source") or required), "", name)
        module = self.string_text(source) if source is not None else ""
        found: list[nodes.Statement] = [nodes.Import(module, "", "")]
        clauses = [
            each for clause in node.named_children if clause.type == "import_clause" for each in self.code_children(clause)
        ]
        for each in clauses:
            if each.type == "identifier":
                found.append(nodes.Import(module, "default", self.node_text(each)))
            elif each.type == "namespace_import":
                found.append(nodes.Import(module, "", self.node_text(each.named_children[0])))
            else:
                found += [nodes.Import(module, *self._parse_specifier(one)) for one in self.code_children(each)]
        return nodes.Sequence(tuple(found))

    def _parse_specifier(self, node: Node) -> tuple[str, str]:
        """Returns the name in a module, and the name it is bound to."""
        name = node.child_by_field_name("name")
        text = self.string_text(name) if name is not None and name.type == "string" else self.node_text(name) or "default"
        return text, self.node_text(node.child_by_field_name("alias")) or text

    def _lower_export(self, node: Node, _label: str) -> nodes.Statement:
        source, declaration = node.child_by_field_name("source"), node.child_by_field_name("declaration")
        value = node.child_by_field_name("value")
        if declaration is not None:
            made = self.lower_statement(declaration)
            names = _declared_names(made)
            is_default = any(each.type == "default" for each in node.children)
            exported = [_make_export("default" if is_default else name, nodes.Name(name)) for name in names]
            return nodes.Sequence((made, *exported))
        if value is not None:
            return _make_export("default", self.lower_expression(value))
        if any(each.type == "=" for each in node.children):
            return nodes.Assignment(
                (nodes.Attribute(nodes.Name("module"), "exports"),), self.lower_expression(self.code_children(node)[-1])
            )
        module = (
            None
            if source is None
            else nodes.Call(nodes.Name("require"), positional_arguments(nodes.Literal(word_from_text(self.string_text(source)))))
        )
        clause = next((each for each in node.named_children if each.type == "export_clause"), None)
        if clause is None:
            space = next((each for each in node.named_children if each.type == "namespace_export"), None)
            if module is None:
                return nodes.Sequence(())
            if space is not None:
                return _make_export(self.node_text(space.named_children[0]), module)
            return nodes.ExpressionStatement(
                nodes.Call(nodes.Attribute(nodes.Name("Object"), "assign"), positional_arguments(nodes.Name("exports"), module))
            )
        found: list[nodes.Statement] = []
        for each in self.code_children(clause):
            name, alias = self._parse_specifier(each)
            taken: nodes.Expression = nodes.Name(name) if module is None else nodes.Attribute(module, name)
            found.append(_make_export(alias, taken))
        return nodes.Sequence(tuple(found))


def _make_export(name: str, value: nodes.Expression) -> nodes.Statement:
    return nodes.Assignment((nodes.Attribute(nodes.Name("exports"), name),), value)


def _hoisting_order(node: Node) -> int:
    if node.type == "export_statement":
        inner = node.child_by_field_name("declaration")
        return 2 if inner is None else _HOISTING_ORDER.get(inner.type, 2)
    return _HOISTING_ORDER.get(node.type, 2)


def _declared_names(statement: object) -> list[str]:
    if type(statement) is nodes.Declaration:
        return list_bound_names(statement.target)
    found: list[str] = []
    if type(statement) is nodes.Sequence:
        for each in statement.body:
            found += _declared_names(each)
    return found


def _iter_nodes(node: object) -> Iterable[object]:
    """Yields a node and everything in it."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, tuple):
            yield each
            waiting += each


def _has_functions(block: nodes.Block) -> bool:
    return any(isinstance(each, nodes.Lambda) for each in _iter_nodes(block))


def _list_assigned_names(block: nodes.Block) -> set[str]:
    found: set[str] = set()
    for each in _iter_nodes(block):
        if isinstance(each, nodes.AssignmentExpression | nodes.AugmentedAssignment):
            found.update(list_bound_names(each.target))
        elif isinstance(each, nodes.Assignment):
            found.update(name for target in each.targets for name in list_bound_names(target))
    return found


def _is_exit(statement: object) -> bool:
    if isinstance(statement, nodes.Sequence | nodes.Scope):
        return bool(statement.body) and _is_exit(statement.body[-1])
    return isinstance(statement, nodes.Jump | nodes.Return | nodes.Raise)
