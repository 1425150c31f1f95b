"""Go's standard packages and the types of its values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    ClassValue,
    Constant,
    Instance,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    list_alternatives,
)
from toolgate.languages.scripting.library import ScriptLibrary
from toolgate.model.effect import Interpret
from toolgate.model.word import Word, known_word

from . import calls, commands, results
from .declarations import package_name
from .narrowing import find_narrowing
from .provider_calls import find_service_package, note_provider_call
from .tables import ROWS

if TYPE_CHECKING:
    from toolgate.languages.evaluation.library_table import SpecialCall

_CONSTANTS: Mapping[str, Value] = {
    **{f"os.O_{name}": Constant(flag) for name, flag in calls.OPEN_FLAGS.items()},
    **{f"syscall.O_{name}": Constant(flag) for name, flag in calls.OPEN_FLAGS.items()},
    **{f"http.Method{name.capitalize()}": known_word(name) for name in "GET POST PUT PATCH DELETE HEAD OPTIONS".split()},
    **dict.fromkeys(("os.PathSeparator", "filepath.Separator"), known_word("/")),
    **dict.fromkeys(("os.DevNull",), known_word("/dev/null")),
    **{f"syscall.SIG{name}": Constant(number) for name, number in (("KILL", 9), ("TERM", 15), ("INT", 2), ("HUP", 1))},
}
_CALL_NAME = re.compile(r"[\w/$@-]+(?:\.[\w$@-]+(?:\[\])?){1,8}")


class GoLibrary(ScriptLibrary):
    rest_kind = list_kind = "array"
    false_texts = ()
    zero_is_false = False
    closed_types = frozenset(("list", "object", "function", "number"))
    writing_calls = frozenset(
        (
            *("file.Write", "file.WriteString", "file.Close", "file.Sync", "file.Name", "io.WriteString", "io.Copy"),
            *("fmt.Fprint", "fmt.Fprintf", "fmt.Fprintln", "started beside", "all results", "results of"),
        )
    )

    def __init__(self) -> None:
        own = {"made value": self._make_value, "value of type": self._value_of_type}
        specials: Mapping[str, SpecialCall] = {**calls.CALLS, **commands.CALLS, **own}
        super().__init__(ROWS, specials, calls.HARMFUL | commands.HARMFUL, "", results.RESULTS)
        self._types = {name.rpartition(".")[0] for name in (*self._texts, *self._specials) if _names_method(name)}

    # ---- packages and types

    def module_reference(self, name: str) -> Value:
        """Returns a package. One that is not of the standard library never has the name of one that is."""
        if (service := find_service_package(name)) is not None:
            return Reference(service)
        own = package_name(name)
        is_standard = "." not in name.partition("/")[0]
        return Reference(own if is_standard or own not in calls.STANDARD_PACKAGES else f"x/{own}")

    def type_of(self, value: Value) -> str:
        """Returns the type whose methods a value has. An unknown result has the name of the call that made it."""
        if isinstance(value, Unknown):
            return value.name if _CALL_NAME.fullmatch(value.name) else "?"
        return super().type_of(value)

    # ---- names and parts

    def find_builtin(self, _evaluation: Evaluation, name: str) -> Value | None:
        return Reference(name) if self.has_call(name) and "." not in name else None

    def read_constant(self, evaluation: Evaluation, name: str) -> Value | None:
        if name == "os.Args":
            found = evaluation.report.script_arguments()
            return ListValue("array", found.items, found.rest) if isinstance(found, ListValue) else found
        return _CONSTANTS.get(name)

    def read_property(self, evaluation: Evaluation, owner: Value, name: str) -> Value | None:
        if isinstance(owner, MapValue):
            return owner.entries.get(name)
        if isinstance(owner, Instance) and owner.type == "package":
            return owner.fields.get(name) or Unknown(name)
        if isinstance(owner, Instance) and owner.cls is not None and name not in owner.fields:
            return self._read_promoted(evaluation, owner, name)
        return super().read_property(evaluation, owner, name)

    def _read_promoted(self, evaluation: Evaluation, owner: Instance, name: str) -> Value | None:
        """Returns a field or a method of an embedded struct, if the struct itself has none of this name."""
        from toolgate.languages.evaluation.assignment_targets import find_in_class

        assert owner.cls is not None
        found = find_in_class(owner.cls, name)
        if found is not None and name in owner.cls.fields:
            return None
        for each in owner.cls.annotated:
            inner = owner.fields.get(each)
            is_embedded = any(
                isinstance(base, ClassValue | Reference) and base.name.rpartition(".")[2] == each for base in owner.cls.bases
            )
            if is_embedded and inner is not None and (isinstance(inner, Unknown | Reference) or self._has_part(inner, name)):
                return evaluation.read_attribute(inner, name)
        return None if found is not None or owner.cls.bases else Unknown(name) if name in owner.cls.annotated else None

    def _has_part(self, value: Value, name: str) -> bool:
        from toolgate.languages.evaluation.assignment_targets import find_in_class

        if not isinstance(value, Instance):
            return False
        is_method = value.cls is not None and find_in_class(value.cls, name) is not None
        return name in value.fields or is_method or self.has_call(f"{value.type}.{name}")

    def read_index(self, evaluation: Evaluation, owner: Value, key: Value) -> Value | None:
        if isinstance(owner, MapValue) and isinstance(key, Constant | Word):
            literal = key.value if isinstance(key, Constant) else key.text
            if literal is not None and literal not in owner.entries and owner.rest is None:
                return Unknown("an entry")
        return None if isinstance(owner, MapValue) else super().read_index(evaluation, owner, key)

    def find_narrowing(self, evaluation: Evaluation, test: nodes.Expression) -> tuple[nodes.Expression, list[str]] | None:
        return find_narrowing(evaluation, test)

    # ---- calls

    def call_unlisted(self, evaluation: Evaluation, reference: Reference, arguments: Arguments) -> Value:
        """Handles a call that no table describes. Its result has the name of the call, whose package is its first part."""
        is_of_provider = note_provider_call(evaluation, reference.name, arguments)
        if isinstance(reference.receiver, Unknown) and reference.receiver.carries and not is_of_provider:
            evaluation.call(reference.receiver, arguments)
        return evaluation.call_unknown(reference.name, arguments, reference.receiver)

    def _make_value(self, _evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
        """Returns a value with these fields: an object of a class of the text, or of a type with methods in the tables."""
        kind, fields = arguments.positional
        entries = {str(key): value for key, value in fields.known_entries} if isinstance(fields, MapValue) else {}
        for each in list_alternatives(kind):
            if isinstance(each, ClassValue):
                return Instance(each.name, entries, None, each)
            if isinstance(each, Reference) and each.name in self._types:
                return Instance(each.name, entries)
        return fields

    def _value_of_type(self, _evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
        kind = arguments.positional[0]
        if not isinstance(kind, Reference):
            return Unknown("an argument")
        return Instance(kind.name) if kind.name in self._types else Unknown(kind.name)


def _names_method(name: str) -> bool:
    """Returns whether a name of the tables is a method's: `http.Client.Do`."""
    parts = name.split(".")
    return len(parts) == 3 and parts[0] != "?" and parts[1][:1].isupper()


def bind_variables(_evaluation: Evaluation, _code: Interpret) -> None:
    """Binds no variables; a Go program starts with none."""


@lru_cache(1)
def library() -> GoLibrary:
    return GoLibrary()
