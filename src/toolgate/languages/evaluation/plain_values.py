"""Values as plain objects: what is known of a call's arguments, as names, numbers, texts, lists and objects."""

from __future__ import annotations

from toolgate.model.word import Word

from .shared_state import Arguments
from .values import Constant, ListValue, MapValue, Value

_MAX_DEPTH = 6


def plain_arguments(arguments: Arguments) -> list[object]:
    """Returns the arguments of a call: the positional ones, then those with names as one object."""
    named = {name: plain_value(value) for name, value in arguments.named.items()}
    return [*map(plain_value, arguments.positional), named]


def plain_value(value: Value, depth: int = _MAX_DEPTH) -> object:
    """Returns a value as a plain object; None for what is not known."""
    match value:
        case Constant():
            return value.value
        case Word():
            return value.text
        case MapValue() if depth:
            return {str(key): plain_value(each, depth - 1) for key, each in value.known_entries}
        case ListValue() if depth:
            return [plain_value(each, depth - 1) for each in value.items]
        case _:
            return None
