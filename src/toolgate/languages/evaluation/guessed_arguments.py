"""Arguments that an unknown function may call another one with."""

from __future__ import annotations

from .shared_state import MAX_UNROLLED
from .values import ListValue, MapValue, Value, join_all, list_alternatives


def guess_arguments(companions: list[Value]) -> list[list[Value]]:
    """Returns possible arguments for a function passed with these values: all of them, one of them, the content of one, each
    item of that."""
    if not companions:
        return []
    tries: list[list[Value]] = [companions]
    for value in companions:
        for each in list_alternatives(value):
            if isinstance(each, ListValue):
                items = [*each.items[:MAX_UNROLLED], *(() if each.rest is None else (each.rest,))]
                tries.append(items)
                tries += [list(item.items) if isinstance(item, ListValue) else [item] for item in items]
            elif isinstance(each, MapValue):
                values = join_all(each.entries.values())
                tries.append([values] if values is not None else [])
            else:
                tries.append([each])
    return tries
