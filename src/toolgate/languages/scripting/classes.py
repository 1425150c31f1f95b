"""Classes and their instances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgate.languages.evaluation.assignment_targets import find_in_class
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    NULL,
    ClassValue,
    Function,
    Instance,
    Reference,
    Value,
    list_alternatives,
    text_of,
)

if TYPE_CHECKING:
    from .library import ScriptLibrary


def make_instance(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    return None if receiver is None else evaluation.construct(receiver, arguments)


def call_super(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Calls a parent class's method; the arguments are the class, the instance, the method's name, then the method's own."""
    own, receiver, name, *more = arguments.positional
    rest = Arguments(tuple(more), arguments.named, arguments.rest)
    for each in list_alternatives(own):
        for base in each.bases if isinstance(each, ClassValue) else ():
            for one in list_alternatives(base):
                found = find_in_class(one, text_of(name) or "") if isinstance(one, ClassValue) else None
                if isinstance(found, Function):
                    return evaluation.call(found._replace(receiver=receiver), rest)
                if isinstance(one, Reference):
                    return evaluation.call(Reference(f"{one.name}.{text_of(name)}", receiver), rest)
    return evaluation.call_unknown("super", rest) if more or arguments.rest is not None else NULL


def part_of_class(library: ScriptLibrary, _evaluation: Evaluation, owner: Value, name: str) -> Value | None:
    """Returns `new` of a class in the text, or a method that every object has (`any.send`)."""
    if isinstance(owner, ClassValue) and name == "new" and find_in_class(owner, name) is None:
        return Reference("make an instance", owner)
    if library.has_call(f"any.{name}") and not library.has_call(f"{library.type_of(owner)}.{name}"):
        if isinstance(owner, Instance) and owner.cls is not None and find_in_class(owner.cls, name) is not None:
            return None
        return Reference(f"any.{name}", owner)
    return None
