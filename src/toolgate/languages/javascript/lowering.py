"""Lowers a JavaScript tree to the evaluator's nodes: statements, functions and classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from toolgate.languages import word
from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.values import FALSE, TRUE

from .expressions import positional
from .functions import FunctionLowering, declare_undefined, names_in

if TYPE_CHECKING:
    from tree_sitter import Node

_FIRST = {"import_statement": 0, "function_declaration": 1, "generator_function_declaration": 1}
_LEXICAL = ("lexical_declaration", "class_declaration", "abstract_class_declaration")
_IGNORED = (
    *("empty_statement", "debugger_statement", "comment", "html_comment", "hash_bang_line", "interface_declaration"),
    *("type_alias_declaration", "ambient_declaration", "function_signature", "import_alias"),
)
_FALLTHROUGH = 64
"""Maximum statements that are repeated for cases that fall through to them."""


class Lowering(FunctionLowering):
    """Lowers the statements of one text."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._statements: dict[str, Callable[[Node, str], nodes.Statement]] = {
            "expression_statement": self._expression_statement,
            **dict.fromkeys(("lexical_declaration", "variable_declaration"), self._declaration),
            **dict.fromkeys(("function_declaration", "generator_function_declaration"), self._function_declaration),
            **dict.fromkeys(("class_declaration", "abstract_class_declaration"), self._class_declaration),
            "statement_block": lambda node, label: self._labelled(self._block_of(node), label),
            "if_statement": self._if,
            "for_statement": self._for,
            "for_in_statement": self._for_in,
            "while_statement": self._while,
            "do_statement": self._do,
            "switch_statement": self._switch,
            "try_statement": self._try,
            "with_statement": self._with,
            "labeled_statement": self._label,
            "return_statement": lambda node, _: nodes.Return(self._only_value(node)),
            "throw_statement": lambda node, _: nodes.Raise(self._only_value(node)),
            "break_statement": self._jump,
            "continue_statement": self._jump,
            "import_statement": self._import,
            "export_statement": self._export,
            "enum_declaration": self._enum,
            **dict.fromkeys(
                ("module", "internal_module"), lambda node, _: nodes.Sequence(self.body(node.child_by_field_name("body")))
            ),
            **dict.fromkeys(_IGNORED, lambda *_: nodes.Sequence(())),
            "ERROR": lambda node, _: nodes.Sequence(self.block(self.children(node))),
        }

    def program(self, node: Node) -> nodes.Block:
        body = self.block(self.children(node))
        return (*declare_undefined(self._vars[0]), *body)

    def block(self, parts: Iterable[Node]) -> nodes.Block:
        """Lowers statements in order, after hoisted ones."""
        return tuple(self.statement(each) for each in sorted(parts, key=_hoisted_first))

    def statement(self, node: Node, label: str = "") -> nodes.Statement:
        lower = self._statements.get(node.type)
        return nodes.Evaluated(self.expression(node)) if lower is None else lower(node, label)

    def body(self, node: Node | None) -> nodes.Block:
        """Lowers the body of a loop or a branch, in its own scope if it declares something."""
        if node is None:
            return ()
        if node.type == "else_clause":
            parts = self.children(node)
            return self.body(parts[0]) if parts else ()
        return self._block_of(node) if node.type == "statement_block" else (self.statement(node),)

    def _block_of(self, node: Node) -> nodes.Block:
        self._depth += 1
        parts = self.children(node)
        made = self.block(parts)
        self._depth -= 1
        return (nodes.Scope(made),) if any(each.type in _LEXICAL for each in parts) else made

    def _labelled(self, body: nodes.Block, label: str) -> nodes.Statement:
        return nodes.Breakable(body, label) if label else nodes.Sequence(body)

    def _only_value(self, node: Node) -> nodes.Expression | None:
        parts = self.children(node)
        return self.expression(parts[0]) if parts else None

    # ---- simple statements

    def _expression_statement(self, node: Node, _label: str) -> nodes.Statement:
        parts = self.children(node)
        if not parts:
            return nodes.Sequence(())
        match parts[0].type:
            case "sequence_expression":
                return nodes.Sequence(tuple(nodes.Evaluated(self.expression(each)) for each in self.children(parts[0])))
            case "augmented_assignment_expression":
                target, operator, value = self.augmented_parts(parts[0])
                if operator not in ("&&", "||", "??"):
                    return nodes.Augmented(target, operator, value)
            case _:
                pass
        return nodes.Evaluated(self.expression(parts[0]))

    def _declaration(self, node: Node, _label: str) -> nodes.Statement:
        is_var = node.type == "variable_declaration"
        found: list[nodes.Statement] = []
        for each in self.children(node):
            target, value = self.pattern(each.child_by_field_name("name")), each.child_by_field_name("value")
            if is_var and self._depth:
                self._vars[-1] += names_in(target)
                if value is not None:
                    found.append(nodes.Assigned((target,), self.expression(value)))
            elif value is not None or not is_var:
                found.append(nodes.Declared(target, self.expression(value)))
            else:
                self._vars[-1] += names_in(target)
        return found[0] if len(found) == 1 else nodes.Sequence(tuple(found))

    def _jump(self, node: Node, _label: str) -> nodes.Statement:
        target = self.text(node.child_by_field_name("label"))
        kind = node.type.partition("_")[0]
        return nodes.Jump(f"{kind} {target}" if target else kind)

    def _label(self, node: Node, _label: str) -> nodes.Statement:
        body = node.child_by_field_name("body")
        return nodes.Sequence(()) if body is None else self.statement(body, self.text(node.child_by_field_name("label")))

    # ---- branches and loops

    def _if(self, node: Node, label: str) -> nodes.Statement:
        arms: list[tuple[nodes.Expression, nodes.Block]] = []
        at: Node | None = node
        while at is not None and at.type == "if_statement":
            arms.append((self.field(at, "condition"), self.body(at.child_by_field_name("consequence"))))
            other = at.child_by_field_name("alternative")
            parts = self.children(other) if other is not None else []
            at = parts[0] if parts else None
        return self._labelled((nodes.If(tuple(arms), self.body(at)),), label)

    def _for(self, node: Node, label: str) -> nodes.Statement:
        first = node.child_by_field_name("initializer")
        self._depth += 1
        before = (self.statement(first),) if first is not None else ()
        condition, increment = node.child_by_field_name("condition"), node.child_by_field_name("increment")
        test = nodes.Literal(TRUE) if condition is None or condition.type == "empty_statement" else self.expression(condition)
        body = self.body(node.child_by_field_name("body"))
        if first is not None and first.type == "lexical_declaration":  # a closure keeps the value of its round
            names = [name for each in before for name in _declared_names(each)]
            assigned = _assigned_in(body)
            copies = tuple(nodes.Declared(nodes.Name(name), nodes.Name(name)) for name in names if name not in assigned)
            if _has_functions(body):
                body = (nodes.Scope((*copies, *body)),)
        update = () if increment is None else (nodes.Evaluated(self.expression(increment)),)
        self._depth -= 1
        return nodes.Scope((*before, nodes.While(test, body, (), update, label)))

    def _for_in(self, node: Node, label: str) -> nodes.Statement:
        operator, kind = self.text(node.child_by_field_name("operator")), self.text(node.child_by_field_name("kind"))
        over = self.field(node, "right")
        if operator == "in":
            over = nodes.Call(nodes.Name("keys of"), positional(over))
        target = self.pattern(node.child_by_field_name("left"))
        self._depth += 1
        body = self.body(node.child_by_field_name("body"))
        self._depth -= 1
        if kind == "var":
            self._vars[-1] += names_in(target)
        return nodes.For(target, over, body, (), kind not in ("", "var"), label)

    def _while(self, node: Node, label: str) -> nodes.Statement:
        return nodes.While(self.field(node, "condition"), self.body(node.child_by_field_name("body")), label=label)

    def _do(self, node: Node, label: str) -> nodes.Statement:
        first = nodes.Name(f"the first round of line {node.start_point[0]}")
        test = nodes.Logical("or", (first, self.field(node, "condition")))
        body = (nodes.Assigned((first,), nodes.Literal(FALSE)), *self.body(node.child_by_field_name("body")))
        return nodes.Scope((nodes.Declared(first, nodes.Literal(TRUE)), nodes.While(test, body, label=label)))

    def _switch(self, node: Node, label: str) -> nodes.Statement:
        """A case continues with the following ones, until one of them leaves."""
        body = node.child_by_field_name("body")
        cases: list[tuple[nodes.Expression | None, nodes.Block]] = []
        self._depth += 1
        for each in self.children(body) if body is not None else []:
            literal = self.field(each, "value") if each.type == "switch_case" else None
            cases.append((literal, self.block(each.children_by_field_name("body"))))
        self._depth -= 1
        joined: list[tuple[nodes.Expression | None, nodes.Block]] = []
        for n, (literal, block) in enumerate(cases):
            whole = list(block)
            for _, following in cases[n + 1 :]:
                if (whole and _leaves(whole[-1])) or len(whole) > _FALLTHROUGH:
                    break
                whole += following
            joined.append((literal, tuple(whole)))
        joined.sort(key=lambda case: case[0] is None)
        name = f"the subject of line {node.start_point[0]}"
        made = nodes.Switch(self.field(node, "value"), name, tuple(joined))
        return nodes.Breakable((nodes.Scope((made,)),), label)

    def _try(self, node: Node, label: str) -> nodes.Statement:
        handler, final = node.child_by_field_name("handler"), node.child_by_field_name("finalizer")
        handlers: list[tuple[tuple[str, ...], nodes.Block]] = []
        if handler is not None:
            parameter = handler.child_by_field_name("parameter")
            names = tuple(names_in(self.pattern(parameter))) if parameter is not None else ()
            handlers.append((names, self.body(handler.child_by_field_name("body"))))
        last = self.body(final.child_by_field_name("body")) if final is not None else ()
        made = nodes.Try(self.body(node.child_by_field_name("body")), tuple(handlers), (), last)
        return self._labelled((made,), label)

    def _with(self, node: Node, _label: str) -> nodes.Statement:
        opened = nodes.Call(nodes.Name("names of"), positional(self.field(node, "object")))
        return nodes.Sequence((nodes.Evaluated(opened), *self.body(node.child_by_field_name("body"))))

    # ---- enumerations

    def _enum(self, node: Node, _label: str) -> nodes.Statement:
        body = node.child_by_field_name("body")
        pairs: list[tuple[nodes.Expression | None, nodes.Expression]] = []
        for each in self.children(body) if body is not None else ():
            is_assigned = each.type == "enum_assignment"
            key = self.key(each.child_by_field_name("name") if is_assigned else each)
            pairs.append((key, self.field(each, "value") if is_assigned else key))
        return nodes.Declared(nodes.Name(self.text(node.child_by_field_name("name"))), nodes.MapLiteral(tuple(pairs)))

    # ---- modules

    def _import(self, node: Node, _label: str) -> nodes.Statement:
        if any(each.type in ("type", "typeof") for each in node.children):
            return nodes.Sequence(())
        source = node.child_by_field_name("source")
        required = next((each for each in node.named_children if each.type == "import_require_clause"), None)
        if required is not None:
            name = self.text(required.named_children[0])
            return nodes.Import(self.string(required.child_by_field_name("source") or required), "", name)
        module = self.string(source) if source is not None else ""
        found: list[nodes.Statement] = [nodes.Import(module, "", "")]
        clauses = [each for clause in node.named_children if clause.type == "import_clause" for each in self.children(clause)]
        for each in clauses:
            if each.type == "identifier":
                found.append(nodes.Import(module, "default", self.text(each)))
            elif each.type == "namespace_import":
                found.append(nodes.Import(module, "", self.text(each.named_children[0])))
            else:
                found += [nodes.Import(module, *self._specifier(one)) for one in self.children(each)]
        return nodes.Sequence(tuple(found))

    def _specifier(self, node: Node) -> tuple[str, str]:
        """Returns the name in a module, and the name it is bound to."""
        name = node.child_by_field_name("name")
        text = self.string(name) if name is not None and name.type == "string" else self.text(name) or "default"
        return text, self.text(node.child_by_field_name("alias")) or text

    def _export(self, node: Node, _label: str) -> nodes.Statement:
        source, declaration = node.child_by_field_name("source"), node.child_by_field_name("declaration")
        value = node.child_by_field_name("value")
        if declaration is not None:
            made = self.statement(declaration)
            names = _declared_names(made)
            is_default = any(each.type == "default" for each in node.children)
            exported = [_exporting("default" if is_default else name, nodes.Name(name)) for name in names]
            return nodes.Sequence((made, *exported))
        if value is not None:
            return _exporting("default", self.expression(value))
        if any(each.type == "=" for each in node.children):
            return nodes.Assigned((nodes.Attribute(nodes.Name("module"), "exports"),), self.expression(self.children(node)[-1]))
        module = (
            None if source is None else nodes.Call(nodes.Name("require"), positional(nodes.Literal(word(self.string(source)))))
        )
        clause = next((each for each in node.named_children if each.type == "export_clause"), None)
        if clause is None:
            space = next((each for each in node.named_children if each.type == "namespace_export"), None)
            if module is None:
                return nodes.Sequence(())
            if space is not None:
                return _exporting(self.text(space.named_children[0]), module)
            return nodes.Evaluated(
                nodes.Call(nodes.Attribute(nodes.Name("Object"), "assign"), positional(nodes.Name("exports"), module))
            )
        found: list[nodes.Statement] = []
        for each in self.children(clause):
            name, alias = self._specifier(each)
            taken: nodes.Expression = nodes.Name(name) if module is None else nodes.Attribute(module, name)
            found.append(_exporting(alias, taken))
        return nodes.Sequence(tuple(found))


def _exporting(name: str, value: nodes.Expression) -> nodes.Statement:
    return nodes.Assigned((nodes.Attribute(nodes.Name("exports"), name),), value)


def _hoisted_first(node: Node) -> int:
    if node.type == "export_statement":
        inner = node.child_by_field_name("declaration")
        return 2 if inner is None else _FIRST.get(inner.type, 2)
    return _FIRST.get(node.type, 2)


def _declared_names(statement: object) -> list[str]:
    if type(statement) is nodes.Declared:
        return names_in(statement.target)
    found: list[str] = []
    if type(statement) is nodes.Sequence:
        for each in statement.body:
            found += _declared_names(each)
    return found


def _walk(node: object) -> Iterable[object]:
    """Yields a node and everything in it."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, tuple):
            yield each
            waiting += each


def _has_functions(block: nodes.Block) -> bool:
    return any(isinstance(each, nodes.Lambda) for each in _walk(block))


def _assigned_in(block: nodes.Block) -> set[str]:
    found: set[str] = set()
    for each in _walk(block):
        if isinstance(each, nodes.AssignedExpression | nodes.Augmented):
            found.update(names_in(each.target))
        elif isinstance(each, nodes.Assigned):
            found.update(name for target in each.targets for name in names_in(target))
    return found


def _leaves(statement: object) -> bool:
    if isinstance(statement, nodes.Sequence | nodes.Scope):
        return bool(statement.body) and _leaves(statement.body[-1])
    return isinstance(statement, nodes.Jump | nodes.Return | nodes.Raise)
