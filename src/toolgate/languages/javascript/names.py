"""What names and expressions stand for: through imports, declarations, assignments, destructuring, calls of the text's own
functions and loops over known lists. Every value that a name is ever given counts, in its scope."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from toolgate.languages import PART, word
from toolgate.model.effect import Interpret
from toolgate.model.seen import Seen
from toolgate.model.word import EMPTY, Word, known, unknown

from .bindings import REST, Bindings, Bound
from .grammar import FUNCTIONS, Tree, inner, text, unescaped
from .results import made_by, method
from .values import MOST, Argument, Code, Fields, Items, Name, Value, beneath, path_parent, path_resolved

if TYPE_CHECKING:
    from tree_sitter import Node

_DEEPEST = 48
_GIVEN = 200
_PLAIN = frozenset(
    ("await_expression", "parenthesized_expression", "as_expression", "non_null_expression", "satisfies_expression")
)


class Names:
    def __init__(self, tree: Tree, code: Interpret, seen: Seen) -> None:
        self._tree, self.beyond = tree, False
        self._code, self.seen, self.src = code, seen, frozenset({seen.origin.command})
        self._bindings = Bindings(tree)
        self._known: dict[tuple[int, str], list[Value]] = {}
        self._memory: dict[int, tuple[Value, ...]] = {}
        self._busy: set[int] = set()
        self.folders: tuple[Word, ...] = (seen.cwd,)
        found = [known_text for call in tree.of("call") for known_text in self._changed_to(call)]
        self.folders = (seen.cwd, *found)

    def _changed_to(self, call: Node) -> Iterator[Word]:
        for value in self.called(call):
            if value in (Name("process.chdir"), Name("Deno.chdir"), Name("zx.cd")):
                for argument in self.arguments(call)[:1]:
                    yield from (path_resolved((self.seen.cwd, each)) for each in self.words(argument))

    # ---- what an expression is

    def values(self, node: Node | None) -> tuple[Value, ...]:
        """Every value that it may have, as far as the text says; never none."""
        if node is None:
            return (known("undefined"),)
        if (found := self._memory.get(node.id)) is not None:
            return found
        if node.id in self._busy or len(self._busy) > _DEEPEST:
            return (self.unknown(node),)
        self._busy.add(node.id)
        values = self._some(self._values(node), self.unknown(node))
        self._busy.discard(node.id)
        self._memory[node.id] = tuple(values) or (self.unknown(node),)
        return self._memory[node.id]

    def unknown(self, node: Node) -> Word:
        return unknown(self._tree.shown(node), self.src)

    def _values(self, node: Node) -> list[Value]:
        kind = node.type
        if kind in _PLAIN:
            return list(self.values(inner(node)[0])) if inner(node) else []
        if kind in FUNCTIONS:
            return [Code(node)]
        does = getattr(self, f"_{kind}", None)
        found: list[Value] = does(node) if does is not None else [self.unknown(node)]
        return found

    def _string(self, node: Node) -> list[Value]:
        return [
            word("".join(unescaped(text(part)) if part.type == "escape_sequence" else text(part) for part in node.named_children))
        ]

    def _number(self, node: Node) -> list[Value]:
        return [known(text(node))]

    _true = _false = _null = _number

    def _template_string(self, node: Node) -> list[Value]:
        return list(self.template(node, lambda value: value))

    def template(self, node: Node, filled: Callable[[Word], Word]) -> tuple[Word, ...]:
        """The texts of a template, each value in it as `filled` has it."""
        results: tuple[Word, ...] = (EMPTY,)
        for part in node.named_children:
            match part.type:
                case "string_fragment":
                    pieces: tuple[Word, ...] = (word(text(part)),)
                case "escape_sequence":
                    pieces = (known(unescaped(text(part))),)
                case _:
                    inside = inner(part)
                    each = self.values(inside[0]) if inside else (EMPTY,)
                    pieces = tuple(filled(piece) for piece in self.words(each))
            results = tuple(before + piece for before in results for piece in pieces)
            if len(results) > MOST:
                return (self.unknown(node),)
        return results

    def _identifier(self, node: Node) -> list[Value]:
        name, scope = text(node), self._bindings.scopes.at(node.start_byte)
        while scope >= 0:
            if (found := self._bindings.of(scope, name)) is not None:
                return self._named(scope, name, found)
            scope = self._bindings.scopes.outside(scope)
        objects = [each for with_ in self._tree.of("with") if (each := with_.child_by_field_name("object")) is not None]
        opened = [inside for each in objects if node.start_byte >= each.end_byte for inside in self.values(each)]
        members = [beneath(inside, name) for inside in opened if isinstance(inside, Name)]
        return [word(name) if PART in name else self.constant(Name(name)), *members]

    def _named(self, scope: int, name: str, found: list[Bound]) -> list[Value]:
        """Worked out once; while that goes on, a name that is made of itself is unknown."""
        if (values := self._known.get((scope, name))) is None:
            self._known[scope, name] = [unknown(name, self.src)]
            self.beyond = self.beyond or len(found) > _GIVEN
            each = [value for bound in found[:_GIVEN] for value in self._reached(bound, name)]
            values = self._known[scope, name] = self._some(each, unknown(name, self.src)) or [unknown(name, self.src)]
        return values

    def _some(self, values: list[Value], beside: Word) -> list[Value]:
        """Each once, and not too many of them: then what can be called stays."""
        each = list(dict.fromkeys(values))
        return each if len(each) <= MOST else [*[value for value in each if isinstance(value, Name | Code)][:MOST], beside]

    def _this(self, _node: Node) -> list[Value]:
        return [Name("this")]

    def _import(self, _node: Node) -> list[Value]:
        return [Name("import")]

    _undefined = _identifier

    def _reached(self, bound: Bound, name: str) -> list[Value]:
        if bound.node is None and bound.value is None:
            return [unknown(name, self.src)]
        if bound.node is not None and bound.way[:1] == (REST,):
            return [Items(tuple(self.arguments(bound.node)[int(bound.way[1]) :]))]
        values: list[Value] = [bound.value] if bound.value is not None else list(self.values(bound.node))
        for step in bound.way:
            values = [
                after
                for value in values
                for after in (self.each(value) if step == "*" else self._member_of(value, step, bound.node))
            ]
        return values

    def _member_expression(self, node: Node) -> list[Value]:
        key, target = text(node.child_by_field_name("property")), node.child_by_field_name("object")
        if target is not None and target.type == "meta_property":
            return [self._meta(key)]
        return [found for value in self.values(target) for found in self._member_of(value, key, node)]

    def _subscript_expression(self, node: Node) -> list[Value]:
        keys = [each.text or "?" for each in self.words(self.values(node.child_by_field_name("index")))]
        targets = self.values(node.child_by_field_name("object"))
        return [found for value in targets for key in keys for found in self._member_of(value, key, node)]

    def _member_of(self, value: Value, key: str, node: Node | None) -> list[Value]:
        match value:
            case Name():
                return [self.constant(beneath(value, key))]
            case Fields() if (found := value.get(key)) is not None:
                return list(self.values(found))
            case Items(members=members) if key.isdigit() and int(key) < len(members):
                return list(members[int(key)])
            case Items(more=False) if key.isdigit():
                return [known("undefined")]
            case Items() if key == "?" or key.isdigit():
                return self.each(value)
            case Word() if value.text is not None and key.isdigit():
                return [known(value.text[int(key) : int(key) + 1], value.src)]
            case Code() | Word() if key == "constructor":
                return [Name("Function" if isinstance(value, Code) else "?.constructor")]
            case Code() if key in ("call", "apply", "bind"):
                return [value]
            case _:
                return [self.unknown(node).from_commands(self.sources(value)) if node is not None else unknown(key, self.src)]

    def sources(self, value: Value) -> frozenset[int]:
        return value.src if isinstance(value, Word) else self.src

    def _meta(self, key: str) -> Value:
        own = word(self._code.file or "[eval]")
        return {"dirname": path_parent(own), "dir": path_parent(own), "filename": own, "url": own, "path": own}.get(
            key, Name(f"import.meta.{key}")
        )

    def constant(self, name: Name) -> Value:
        """Names whose value the moment knows."""
        arguments = (known("node"), *(self._code.args if self._code.file else (known("-e"), *self._code.args)))
        if not self._code.file:
            arguments = (arguments[0], *arguments[2:])
        match name.dotted:
            case "__filename":
                return word(self._code.file or "[eval]")
            case "__dirname":
                return path_parent(word(self._code.file)) if self._code.file else known(".")
            case "process.argv" | "Bun.argv" | "argv":
                return Items(tuple((each,) for each in arguments))
            case "Deno.args":
                return Items(tuple((each,) for each in arguments[2:]))
            case "process.execPath" | "process.argv0":
                return known("node")
            case "path.sep":
                return known("/")
            case "os.EOL":
                return known("\n")
            case "process.env.HOME" | "Bun.env.HOME" | "process.env.USERPROFILE":
                return self.seen.variable("HOME") or known(self.seen.home)
            case "undefined":
                return known("undefined")
            case _:
                pass
        if name.dotted.startswith(("process.env.", "Bun.env.")):
            variable = name.dotted.rpartition(".")[2]
            return self.seen.variable(variable) or unknown(f"${variable}")
        return name

    def _array(self, node: Node) -> list[Value]:
        members: list[Argument] = []
        more = False
        for part in inner(node):
            if part.type != "spread_element":
                members.append(self.values(part))
                continue
            spread = self.values(inner(part)[0])
            more = more or any(not isinstance(value, Items) or value.more for value in spread)
            members += [member for value in spread for member in (value.members if isinstance(value, Items) else ((value,),))]
        return [Items(tuple(members), more)]

    def _object(self, node: Node) -> list[Value]:
        given: dict[str, Node] = {}
        whole = True
        for part in inner(node):
            key, value = part.child_by_field_name("key"), part.child_by_field_name("value")
            if part.type == "pair" and key is not None and value is not None:
                given[text(key).strip("'\"`")] = value
                whole = whole and key.type != "computed_property_name"
            elif part.type == "shorthand_property_identifier":
                given[text(part)] = part
            elif part.type == "method_definition":
                given[text(part.child_by_field_name("name"))] = part
            else:
                inside = inner(part)
                spread = self.values(inside[0]) if inside else ()
                whole = whole and all(isinstance(value, Fields) and value.whole for value in spread)
                for each in spread:
                    given.update(each.given if isinstance(each, Fields) else ())
        return [Fields(tuple(given.items()), whole)]

    _shorthand_property_identifier = _identifier

    def _binary_expression(self, node: Node) -> list[Value]:
        operator = text(node.child_by_field_name("operator"))
        if operator in ("||", "??", "&&"):
            return [*self.values(node.child_by_field_name("left")), *self.values(node.child_by_field_name("right"))]
        if operator != "+":
            return [self.unknown(node)]
        terms: list[Node | None] = []
        spine: Node | None = node
        while spine is not None and spine.type == "binary_expression" and text(spine.child_by_field_name("operator")) == "+":
            terms.append(spine.child_by_field_name("right"))
            spine = spine.child_by_field_name("left")
        results: tuple[Word, ...] = (EMPTY,)
        for term in reversed([*terms, spine]):
            results = tuple(before + piece for before in results for piece in self.words(self.values(term)))
            if len(results) > MOST:
                return [self.unknown(node)]
        return list(results)

    def _ternary_expression(self, node: Node) -> list[Value]:
        return [*self.values(node.child_by_field_name("consequence")), *self.values(node.child_by_field_name("alternative"))]

    def _sequence_expression(self, node: Node) -> list[Value]:
        return list(self.values(inner(node)[-1]))

    def _assignment_expression(self, node: Node) -> list[Value]:
        return list(self.values(node.child_by_field_name("right")))

    # ---- calls

    def called(self, call: Node) -> tuple[Value, ...]:
        """What is called."""
        return self.values(call.child_by_field_name("function") or call.child_by_field_name("constructor"))

    def arguments(self, call: Node) -> list[Argument]:
        given = call.child_by_field_name("arguments")
        if given is None or given.type != "arguments":
            return []
        found: list[Argument] = []
        for part in inner(given):
            if part.type != "spread_element":
                found.append(self.values(part))
                continue
            for value in self.values(inner(part)[0]):
                found += list(value.members) if isinstance(value, Items) else [(self.word(value),)]
        return found

    def _call_expression(self, node: Node) -> list[Value]:
        arguments = self.arguments(node)
        results: list[Value] = []
        for callee in self.called(node):
            match callee:
                case Code(node=function):
                    results += self.returned(function)
                case Name():
                    results += made_by(self, callee, arguments, node)
                case _:
                    results.append(self.unknown(node).from_commands(self.sources(callee)))
        callee_node = node.child_by_field_name("function")
        if callee_node is not None and callee_node.type == "member_expression":
            verb = text(callee_node.child_by_field_name("property"))
            for target in self.values(callee_node.child_by_field_name("object")):
                if not isinstance(target, Name):
                    results = [result for result in results if not isinstance(result, Word) or result.text is not None]
                    results += method(self, target, verb, arguments, node)
        return results

    def _new_expression(self, node: Node) -> list[Value]:
        arguments = self.arguments(node)
        results: list[Value] = []
        for callee in self.called(node):
            if callee in (Name("URL"), Name("url.URL")) and arguments:
                bases = [path_parent(each) for each in self.words(arguments[1])] if len(arguments) > 1 else [EMPTY]
                results += [path_resolved((base, each)) for base in bases for each in self.words(arguments[0])]
            else:
                results.append(Name(f"{callee.dotted}()") if isinstance(callee, Name) else self.unknown(node))
        return results

    def returned(self, function: Node) -> list[Value]:
        body = function.child_by_field_name("body")
        if body is not None and body.type != "statement_block":
            return list(self.values(body))
        return [value for node in self._bindings.returned.get(function.id, ()) for value in self.values(node)]

    # ---- values as words

    def each(self, value: Value) -> list[Value]:
        """One of what a loop goes through."""
        if isinstance(value, Items):
            return [each for member in value.members for each in member] or [unknown("a member", self.src)]
        return [value if isinstance(value, Word) and value.text is None else unknown("a member", self.src)]

    def word(self, value: Value) -> Word:
        match value:
            case Word():
                return value
            case Name(dotted=dotted):
                return unknown(dotted[:60], self.src)
            case _:
                return unknown("a value", self.src)

    def words(self, values: tuple[Value, ...]) -> tuple[Word, ...]:
        return tuple(dict.fromkeys(self.word(value) for value in values))
