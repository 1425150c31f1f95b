"""Values as plain objects: what is known of a call's arguments, as names, numbers, texts, lists and objects."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

from toolgate.model.word import Word, known_word

from .shared_state import Arguments
from .values import Constant, ListValue, MapValue, Unknown, Value

_MAX_DEPTH = 6
_MAX_ITEMS = 256


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


def value_of_plain(
    plain: object,
    src: frozenset[int],
    make_list: Callable[[str, list[Value], Value | None], ListValue],
    make_map: Callable[[Iterable[tuple[str, Value]]], MapValue],
    depth: int = 2 * _MAX_DEPTH,
) -> Value:
    """Returns a plain object as a value that comes from some commands; `make_list` and `make_map` make the language's own."""
    match plain:
        case str():
            return known_word(plain, src)
        case list() if depth:
            items = [value_of_plain(each, src, make_list, make_map, depth - 1) for each in plain[:_MAX_ITEMS]]
            return make_list("list", items, Unknown("an item", src=src) if len(plain) > _MAX_ITEMS else None)
        case dict() if depth:
            return make_map((str(key), value_of_plain(each, src, make_list, make_map, depth - 1)) for key, each in plain.items())
        case bool() | int() | float() | None:
            return Constant(plain)
        case _:
            return Unknown("a value", src=src)


def render_json(value: Value) -> str | None:
    """Returns JSON for a completely known value."""
    try:
        return json.dumps(_plain_of_value(value), separators=(",", ":"), ensure_ascii=False)
    except (LookupError, RecursionError):
        return None


def _plain_of_value(value: Value) -> object:
    match value:
        case Constant():
            return value.value
        case Word() if value.text is not None and not value.src:
            return value.text
        case ListValue() if value.rest is None:
            return [_plain_of_value(each) for each in value.items]
        case MapValue() if value.rest is None:
            return {str(key): _plain_of_value(each) for key, each in value.known_entries}
        case _:
            raise LookupError
