"""The abstract evaluator with Lua's metatables and callable tables."""

from __future__ import annotations

from typing import Any

from toolgate.languages.evaluation.evaluator import Evaluator
from toolgate.languages.evaluation.shared_state import Arguments
from toolgate.languages.evaluation.values import NULL, Function, ListValue, MapValue, Value
from toolgate.model.word import known_word


class LuaEvaluator(Evaluator):
    """Evaluates Lua. `_metatables`: the metatable of each table, by identity; the table is kept, too, because the identity of
    one that is gone may be given to another."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._metatables: dict[int, tuple[MapValue, MapValue]] = {}

    def set_metatable(self, table: MapValue, metatable: MapValue) -> None:
        self._metatables[id(table)] = table, metatable

    def metatable_of(self, table: Value) -> MapValue | None:
        held = self._metatables.get(id(table))
        return None if held is None else held[1]

    def find_in_table(self, table: MapValue, key: object, depth: int = 8) -> Value | None:
        """Returns the value that a table stores under a key, or the one from its metatable's `__index`."""
        found = table.entries.get(key)
        if found is not None or not depth:
            return found
        index = self._metamethod(table, "__index")
        if isinstance(index, MapValue):
            return self.find_in_table(index, key, depth - 1)
        if isinstance(index, Function) and isinstance(key, str):
            return self.call(index, Arguments((table, known_word(key))))
        return None

    def _metamethod(self, table: MapValue, name: str) -> Value | None:
        metatable = self.metatable_of(table)
        return None if metatable is None else metatable.entries.get(name)

    def put_entry(self, target: MapValue, key: Value, value: Value) -> None:
        """Stores an entry; storing nil removes it."""
        if value is NULL:
            self.delete_entry(target, key)
        else:
            super().put_entry(target, key, value)

    def store_attribute(self, owner: Value, name: str, value: Value, *, is_only: bool) -> None:
        if isinstance(owner, MapValue):
            self.put_entry(owner, known_word(name), value)
        else:
            super().store_attribute(owner, name, value, is_only=is_only)

    def _call_one(self, function: Value, arguments: Arguments) -> Value:
        if isinstance(function, MapValue) and (own := self._metamethod(function, "__call")) is not None:
            return self.call(own, arguments._replace(positional=(function, *arguments.positional)))
        if isinstance(function, ListValue) and function.kind == "values" and function.items:  # `assert(load(code))()`
            return self.call(function.items[0], arguments)
        return super()._call_one(function, arguments)
