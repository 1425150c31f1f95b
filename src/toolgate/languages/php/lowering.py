"""Lowers a PHP syntax tree to the evaluator's nodes.

`$name` is a variable of its function, `const NAME` a constant. Function names are lowercased; arrays are copied on assignment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.values import FALSE, TRUE, Unknown
from toolgate.languages.scripting import grammars
from toolgate.languages.scripting.lowering import NOTHING, YES, call, number, positional, put_together, text, value_of

from .functions import FunctionLowering

if TYPE_CHECKING:
    from tree_sitter import Node

_GRAMMAR = "tree_sitter_php"
_COPIED = ("variable_name", "subscript_expression", "member_access_expression")
_OUT = {
    "preg_match": 2,
    "preg_match_all": 2,
    "exec": 1,
    "sscanf": 2,
    "parse_str": 1,
    "mb_parse_str": 1,
    "system": 1,
    "passthru": 1,
}
"""Functions that store into their arguments, with the index of the first such argument."""
_INCLUDES = ("include_expression", "include_once_expression", "require_expression", "require_once_expression")
_SKIPPED = ("php_tag", "text", "empty_statement", "named_label_statement", "use_declaration", "namespace_use_declaration")


def parse(data: bytes) -> Node:
    """Returns the syntax tree of code, or that of a text with code in tags if it does not parse as code alone."""
    root = grammars.parse(data, _GRAMMAR, "language_php_only")
    return grammars.parse(data, _GRAMMAR, "language_php") if root.has_error and b"<?" in data else root


class PhpLowering(FunctionLowering):
    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._expressions.update(
            {
                "variable_name": lambda node: nodes.Name(self.text(node)),
                "dynamic_variable_name": self._dynamic_variable,
                **dict.fromkeys(("name", "qualified_name"), self._constant),
                **dict.fromkeys(("integer", "float"), self.number),
                "boolean": lambda node: nodes.Literal(TRUE if self.text(node).lower() == "true" else FALSE),
                "null": lambda _: NOTHING,
                **dict.fromkeys(("string", "encapsed_string"), self.string),
                **dict.fromkeys(("heredoc", "nowdoc"), self.heredoc),
                "shell_command_expression": lambda node: call("`", put_together(self.parts(node))),
                "array_creation_expression": self._array,
                "parenthesized_expression": self.inner,
                "binary_expression": self._binary,
                "unary_op_expression": self._unary,
                "update_expression": self._update,
                "conditional_expression": self._conditional,
                **dict.fromkeys(("assignment_expression", "reference_assignment_expression"), self._assignment),
                "augmented_assignment_expression": self._lower_augmented_assignment,
                "subscript_expression": self._subscript,
                **dict.fromkeys(("member_access_expression", "nullsafe_member_access_expression"), self._member),
                "scoped_property_access_expression": lambda node: nodes.Attribute(
                    self.scope(node.child_by_field_name("scope")), self.text(node.child_by_field_name("name"))
                ),
                "class_constant_access_expression": self._class_constant,
                "function_call_expression": self._call,
                **dict.fromkeys(("member_call_expression", "nullsafe_member_call_expression"), self._method_call),
                "scoped_call_expression": self._scoped_call,
                "object_creation_expression": self._new,
                **dict.fromkeys(("error_suppression_expression", "clone_expression"), self.inner),
                "cast_expression": lambda node: self.field(node, "value"),
                **dict.fromkeys(_INCLUDES, lambda node: call("include", self.inner(node))),
                "print_intrinsic": lambda node: call("print", self.inner(node)),
                "throw_expression": lambda node: value_of(nodes.Raise(self.inner(node))),
                "yield_expression": lambda node: nodes.Yield(self.inner(node), "from" in self.text(node)[:11]),
                **dict.fromkeys(
                    ("anonymous_function", "arrow_function", "anonymous_function_creation_expression"), self.function
                ),
                "match_expression": lambda node: value_of(self.match_statement(node)),
                "argument": self.inner,
                "by_ref": self.inner,
                "variadic_unpacking": lambda node: nodes.Spread(self.inner(node)),
                "exit_statement": lambda node: nodes.Call(nodes.Name("exit"), self.arguments(node)),
                "sequence_expression": lambda node: nodes.Collection("array", tuple(map(self.expression, self.children(node)))),
            }
        )
        self._statements.update(
            {
                **dict.fromkeys(("compound_statement", "colon_block", "program"), lambda node: nodes.Sequence(self.body(node))),
                "expression_statement": self._expression_statement,
                "echo_statement": self._echo,
                "if_statement": self._if,
                "while_statement": lambda node: nodes.While(self.field(node, "condition"), self.branch(node)),
                "do_statement": lambda node: nodes.Sequence(
                    (*self.branch(node), nodes.While(self.field(node, "condition"), self.branch(node)))
                ),
                "for_statement": self._lower_for,
                "foreach_statement": self._foreach,
                "switch_statement": self.switch_statement,
                "try_statement": self.try_statement,
                "return_statement": lambda node: nodes.Return(
                    self.lower_copy(self.children(node)[0]) if self.children(node) else None
                ),
                "break_statement": lambda _: nodes.Jump("break"),
                "continue_statement": lambda _: nodes.Jump("continue"),
                "unset_statement": lambda node: nodes.Deletion(tuple(map(self.expression, self.children(node)))),
                "global_declaration": lambda node: nodes.OuterNames(tuple(map(self.text, self.children(node)))),
                "function_static_declaration": self._static,
                "const_declaration": self.constants,
                "function_definition": self.function_definition,
                **dict.fromkeys(
                    ("class_declaration", "trait_declaration", "interface_declaration", "enum_declaration"), self.class_definition
                ),
                "namespace_definition": lambda node: nodes.Sequence(self.body(node.child_by_field_name("body"))),
                "text_interpolation": lambda _: nodes.Sequence(()),
                **dict.fromkeys(_SKIPPED, lambda _: nodes.Sequence(())),
            }
        )

    # ---- names and places

    def _constant(self, node: Node) -> nodes.Expression:
        name = self.text(node).rpartition("\\")[2]
        return call("exit") if name.lower() in ("die", "exit") else nodes.Name(f"const {name}")

    def _dynamic_variable(self, node: Node) -> nodes.Expression:
        parts = self.children(node)
        if parts and parts[0].type == "name":
            return nodes.Name(f"${self.text(parts[0])}")
        return call("variable by name", self.inner(node))

    def _subscript(self, node: Node) -> nodes.Expression:
        owner, *keys = self.children(node)
        if not keys:
            return nodes.Index(self.expression(owner), call("next key", self.expression(owner)))
        key: Any = text(self.text(keys[0])) if keys[0].type == "name" else self.expression(keys[0])
        if self.text(owner) == "$GLOBALS" and type(key) is nodes.Literal:
            return nodes.Name(f"${getattr(key.value, 'text', '')}")
        return nodes.Index(self.expression(owner), key)

    def _member(self, node: Node) -> nodes.Expression:
        owner, name = self.field(node, "object"), node.child_by_field_name("name")
        if name is not None and name.type == "name":
            return nodes.Attribute(owner, self.text(name))
        return call("member by name", owner, self.expression(name))

    def _class_constant(self, node: Node) -> nodes.Expression:
        scope, name = node.named_children[:2]
        if self.text(name) == "class":
            return text(self.text(scope).rpartition("\\")[2])
        return nodes.Attribute(self.scope(scope), self.text(name))

    def _array(self, node: Node) -> nodes.Expression:
        parts = self.children(node)
        if any(len(self.children(each)) > 1 and each.type == "array_element_initializer" for each in parts):
            return self._map(parts)
        return nodes.Collection("array", tuple(self._element(each) for each in parts))

    def _element(self, node: Node) -> nodes.Expression:
        parts = self.children(node)
        if parts and parts[0].type == "variadic_unpacking":
            return nodes.Spread(self.inner(parts[0]))
        return (
            nodes.Spread(self.inner(node)) if node.type == "variadic_unpacking" else self.lower_copy(parts[0] if parts else node)
        )

    def _map(self, parts: list[Node]) -> nodes.Expression:
        pairs: list[tuple[nodes.Expression | None, nodes.Expression]] = []
        at = 0
        for each in parts:
            inside = self.children(each)
            if len(inside) > 1:
                pairs.append((self.expression(inside[0]), self.lower_copy(inside[1])))
            elif each.type == "variadic_unpacking":
                pairs.append((None, self.inner(each)))
            else:
                pairs.append((number(at), self.inner(each)))
                at += 1
        return nodes.MapLiteral(tuple(pairs))

    def target(self, node: Node | None) -> nodes.Expression:
        if node is None:
            return NOTHING
        if node.type in ("list_literal", "array_creation_expression"):
            return self._pattern(node)
        return self.inner(node) if node.type == "by_ref" else self.expression(node)

    def _pattern(self, node: Node) -> nodes.Expression:
        if any(each.type == "=>" for part in (node, *node.children) for each in part.children):
            flat = [one for each in self.children(node) for one in self._parts_of_element(each)]
            keys, places = flat[::2], flat[1::2]
            return nodes.MapLiteral(
                tuple((self.expression(key), self.target(one)) for key, one in zip(keys, places, strict=False))
            )
        found: list[nodes.Expression] = []
        is_open = True
        for each in node.children:
            if each.type == ",":
                if is_open:
                    found.append(nodes.Name("$"))
                is_open = True
            elif each.is_named:
                (only, *_) = self._parts_of_element(each)
                found.append(self.target(only))
                is_open = False
        return nodes.Collection("array", tuple(found))

    def _parts_of_element(self, node: Node) -> list[Node]:
        return self.children(node) if node.type == "array_element_initializer" else [node]

    # ---- operators

    def _binary(self, node: Node) -> nodes.Expression:
        operator = self.operator(node).lower()
        if operator == "instanceof":
            return nodes.Literal(Unknown("a test"))
        operator = {".": "concatenated with", "xor": "matches"}.get(operator, operator)
        return self.operation(operator, self.field(node, "left"), self.field(node, "right"))

    def _unary(self, node: Node) -> nodes.Expression:
        operator = self.operator(node)
        return nodes.Unary("not" if operator == "!" else operator, self.field(node, "argument"))

    def _update(self, node: Node) -> nodes.Expression:
        operator, target = self.operator(node)[0], self.field(node, "argument")
        made = nodes.AssignmentExpression(target, nodes.Operation(target, ((operator, number(1)),)))
        if not node.children[0].is_named:
            return made
        return nodes.Operation(made, (("-" if operator == "+" else "+", number(1)),))

    def _conditional(self, node: Node) -> nodes.Expression:
        body = node.child_by_field_name("body")
        condition, other = node.child_by_field_name("condition"), self.field(node, "alternative")
        if body is None:
            return nodes.Logical("or", (self.expression(condition), other))
        return nodes.Conditional(self.expression(condition), self.expression(body), other)

    def lower_copy(self, node: Node | None) -> nodes.Expression:
        """Lowers a value to be stored; an array is copied."""
        value = self.expression(node)
        return call("copy of", value) if node is not None and node.type in _COPIED else value

    def _assignment(self, node: Node) -> nodes.Expression:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        is_reference = node.type == "reference_assignment_expression"
        return nodes.AssignmentExpression(self.target(left), self.expression(right) if is_reference else self.lower_copy(right))

    def _lower_augmented_assignment(self, node: Node) -> nodes.Expression:
        operator = self.operator(node).removesuffix("=")
        operator = "concatenated with" if operator == "." else operator
        return self.augment(self.field(node, "left"), operator, self.field(node, "right"))

    # ---- calls

    def arguments(self, node: Node | None) -> tuple[nodes.Argument, ...]:
        found: list[nodes.Argument] = []
        for each in self.children(node):
            name, parts = each.child_by_field_name("name"), self.children(each)
            if name is not None and each.type == "argument":
                found.append(nodes.Argument("named", f"${self.text(name)}", self.expression(parts[-1])))
            elif parts and each.type == "argument" and parts[0].type == "variadic_unpacking":
                found.append(nodes.Argument("spread", "", self.inner(parts[0])))
            elif each.type != "variadic_placeholder":
                found.append(nodes.Argument("positional", "", self.expression(each)))
        return tuple(found)

    def _call(self, node: Node) -> nodes.Expression:
        function, argument_list = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        assert function is not None
        arguments: Any = self.arguments(argument_list)
        if function.type not in ("name", "qualified_name"):
            callee = self.expression(function)
            return callee if _is_placeholder(argument_list) else nodes.Call(callee, arguments)
        name = self.text(function).rpartition("\\")[2].lower()
        if name == "compact":
            names = [getattr(each.value.value, "text", None) for each in arguments if type(each.value) is nodes.Literal]
            return nodes.MapLiteral(tuple((text(each), nodes.Name(f"${each}")) for each in names if each))
        if name == "define" and len(arguments) > 1 and type(arguments[0].value) is nodes.Literal:
            constant = getattr(arguments[0].value.value, "text", "") or ""
            return nodes.AssignmentExpression(nodes.Attribute(nodes.Name("globals"), f"const {constant}"), arguments[1].value)
        if name in ("func_get_args",):
            return nodes.Name("arguments")
        if _is_placeholder(argument_list):
            return nodes.Name(name)
        made = nodes.Call(nodes.Name(name), arguments)
        at = min([*self.references.get(name, ()), _OUT.get(name, len(arguments))])
        stored = [each.value for each in arguments[at:] if type(each.value) is nodes.Name]
        if not stored:
            return made
        after = (nodes.AssignmentExpression(each, call("stored by a call", each)) for each in stored)
        return nodes.Index(nodes.Collection("tuple", (made, *after)), number(0))

    def _method_call(self, node: Node) -> nodes.Expression:
        made, argument_list = self._member(node), node.child_by_field_name("arguments")
        if _is_placeholder(argument_list):
            return made
        called = nodes.Call(made, self.arguments(argument_list))
        if node.type.startswith("nullsafe"):
            return nodes.Logical("and", (self.field(node, "object"), called))
        return called

    def _scoped_call(self, node: Node) -> nodes.Expression:
        scope, name = node.child_by_field_name("scope"), node.child_by_field_name("name")
        arguments = self.arguments(node.child_by_field_name("arguments"))
        assert name is not None
        if self.text(scope) == "parent":
            own = nodes.Name(self.class_name)
            return nodes.Call(
                nodes.Name("call super"), (*positional(own, nodes.Name("$this"), text(self.text(name))), *arguments)
            )
        owner = self.scope(scope)
        if name.type != "name":
            return nodes.Call(call("member by name", owner, self.expression(name)), arguments)
        function = nodes.Attribute(owner, self.text(name))
        return function if _is_placeholder(node.child_by_field_name("arguments")) else nodes.Call(function, arguments)

    def _new(self, node: Node) -> nodes.Expression:
        parts = self.children(node)
        inner = next((each for each in parts if each.type == "anonymous_class"), node)
        inside = self.children(inner)
        argument_list = next((each for each in inside if each.type == "arguments"), None)
        body = next((each for each in inside if each.type == "declaration_list"), None)
        if body is None:
            owner = self.scope(parts[0] if parts else None)
        else:
            name = "an anonymous class"
            made = (self.class_body(name, inner, body), nodes.Return(nodes.Name(name)))
            owner = nodes.Call(nodes.Lambda("", (), made), ())
        return nodes.Call(nodes.Attribute(owner, "new"), self.arguments(argument_list))

    # ---- statements

    def _expression_statement(self, node: Node) -> nodes.Statement:
        parts = self.children(node)
        if not parts:
            return nodes.Sequence(())
        if parts[0].type == "augmented_assignment_expression" and self.operator(parts[0]) in ("+=", "*="):
            operator = self.operator(parts[0])[0]
            return nodes.AugmentedAssignment(self.field(parts[0], "left"), operator, self.field(parts[0], "right"))
        return self.statement(parts[0])

    def _echo(self, node: Node) -> nodes.Statement:
        parts = [one for each in self.children(node) for one in (self.children(each) if "sequence" in each.type else [each])]
        return nodes.ExpressionStatement(nodes.Call(nodes.Name("echo"), positional(*map(self.expression, parts))))

    def _if(self, node: Node) -> nodes.Statement:
        arms = [(self.field(node, "condition"), self.branch(node))]
        alternative: nodes.Block = ()
        for other in node.children_by_field_name("alternative"):
            if other.type == "else_if_clause":
                arms.append((self.field(other, "condition"), self.branch(other)))
            else:
                alternative = self.branch(other)
        return nodes.If(tuple(arms), alternative)

    def _lower_for(self, node: Node) -> nodes.Statement:
        first, test = node.child_by_field_name("initialize"), node.child_by_field_name("condition")
        update = node.child_by_field_name("update")
        before = () if first is None else (nodes.ExpressionStatement(self.expression(first)),)
        after = () if update is None else (nodes.ExpressionStatement(self.expression(update)),)
        body = tuple(self.statement(each) for each in node.children_by_field_name("body"))
        return nodes.Sequence((*before, nodes.While(YES if test is None else self.expression(test), body, (), after)))

    def _foreach(self, node: Node) -> nodes.Statement:
        over, place = [each for each in self.children(node) if each != node.child_by_field_name("body")][:2]
        key: nodes.Expression = nodes.Name(f"the key of line {node.start_point[0]}")
        if place.type == "pair":
            first, place = self.children(place)
            key = self.target(first)
        body = self.branch(node)
        if place.type == "by_ref":
            body = (*body, nodes.Assignment((nodes.Index(self.expression(over), key),), self.target(place)))
        return nodes.For(nodes.Collection("array", (key, self.target(place))), call("pairs of", self.expression(over)), body)

    def _static(self, node: Node) -> nodes.Statement:
        """Lowers a static variable: its initial value, or the value that an earlier call left."""
        found: list[nodes.Statement] = []
        for each in self.children(node):
            value = nodes.Conditional(nodes.Literal(Unknown("a test")), self.field(each, "value"), nodes.Literal(Unknown("left")))
            found.append(nodes.Assignment((self.field(each, "name"),), value))
        return nodes.Sequence(tuple(found))


def _is_placeholder(arguments: Node | None) -> bool:
    """Returns whether the arguments are `(...)`, which denotes the function itself."""
    return arguments is not None and any(each.type == "variadic_placeholder" for each in arguments.named_children)
