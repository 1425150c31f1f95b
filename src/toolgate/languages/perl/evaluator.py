"""The abstract evaluator with Perl's blessed references and functions called by name."""

from __future__ import annotations

from typing import Any

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.evaluator import Evaluator
from toolgate.languages.evaluation.shared_state import Arguments
from toolgate.languages.evaluation.values import Function, ListValue, Reference, Unknown, Value, text_of
from toolgate.languages.scripting.data_sources import split_data_source
from toolgate.model.word import Word

_CONNECTS = ("DBI.connect", "DBI.connect_cached", "DBIx::Simple.connect")
"""Calls that take the name of a data source."""


class PerlEvaluator(Evaluator):
    """Evaluates Perl. `_classes`: the class that each reference is blessed into, by identity."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._classes: dict[int, tuple[object, str]] = {}

    def _call_one(self, function: Value, arguments: Arguments) -> Value:
        if isinstance(function, Word):
            function = self.function_named(function)
        if isinstance(function, Reference) and function.name in _CONNECTS:
            arguments = split_data_source(arguments) or arguments
        return super()._call_one(function, arguments)

    def function_named(self, name: Word) -> Value:
        """Returns the function of a name (`&{"main::clean"}`)."""
        if name.text is None:
            if not self.report.is_trusted:
                self.report.opaque("which function is called is computed")
            return Unknown("a function")
        bare = name.text.removeprefix("main::").removeprefix("&")
        found = self.patched.get(f"&{bare}")
        return found if found is not None else self.evaluate(nodes.Name(bare))

    def class_of(self, value: Value) -> str | None:
        """Returns the class of a reference, or the one that a text names."""
        if isinstance(value, Word):
            return value.text
        held = self._classes.get(id(_identity_of(value)))
        return None if held is None else held[1]

    def bless(self, value: Value, cls: str) -> None:
        """Gives a reference its class. What it refers to is kept, too, because the identity of one that is gone may be given to
        another."""
        self._classes[id(_identity_of(value))] = _identity_of(value), cls

    def find_method(self, cls: str, name: str, depth: int = 8) -> Value | None:
        found = self.patched.get(f"&{cls}::{name}" if cls != "main" else f"&{name}")
        if found is not None or not depth:
            return found
        parents = self.patched.get(f"@{cls}::ISA")
        for each in parents.items if isinstance(parents, ListValue) else ():
            parent = text_of(each)
            found = None if parent is None else self.find_method(parent, name, depth - 1)
            if found is not None:
                return found
        return None

    def method_of(self, owner: Value, name: str) -> Value | None:
        """Returns a method that the code defines; None for a library method."""
        cls = self.class_of(owner)
        if cls is None:
            return None
        found = self.find_method(cls, name)
        return found if found is not None else self.find_method(cls, "AUTOLOAD")

    def library_method(self, owner: Value, name: str) -> Value:
        cls = self.class_of(owner) if isinstance(owner, Word) else None
        if cls is not None:
            return Reference(self.library.canonicalize_name(f"{cls}.{name}"))
        return self.read_attribute(owner, name) if not isinstance(owner, Function) else Reference(f"?.{name}", owner)


def _identity_of(value: Value) -> object:
    """Returns the object that makes two references the same: of a list, its cell."""
    return value.cell if isinstance(value, ListValue) else value
