"""Lowers Perl expressions to the evaluator's nodes.

`$x`, `@x`, `%x` and `&x` are names with their sigils. An array is a list of the kind `list`, flattened inside other lists; a
reference to one has the kind `array` and shares its items. A call's result is flattened if its kind is `list`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.values import Unknown
from toolgate.languages.scripting.lowering import NOTHING, call, number, positional, put_together, text

from .command_options import assign_options
from .statements import SINGLE, StatementLowering
from .strings import TOPIC, parse

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["PerlLowering", "parse"]
_CALLS = ("function_call_expression", "ambiguous_function_call_expression", "func1op_call_expression", "func0op_call_expression")
_OF_TOPIC = frozenset(
    (
        "unlink rmdir print say chomp chop lc uc lcfirst ucfirst length ord chr quotemeta hex oct abs int stat lstat"
        " defined ref -d -e -f readlink glob unpack"
    ).split()
)
"""Functions that default to `$_` without an argument."""
_HOLDERS = frozenset("push unshift pop shift splice keys values each delete exists scalar".split())
"""Functions that take an array or a hash itself as the first argument."""
_PRINTS = ("print", "say", "printf")


class PerlLowering(StatementLowering):
    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._expressions.update(
            {
                "scalar": lambda node: self._variable(node, "$"),
                "array": lambda node: self._variable(node, "@"),
                "hash": lambda node: self._variable(node, "%"),
                "glob": lambda node: nodes.Name(f"&{self.qualify_name(self.text(node)[1:])}"),
                "arraylen": lambda node: call("last index", self._variable(node, "@")),
                **dict.fromkeys(
                    ("array_deref_expression", "hash_deref_expression"), lambda node: call("dereferenced", self.inner(node))
                ),
                "scalar_deref_expression": self.inner,
                "function": self._function_name,
                "number": self.number,
                "string_literal": self.plain,
                "interpolated_string_literal": self.lower_interpolation,
                "command_string": self.command,
                "heredoc_token": self.heredoc,
                "quoted_word_list": self._list,
                **dict.fromkeys(("autoquoted_bareword", "filehandle"), lambda node: text(self.text(node))),
                "bareword": self._bareword,
                "package": lambda node: text(self.text(node)),
                "fileglob_expression": lambda node: call("glob", self._content(node)),
                "readline_expression": self.read_line,
                "match_regexp": self.match,
                "quoted_regexp": self.pattern,
                "substitution_regexp": self.substitution,
                "transliteration_expression": self.transliteration,
                "array_element_expression": lambda node: self._element(node, "@"),
                "hash_element_expression": lambda node: self._element(node, "%"),
                "slice_expression": self._slice,
                "anonymous_slice_expression": self._slice,
                "anonymous_array_expression": lambda node: nodes.Collection("array", self.items(node)),
                "anonymous_hash_expression": self.hash_of,
                "parenthesized_expression": self._lower_parenthesized,
                "list_expression": self._list,
                "stub_expression": lambda _: nodes.Collection("list", ()),
                "refgen_expression": self._reference,
                "variable_declaration": self.lower_declaration,
                "localization_expression": self.inner,
                "assignment_expression": self.assignment,
                **dict.fromkeys(
                    ("binary_expression", "equality_expression", "relational_expression", "lowprec_logical_expression"),
                    self._binary,
                ),
                **dict.fromkeys(("unary_expression", "logical_not_expression"), self._unary),
                **dict.fromkeys(("preinc_expression", "postinc_expression"), self._increment),
                "conditional_expression": lambda node: nodes.Conditional(
                    self.field(node, "condition"),
                    self.field(node, "consequent"),
                    self.field(node, "alternative"),
                ),
                **dict.fromkeys(_CALLS, self._call),
                "coderef_call_expression": self._call_of_reference,
                "method_call_expression": self._method_call,
                "map_grep_expression": self._map,
                "sort_expression": self._sort,
                "reverse_expression": lambda node: nodes.Call(nodes.Name("reverse"), self.arguments(self.children(node))),
                "anonymous_subroutine_expression": self.subroutine,
                "eval_expression": self.eval_expression,
                "do_expression": self.do_expression,
                "require_expression": self.require_expression,
                "undef_expression": self._undefine,
            }
        )

    # ---- variables

    def _variable(self, node: Node, sign: str) -> nodes.Expression:
        inner = next((each for each in node.named_children if each.type == "varname"), None)
        parts = self.children(inner) if inner is not None else self.children(node)
        if inner is not None and not parts:
            return nodes.Name(sign + self.text(inner).strip("{}"))
        if not parts:
            return nodes.Name(self.text(node))
        value = self._lower_dereferenced(parts[0])
        return value if sign == "$" else call("dereferenced", value)

    def _lower_dereferenced(self, node: Node) -> nodes.Expression:
        """Lowers the operand of a sigil: `@{ .. }`, `@$x`."""
        if node.type != "block":
            return self.expression(node)
        parts = self.children(node)
        only = self.children(parts[0]) if len(parts) == 1 and parts[0].type == "expression_statement" else []
        return self.expression(only[0]) if len(only) == 1 else self.value_of_block(node)

    def _function_name(self, node: Node) -> nodes.Expression:
        """Lowers `&f` and `&$f`; a name without a sigil is a call without arguments."""
        parts = [one for each in node.named_children for one in self.children(each)]
        if parts:
            return self._lower_dereferenced(parts[0])
        name = self.text(node)
        return self.function_named(name[1:]) if name.startswith("&") else self._call_named(name, [], node)

    def _bareword(self, node: Node) -> nodes.Expression:
        name = self.text(node)
        if self.qualify_name(name) in self.functions:
            return nodes.Call(self.function_named(name), ())
        return call("exit") if name == "exit" else text(name) if name not in ("STDIN", "__PACKAGE__") else text(self.package)

    def holder(self, node: Node) -> nodes.Expression:
        """Lowers an array or a hash that is modified, creating it if it does not exist."""
        parts = [one for each in node.named_children if each.type == "varname" for one in self.children(each)]
        inside: Any = (
            self._lower_dereferenced(parts[0]) if parts and node.type in ("array", "hash", "container_variable") else None
        )
        if isinstance(inside, nodes.Index):
            empty = nodes.Collection("array", ()) if node.type == "array" else nodes.MapLiteral(())
            return call("dereferenced", nodes.AssignmentExpression(inside, nodes.Logical("??", (inside, empty))))
        return self.expression(node)

    def _element(self, node: Node, sign: str) -> nodes.Expression:
        key = node.child_by_field_name("key") or node.child_by_field_name("index")
        place = self.expression(key)
        if key is not None and self.text(key).startswith("-") and sign == "@" and self.text(key)[1:].isdigit():
            place = number(int(self.text(key)))
        return nodes.Index(self._holder_of(node, sign), place)

    def _holder_of(self, node: Node, sign: str) -> nodes.Expression:
        container = node.child_by_field_name("array") or node.child_by_field_name("hash")
        if container is not None:
            return self._variable(container, sign)
        return self.expression(self.children(node)[0])

    def _slice(self, node: Node) -> nodes.Expression:
        """Lowers a slice: `@a[..]`, `@h{..}`, `(..)[..]`."""
        container = node.child_by_field_name("array") or node.child_by_field_name("hash") or node.child_by_field_name("list")
        sign = "@" if node.child_by_field_name("array") is not None else "%"
        if container is None:
            owner, *keys = self.children(node)
            holder = self.expression(owner)
        else:
            keys = [each for each in self.children(node) if each != container]
            holder = (
                nodes.Collection("list", self.items_of(container))
                if node.type.startswith("anonymous")
                else self._variable(container, sign)
            )
        places = tuple(one for each in keys for one in self.items_of(each))
        return call("slice", holder, nodes.Collection("list", places))

    def hash_of(self, node: Node) -> nodes.Expression:
        return nodes.Call(nodes.Name("hash of"), self.arguments(self.children(node)))

    def _reference(self, node: Node) -> nodes.Expression:
        parts = self.children(node)
        if parts and parts[0].type == "function":
            return self._function_name(parts[0])
        return call("reference to", self.inner(node))

    def _undefine(self, node: Node) -> nodes.Expression:
        parts = self.children(node)
        empty = nodes.Collection("list", ()) if parts and parts[0].type in ("array", "hash") else NOTHING
        return nodes.AssignmentExpression(self.target(parts[0]), empty) if parts else NOTHING

    # ---- lists

    def _list(self, node: Node) -> nodes.Expression:
        return nodes.Collection("list", self.items(node))

    def _lower_parenthesized(self, node: Node) -> nodes.Expression:
        parts = self.children(node)
        if len(parts) == 1 and parts[0].type not in ("list_expression", "array"):
            return self.expression(parts[0])
        return nodes.Collection("list", self.items(node))

    def items(self, node: Node) -> tuple[Any, ...]:
        """Returns the items of a list, nested lists flattened."""
        if node.type == "quoted_word_list":
            content = node.child_by_field_name("content")
            return tuple(text(each) for each in self.text(content).split())
        return tuple(one for each in self.children(node) for one in self.items_of(each))

    def items_of(self, node: Node) -> tuple[Any, ...]:
        if node.type in ("list_expression", "parenthesized_expression", "quoted_word_list"):
            return self.items(node)
        if node.type in SINGLE:
            return (self.expression(node),)
        if node.type == "stub_expression":
            return ()
        if node.type == "hash":
            return (nodes.Spread(call("flattened", self.expression(node))),)
        return (nodes.Spread(call("list of", self.expression(node))),)

    def arguments(self, parts: list[Node]) -> tuple[nodes.Argument, ...]:
        found: list[nodes.Argument] = []
        for each in (one for part in parts for one in self.items_of(part)):
            if isinstance(each, nodes.Spread):
                found.append(nodes.Argument("spread", "", each.value))
            else:
                found.append(nodes.Argument("positional", "", each))
        return tuple(found)

    # ---- operators

    def _binary(self, node: Node) -> nodes.Expression:
        operator = self.operator(node).strip()
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if operator in ("=~", "!~") and left is not None and right is not None:
            return self._lower_binding(left, right)
        if operator in ("..", "..."):
            return call("range", self.expression(left), self.expression(right))
        if operator == "x":
            return call("repeated", self.expression(left), self.expression(right))
        if operator in ("//", "||", "&&", "or", "and"):
            name = {"//": "??", "||": "or", "&&": "and"}.get(operator, operator)
            return nodes.Logical(name, (self.scalar(left), self.expression(right)))
        if operator == ".":
            return put_together([self.scalar(left), self.scalar(right)])
        return self.operation(operator, self.scalar(left), self.scalar(right))

    def _lower_binding(self, left: Node, right: Node) -> nodes.Expression:
        while left.type == "parenthesized_expression" and len(self.children(left)) == 1:
            left = self.children(left)[0]
        if left.type == "assignment_expression" and (place := left.child_by_field_name("left")) is not None:
            return call("last of", self.assignment(left), self._lower_binding(place, right))
        target = self.target(left)
        match right.type:
            case "substitution_regexp":
                return self.substitution(right, target)
            case "transliteration_expression":
                return self.transliteration(right, target)
            case "match_regexp":
                return self.match(right, self.expression(left))
            case _:
                return call("matches", self.expression(left), self.expression(right))

    def _unary(self, node: Node) -> nodes.Expression:
        operator = self.operator(node)
        operand = self.field(node, "operand")
        if operator == "+":
            return operand
        return nodes.Unary("not", operand) if operator in ("!", "not") else nodes.Unary(operator, operand)

    def _increment(self, node: Node) -> nodes.Expression:
        target, operator = self.field(node, "operand"), self.operator(node)[:1]
        made = nodes.AssignmentExpression(target, nodes.Operation(target, ((operator, number(1)),)))
        return (
            made if node.type == "preinc_expression" else nodes.Operation(made, (("-" if operator == "+" else "+", number(1)),))
        )

    # ---- calls

    def _argument_nodes(self, node: Node) -> list[Node]:
        """Returns the arguments of a call, one by one."""
        parts = node.children_by_field_name("arguments")
        if not parts:
            function = node.child_by_field_name("function")
            parts = [
                each for each in self.children(node) if each != function and each.type not in ("function", "indirect_object")
            ]
        found: list[Node] = []
        for each in parts:
            is_list = each.type == "list_expression"
            found += self.children(each) if is_list else [each]
        return found

    def _call(self, node: Node) -> nodes.Expression:
        function = node.child_by_field_name("function")
        operands = self._argument_nodes(node)
        if function is not None and function.type == "function":
            name = self.text(function)
            if name.startswith("&") or function.named_children:
                return nodes.Call(self._function_name(function), self.arguments(operands))
            return self._call_named(name, operands, node)
        return self._call_named(self.text(function), operands, node)

    def _call_named(self, name: str, operands: list[Node], node: Node) -> nodes.Expression:
        if self.qualify_name(name) in self.functions:
            return nodes.Call(self.function_named(name), self.arguments(operands))
        name = name.removeprefix("CORE::").removeprefix("GLOBAL::")
        if name.startswith("-") and len(name) == 2:
            return call("test of a file", *(self.expression(each) for each in operands))
        if name in ("shift", "pop") and not operands:
            return call(name, nodes.Name("@_" if self.depth else "@ARGV"))
        if name in ("open", "sysopen", "opendir", "socket") and operands:
            return self._lower_open(name, operands)
        if name in _HOLDERS and operands:
            holder = self.holder(operands[0])
            if name in ("delete", "exists"):
                return self._on_element(name, self.expression(operands[0]))
            return nodes.Call(nodes.Name(name), (*positional(holder), *self.arguments(operands[1:])))
        if name in ("chomp", "chop"):
            target = self.target(operands[0]) if operands else TOPIC
            is_text = isinstance(target, nodes.Name) and not target.name.startswith("@")
            return nodes.AssignmentExpression(target, call(name, target)) if is_text else target
        return self._call_plainly(name, operands, node)

    def _call_plainly(self, name: str, operands: list[Node], node: Node) -> nodes.Expression:
        """Lowers a call with a list of arguments, perhaps after a file handle or a program block."""
        object_ = next((each for each in node.named_children if each.type == "indirect_object"), None)
        if object_ is not None:
            return self._with_object(name, object_, operands)
        if name in _PRINTS and len(operands) == 1 and operands[0].type == "ambiguous_function_call_expression":
            handle = self.text(operands[0].child_by_field_name("function"))  # `print FILE "text"`
            if handle.isupper() and self.qualify_name(handle) not in self.functions:
                return nodes.Call(
                    nodes.Name("print to"), (*positional(text(handle)), *self.arguments(self._argument_nodes(operands[0])))
                )
        if name == "split" and operands and operands[0].type == "match_regexp":
            return nodes.Call(nodes.Name(name), (*positional(self.pattern(operands[0])), *self.arguments(operands[1:])))
        arguments = self.arguments(operands) or (positional(TOPIC) if name in (*_OF_TOPIC, "exec", "system") else ())
        return assign_options(nodes.Call(nodes.Name(name), arguments))

    def _on_element(self, name: str, element: Any) -> nodes.Expression:
        if isinstance(element, nodes.Index):
            return call(name, element.owner, element.key)
        if name == "delete" and isinstance(element, nodes.Call) and element.function == nodes.Name("slice"):
            return element._replace(function=nodes.Name("delete slice"))
        return element if name == "delete" else nodes.Literal(Unknown("a test"))

    def _with_object(self, name: str, node: Node, operands: list[Node]) -> nodes.Expression:
        """Lowers `print $file ..` and `system { $program } @arguments`."""
        parts = self.children(node)
        held = self._lower_dereferenced(parts[0]) if parts else text(self.text(node).strip("{} "))
        if name in _PRINTS:
            arguments = self.arguments(operands) or positional(TOPIC)
            return nodes.Call(nodes.Name("print to"), (*positional(held), *arguments))
        return nodes.Call(nodes.Name("start by name"), (*positional(held), *self.arguments(operands)))

    def _lower_open(self, name: str, operands: list[Node]) -> nodes.Expression:
        first, *more = operands
        made = nodes.Call(nodes.Name(name), self.arguments(more))
        if first.type in ("bareword", "filehandle", "string_literal", "autoquoted_bareword"):
            return nodes.AssignmentExpression(nodes.Attribute(nodes.Name("globals"), f"*{self.text(first)}"), made)
        return nodes.AssignmentExpression(self.target(first), made)

    def _call_of_reference(self, node: Node) -> nodes.Expression:
        function, *_ = self.children(node)
        operands = [each for each in self._argument_nodes(node) if each != function]
        return nodes.Call(self.expression(function), self.arguments(operands))

    def _method_call(self, node: Node) -> nodes.Expression:
        invocant, method = node.child_by_field_name("invocant"), node.child_by_field_name("method")
        operands = self._argument_nodes(node) if node.child_by_field_name("arguments") is not None else []
        is_class = invocant is not None and invocant.type in ("bareword", "package")
        owner = text(self.text(invocant).removesuffix("::")) if is_class else self.expression(invocant)
        if is_class and self.text(invocant) == "__PACKAGE__":
            owner = text(self.package)
        parts = self.children(method)
        name = text(self.text(method)) if not parts else self.expression(parts[0])
        arguments = (*positional(owner, name, text(self.package)), *self.arguments(operands))
        return nodes.Call(nodes.Name("call a method"), arguments)

    def _map(self, node: Node) -> nodes.Expression:
        callback = node.child_by_field_name("callback")
        parts = [each for each in self.children(node) if each != callback]
        function = self.topic_function(callback)
        return nodes.Call(nodes.Name(self.text(node.children[0])), (*positional(function), *self.arguments(parts)))

    def _sort(self, node: Node) -> nodes.Expression:
        callback = node.child_by_field_name("callback")
        parts = [each for each in self.children(node) if each != callback]
        function: nodes.Expression = NOTHING
        if callback is not None:
            body = (
                self.value_block(callback)
                if callback.type == "block"
                else (nodes.ExpressionStatement(self.expression(callback)),)
            )
            names = (nodes.Parameter("positional", "$a", None), nodes.Parameter("positional", "$b", None))
            function = nodes.Lambda("<lambda>", names, body)
        return nodes.Call(nodes.Name("sort"), (*positional(function), *self.arguments(parts)))
