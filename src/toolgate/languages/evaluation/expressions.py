"""Evaluates expressions to values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

from toolgate.model.word import HoleKind, Maybe, Word, encoded_word, known_word, part_word, unknown_word

from . import nodes
from .endless_loops import calls_for_many, count_requests, has_many_items
from .listings import lists_objects
from .operations import Operations
from .operators import key_of
from .own_variables import entry_of_any_name, read_entry
from .path_lists import PathLists
from .read_tables import mark_rows
from .selections import Selections
from .shared_state import MAX_UNROLLED, Arguments
from .switches import follow_conversion
from .values import (
    MAX_ALTERNATIVES,
    NULL,
    REST_KEY,
    Constant,
    Function,
    Instance,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    holds_environment,
    join_all,
    join_two,
    list_alternatives,
    unknown_from,
    unknown_item_of,
    unknown_of_kind,
)


class Expressions(Operations):
    """Evaluates expressions, and stores values in their targets."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.selections, self.path_lists = Selections(), PathLists()
        self._evaluates: dict[type, Callable[[Any], Value]] = {
            nodes.Literal: lambda node: node.value,
            nodes.Name: self._load_name,
            nodes.Attribute: lambda node: self._read_attribute_of(self.evaluate(node.owner), node.name),
            nodes.Index: lambda node: self.read_index(self.evaluate(node.owner), self.evaluate(node.key)),
            nodes.Slice: self._read_slice,
            nodes.Call: self._evaluate_call,
            nodes.Construction: lambda node: self.construct(
                self.evaluate(node.function), self._evaluate_arguments(node.arguments)
            ),
            nodes.Collection: self._build_collection,
            nodes.Spread: lambda node: self.evaluate(node.value),
            nodes.MapLiteral: self._build_map,
            nodes.Lambda: self.make_function,
            nodes.Concatenation: self.evaluate_concatenation,
            nodes.Operation: self.evaluate_operation,
            nodes.Unary: self.evaluate_unary,
            nodes.Logical: self.evaluate_logical,
            nodes.Comparison: self.evaluate_comparison,
            nodes.Conditional: self.evaluate_conditional,
            nodes.Comprehension: self._evaluate_comprehension,
            nodes.AssignmentExpression: self._assign_expression,
            nodes.Yield: self._evaluate_yield,
        }

    def evaluate(self, node: nodes.Expression) -> Value:
        self.work.spend_steps()
        return self._evaluates[type(node)](node)

    # ---- names

    def _load_name(self, node: nodes.Name) -> Value:
        name, frame = node.name, self.frame
        while frame is not None:
            value = frame.variables.get(name)
            if value is not None:
                return value
            if frame.parent is None:
                break
            frame = frame.parent
        patch = self.patched.get(name)
        if patch is not None:
            return patch
        builtin = self.library.find_builtin(self, name)
        if builtin is not None:
            return self.load_reference(builtin)
        for star in reversed([key for key in frame.variables if key[0] == "*"]):
            if self.library.has_call(f"{star[1:]}.{name}"):
                return self.load_reference(Reference(f"{star[1:]}.{name}"))
        return self.report.unknown_name(name)

    def load_reference(self, value: Value) -> Value:
        if isinstance(value, Reference):
            if not self.library.is_harmful(value):
                return value._replace(matters=False)
            self.loaded.add(value)
        return value

    def make_function(self, node: nodes.Lambda) -> Function:
        """Returns a function as a value. Its defaults are evaluated now."""
        parameters = tuple(
            each if each.default is None else each._replace(default=nodes.Literal(self.evaluate(each.default)))
            for each in node.parameters
        )
        function = Function(node.name, parameters, node.body, self.frame, node.generates, None, node.binding, node.is_async)
        self.functions.setdefault(id(node.body), function)
        return function

    # ---- calls

    def _evaluate_arguments(self, arguments: tuple[nodes.Argument, ...]) -> Arguments:
        positional: list[Value] = []
        named: dict[str, Value] = {}
        rest: Value | None = None
        for kind, name, value in arguments:
            got = self.evaluate(value)
            if kind == "positional":
                positional.append(got)
            elif kind == "named":
                named[name] = got
            elif kind == "spread":
                items, more = self.items_of(got)
                positional += items
                rest = join_two(rest, more)
            else:
                for each in list_alternatives(got):
                    if isinstance(each, MapValue):
                        named.update({str(key): value for key, value in each.known_entries})
                        rest = join_two(rest, each.rest)
                    else:
                        rest = join_two(rest, unknown_from("arguments", each))
        return Arguments(tuple(positional), named, rest)

    # ---- containers

    def _build_collection(self, node: nodes.Collection) -> ListValue:
        found: list[Value] = []
        rest: Value | None = None
        for each in node.items:
            value = self.evaluate(each)
            if isinstance(each, nodes.Spread):
                items, more = self.items_of(value)
                found += items
                rest = join_two(rest, more)
            else:
                found.append(value)
        return ListValue(node.kind, found, rest)

    def _build_map(self, node: nodes.MapLiteral) -> MapValue:
        made = self.library.map_type()
        for key, value in node.pairs:
            got = self.evaluate(value)
            if key is not None:
                self.put_entry(made, self.evaluate(key), got)
                continue
            for each in list_alternatives(got):
                if isinstance(each, MapValue):
                    made.entries.update(each.entries)
                else:
                    made.entries[REST_KEY] = self.join_values(made.rest, entry_of_any_name(each))
        return made

    def put_entry(self, target: MapValue, key: Value, value: Value) -> None:
        """Stores an entry by a key that may be unknown."""
        keys = [key_of(each) for each in list_alternatives(key)]
        if len(keys) == 1 and keys[0] is not None:
            self.journal.put_entry(target, keys[0][0], value)
        else:
            self.journal.put_entry(target, REST_KEY, self.join_values(target.rest, value))

    def read_index(self, owner: Value, key: Value) -> Value:
        part = self.map_alternatives(owner, lambda each: self._index_of_one(each, key))
        self.path_lists.follow_part(owner, part)
        self.report.openings.likely.follow_index(part, owner, key, self.read_index)
        return part

    def _index_of_one(self, owner: Value, key: Value) -> Value:
        found = self.library.read_index(self, owner, key)
        if found is not None:
            return found
        literal = key_of(key)
        at = literal[0] if literal is not None else None
        if isinstance(owner, ListValue):
            items = owner.items
            if isinstance(at, int):
                if (0 <= at < len(items)) or (owner.rest is None and -len(items) <= at < 0):
                    return items[at]
                return self.join_values(owner.rest, *(items if owner.rest is not None and at < 0 else ()))
            return self.join_values(*items, owner.rest)
        if isinstance(owner, MapValue):
            return read_entry(self, owner, at) if literal is not None else self.join_values(*owner.entries.values())
        if isinstance(owner, Word):
            if owner.text is not None and isinstance(at, int) and -len(owner.text) <= at < len(owner.text):
                return known_word(owner.text[at], owner.src)
            return encoded_word(f"{owner.display_text}[..]", owner, owner.src)
        if isinstance(owner, Instance) and isinstance(at, str) and at in owner.fields:
            return owner.fields[at]
        return unknown_item_of(owner)

    def _read_slice(self, node: nodes.Slice) -> Value:
        owner = self.evaluate(node.owner)
        bounds = [NULL if each is None else self.evaluate(each) for each in (node.low, node.high, node.step)]
        if all(isinstance(each, Constant) and isinstance(each.value, int | None) for each in bounds):
            low, high, step = (each.value for each in bounds if isinstance(each, Constant))
            at: slice | None = slice(low, high, step) if step != 0 else None
        else:
            at = None
        return self.map_alternatives(owner, lambda each: self._slice_of_one(each, at))

    def _slice_of_one(self, owner: Value, at: slice | None) -> Value:
        if isinstance(owner, ListValue):
            if at is not None and owner.rest is None:
                return ListValue(owner.kind, owner.items[at])
            return ListValue(owner.kind, (), join_all((*owner.items, owner.rest)))
        if isinstance(owner, Word):
            if owner.text is not None and at is not None:
                return known_word(owner.text[at], owner.src)
            if (
                at is not None
                and at.stop is None
                and at.step is None
                and isinstance(at.start, int)
                and 0 <= at.start <= len(owner.head)
            ):
                return owner.drop_first(at.start)
            start, end = (at.start or 0, at.stop) if at is not None and at.step is None else (None, None)
            return part_word(f"{owner.display_text}[..]", owner, start, end, owner.src)
        return unknown_from("a part of it", owner)

    def items_of(self, value: Value) -> tuple[list[Value], Value | None]:
        """Returns the items that a loop iterates over, and the value of any further item."""
        found = list_alternatives(value)
        if len(found) > 1:
            parts = [self.items_of(each) for each in found]
            return [], join_all(item for items, rest in parts for item in (*items, rest))
        only = self.library.convert_iterable(self, found[0]) or found[0]
        match only:
            case ListValue():
                return list(only.items), only.rest
            case MapValue():
                keys: list[Value] = [known_word(key) if isinstance(key, str) else Constant(key) for key, _ in only.known_entries]
                return keys, None if only.rest is None else Unknown("a key")
            case Word() if only.text is not None:
                letters: list[Value] = [known_word(char, only.src) for char in only.text[:MAX_UNROLLED]]
                return letters, unknown_word("a character", only.src) if len(only.text) > MAX_UNROLLED else None
            case Instance() if only.cls is not None and isinstance(own := self.read_attribute(only, "__iter__"), Function):
                made = self.call(own, Arguments())
                return ([], unknown_item_of(only)) if made is only else self.items_of(made)
            case Instance() if "items" in only.fields:
                return self.items_of(only.fields["items"])
            case Instance() if only.type == "os.environ":
                return [], unknown_of_kind(HoleKind.VARIABLE_NAME)
            case Word() if holds_environment(only):
                return [], only
            case Word():
                return [], encoded_word(f"a line of {only.display_text}", only, only.src)
            case _:
                item = unknown_item_of(only)
                self.selections.follow_item(only, item)
                held = self.path_lists.find(only)
                return [], item if held is None else join_all((item, *held.items[:MAX_ALTERNATIVES], held.rest))

    # ---- the rest

    def _assign_expression(self, node: nodes.AssignmentExpression) -> Value:
        value = self.evaluate(node.value)
        self.store(node.target, value)
        return value

    def _evaluate_yield(self, node: nodes.Yield) -> Value:
        value = NULL if node.value is None else self.evaluate(node.value)
        target = self.frame.yielded
        if target is None:
            return Unknown("sent data")
        items, rest = self.items_of(value) if node.is_spread else ([value], None)
        if self.is_certain:
            self.journal.append_items(target, items, rest)
        else:
            self.journal.replace_items(target, target.items, join_all((target.rest, *items, rest)))
        return Unknown("sent data")

    def _evaluate_call(self, node: nodes.Call) -> Value:
        with count_requests(self) if calls_for_many(self, node) else nullcontext():
            owner: Value | None = None
            if isinstance(node.function, nodes.Attribute):
                owner = self.evaluate(node.function.owner)
                function = self._read_attribute_of(owner, node.function.name)
            else:
                function = self.evaluate(node.function)
            arguments = self._evaluate_arguments(node.arguments)
            result = mark_rows(self, function, arguments, self.call(function, arguments))
            self.selections.follow_call(self, owner, function, arguments, result)
            self.path_lists.follow_call(owner, arguments, result)
            follow_conversion(self, owner, function, arguments, result)
            return result

    def _read_attribute_of(self, owner: Value, name: str) -> Value:
        found = self.read_attribute(owner, name)
        self.selections.follow_attribute(owner, found)
        self.report.openings.likely.follow(found, owner, lambda likely: self.read_attribute(likely, name))
        return found

    def _evaluate_comprehension(self, node: nodes.Comprehension) -> Value:
        is_long = any(has_many_items(self, each.iterable) for each in node.clauses)
        with count_requests(self) if is_long else nullcontext():
            return self._collect_comprehension(node)

    def _collect_comprehension(self, node: nodes.Comprehension) -> Value:
        from .journal import Frame

        outer = self.frame
        self.frame = frame = Frame(outer, outer.unit, outer.start)
        frame.receiver, frame.yielded, frame.jumps = outer.receiver, outer.yielded, None
        items: list[Value] = []
        others: list[Value] = []
        room, listings = self.unrolled, self.listings

        def collect_items(at: int, is_sure: bool) -> None:
            if at == len(node.clauses):
                (items if is_sure and len(items) < 2 * MAX_UNROLLED else others).append(self.evaluate(node.element))
                return
            clause = node.clauses[at]
            self.listings += lists_objects(clause.iterable)
            for item, exists in self.iter_rounds(self.evaluate(clause.iterable)):
                self.store_here(clause.target, item)
                answer = self._evaluate_tests(clause.tests)
                if answer is not False:
                    if is_sure and exists and answer is True:
                        collect_items(at + 1, True)
                    else:
                        self.repeats += 1
                        self.run_possibly(lambda: collect_items(at + 1, False))
                        self.repeats -= 1

        try:
            collect_items(0, True)
        finally:
            self.frame, self.unrolled, self.listings = outer, room, listings
        rest = join_all(others)
        if node.kind != "map":
            return ListValue(node.kind, items, rest)
        return self._map_of_pairs(items, rest)

    def _evaluate_tests(self, tests: tuple[nodes.Expression, ...]) -> Maybe:
        answer: Maybe = True
        for test in tests:
            passed = self.decide_test(test)
            if passed is False:
                return False
            if passed is None:
                answer = None
                self.narrow_by_test(test, True)
        return answer

    def _map_of_pairs(self, pairs: list[Value], rest: Value | None) -> MapValue:
        made = MapValue()
        for pair in pairs:
            if isinstance(pair, ListValue) and len(pair.items) == 2:
                self.put_entry(made, *pair.items)
        if rest is not None:
            values = [self.read_index(each, Constant(1)) for each in list_alternatives(rest)]
            made.entries[REST_KEY] = self.join_values(*values, made.rest)
        return made

    def iter_rounds(self, iterable: Value) -> Iterator[tuple[Value, bool]]:
        """Yields the items for a loop one by one, each with whether it certainly exists; if there are many, or reading them
        has taken much of the remaining work, the others together."""
        items, rest = self.items_of(iterable)
        room = 0 if self.journal.is_linear else min(MAX_UNROLLED, max(2, self.unrolled))
        self.unrolled = max(1, self.unrolled // max(1, min(len(items), room)))
        self.work.spend_steps(len(items))
        enough = self.work.left * 3 // 4
        for n, item in enumerate(items[:room]):
            if n > 1 and self.work.left < enough:
                room = n
                break
            yield item, True
        others = join_all((*items[room:], rest))
        if others is not None:
            yield others, False

    # ---- declared here, defined where values are stored

    def store_here(self, target: nodes.Expression, value: Value) -> None:
        """Binds names in the current frame, even if they exist in an outer one."""
        raise NotImplementedError
