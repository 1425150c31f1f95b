"""The evaluator with JavaScript's semantics: conversion to text, objects changed by unknown functions, `new` for functions."""

from __future__ import annotations

from typing import Any

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.client_settings import keep_settings
from toolgate.languages.evaluation.evaluator import Evaluator
from toolgate.languages.evaluation.shared_state import Arguments
from toolgate.languages.evaluation.values import (
    NULL,
    ClassValue,
    Constant,
    Function,
    Instance,
    ListValue,
    MapValue,
    ObjectValue,
    Reference,
    Unknown,
    Value,
    list_alternatives,
)
from toolgate.model.word import known_word

from .text import as_word


class JavaScriptEvaluator(Evaluator):
    """`sources`: the text of each function, by the identity of its body. `members`: properties of functions. `exposed`:
    objects that were passed to an unknown function, which may have changed them."""

    prints_fields = True

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.sources: dict[int, str] = {}
        self.members: dict[int, ObjectValue] = {}
        self.exposed: dict[int, MapValue] = {}

    def members_of(self, function: Function) -> ObjectValue:
        return self.members.setdefault(id(function.body), ObjectValue())

    def concatenate(self, values: list[Value]) -> Value:
        return super().concatenate([self.map_alternatives(each, as_word) for each in values])

    def put_entry(self, target: MapValue, key: Value, value: Value) -> None:
        """Stores an entry; names of properties are text."""
        is_number = isinstance(key, Constant) and isinstance(key.value, int)
        super().put_entry(target, known_word(str(key.value)) if is_number and isinstance(key, Constant) else key, value)

    def store_attribute(self, owner: Value, name: str, value: Value, *, is_only: bool) -> None:
        if isinstance(owner, Function):
            self.journal.put_entry(self.members_of(owner), name, value)
            return
        if isinstance(owner, MapValue) and isinstance(setter := owner.entries.get(f"set {name}"), Function):
            self.call(setter._replace(receiver=owner), Arguments((value,)))
        if isinstance(owner, ListValue) and name == "length":
            length = value.value if isinstance(value, Constant) else None
            if owner.rest is None and isinstance(length, int) and length >= 0:
                self.journal.replace_items(owner, owner.items[:length], None)
            else:
                self.loosen_container(owner)
        super().store_attribute(owner, name, value, is_only=is_only)

    def _run_import(self, node: nodes.Import) -> None:
        """The default export of a module that has none is all that it exports."""
        loaded = self.load_module(node.module) if node.attribute == "default" else None
        if loaded is None or (isinstance(loaded, MapValue) and "default" in loaded.entries):
            super()._run_import(node)
        else:
            self.store(nodes.Name(node.bound), loaded)

    def call_unknown(self, why: str, arguments: Arguments, receiver: Value | None = None) -> Value:
        for value in arguments.positional:
            self.exposed.update((id(each), each) for each in list_alternatives(value) if isinstance(each, MapValue))
        return super().call_unknown(why, arguments, receiver)

    def construct(self, function: Value, arguments: Arguments) -> Value:
        found = list_alternatives(function)
        return self.choose_branch([lambda each=each: self._construct_one(each, arguments) for each in found])  # type: ignore[misc]

    def _construct_one(self, function: Value, arguments: Arguments) -> Value:
        if isinstance(function, Function):
            prototype = self.members_of(function).entries.setdefault("prototype", ObjectValue())
            fields = prototype.entries if isinstance(prototype, MapValue) else {}
            made = Instance(function.name, {}, None, ClassValue(function.name, (), fields, ()))  # type: ignore[arg-type]
            self.call(function._replace(receiver=made), arguments)
            return made
        made_by_call = self.call(function, arguments)
        name = _name_of_class(function)
        if name and isinstance(made_by_call, Unknown) and not self.library.has_call(name):
            made = Instance(name, {"given": made_by_call})
            keep_settings(self, made, *arguments.all_values())
            return made
        is_false = name in _WRAPPERS and self.library.truth_of(made_by_call) is False
        return Unknown("an object") if is_false or made_by_call is NULL else made_by_call


_WRAPPERS = ("Number", "String", "Boolean")
"""Classes of objects around a value, which are true even where the value is not."""


def _name_of_class(function: Value) -> str:
    """Returns the name of a class that no code declares: of a library, or a global one."""
    if isinstance(function, Reference):
        return function.name
    return function.name if isinstance(function, Unknown) and function.name.isalnum() and function.name[:1].isupper() else ""
