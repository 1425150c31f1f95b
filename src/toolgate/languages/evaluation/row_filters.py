"""What the arguments of a query's condition select: nearly every row, or single rows by their key.

The same condition has a form of its own in each mapper: `id__gt=0`, `{id: {gt: 0}}`, `where("id", ">", 0)`, `where.not(id: nil)`,
`User.id > 0`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from toolgate.row_conditions import Moment, Scalar, holds_for_most, names_single_rows, selects_most_by_text

from .shared_state import Arguments
from .values import Constant, ListValue, MapValue, Reference, Unknown, Value, text_of

OPERATORS: Mapping[str, str] = {
    **dict.fromkeys(("gt", "greaterthan", "morethan", "above", ">"), ">"),
    **dict.fromkeys(("gte", "greaterthanorequal", "morethanorequal", "ge", ">="), ">="),
    **dict.fromkeys(("lt", "lessthan", "<"), "<"),
    **dict.fromkeys(("lte", "lessthanorequal", "le", "<="), "<="),
    **dict.fromkeys(
        ("ne", "not", "neq", "isnot", "notequal", "exists", "!=", "<>", "isnotnull", "notnull", "isdistinctfrom"), "!="
    ),
    **dict.fromkeys(
        ("like", "ilike", "contains", "icontains", "startswith", "istartswith", "endswith", "regex", "iregex"), "like"
    ),
    **dict.fromkeys(("substring", "search", "iendswith"), "like"),
}
_EXCLUDING_METHODS = frozenset("exclude not where_not whereNot reject orWhereNot".split())
_NOT_NULL_METHODS = frozenset("whereNotNull whereNotNil isNotNull is_not_null notNull orWhereNotNull".split())
_DATE_PARTS = frozenset("year iso_year date day".split())
_NON_LETTERS = re.compile(r"[^a-z<>=!]")
_MAX_DEPTH = 3


class Breadth(NamedTuple):
    """`is_wide`: nearly every row meets it. `names_rows`: it names single rows."""

    is_wide: bool = False
    names_rows: bool = False


WIDE, NARROW = Breadth(is_wide=True), Breadth()


def scalar_of(value: Value | None) -> Scalar:
    """Returns a constant, or a text that is known. Of another value, a text that no row has."""
    if isinstance(value, Constant) and isinstance(value.value, str | int | float | bool | None):
        return value.value
    if isinstance(value, Unknown | Reference) and value.name.rpartition(".")[2] in ("now", "utcnow", "NOW"):
        return Moment.NOW
    text = text_of(value)
    return "?" if text is None else text


def column_of(value: Value) -> str:
    """Returns the column that a value stands for: a text, or an attribute of a class of rows."""
    name = value.name if isinstance(value, Unknown | Reference) else text_of(value) or ""
    return name.rpartition(".")[2].removesuffix("[]")


def combine_breadths(found: Iterable[Breadth]) -> Breadth:
    """Returns the breadth of conditions that rows must meet together."""
    every = list(found)
    return Breadth(bool(every) and all(each.is_wide for each in every), any(each.names_rows for each in every))


def measure_condition(method: str, arguments: Arguments, measure_test: Callable[[Value], Breadth]) -> Breadth:
    """Returns the breadth of a method's condition. `measure_test`: gives that of a comparison that was evaluated before."""
    if method in _NOT_NULL_METHODS:
        columns = [column_of(each) for each in arguments.positional]
        return Breadth(bool(columns) and all(holds_for_most(each, "!=", None) for each in columns))
    operator = "!=" if method in _EXCLUDING_METHODS else OPERATORS.get(method.lower().removesuffix("_").replace("_", ""), "=")
    found = [
        _measure_lookup(name, value, operator) for name, value in arguments.named.items() if name not in ("block", "synchronize")
    ]
    first = arguments.positional[0] if arguments.positional else None
    if isinstance(first, MapValue):
        found.append(measure_map(first, operator))
    elif isinstance(first, ListValue) and first.items and first.rest is None:
        rows = [each.items for each in first.items if isinstance(each, ListValue)] or [first.items]
        found += [_measure_texts(each, operator, {}) for each in rows]
    elif text_of(first) is not None or isinstance(first, Reference):
        return combine_breadths([_measure_texts(arguments.positional, operator, arguments.named)])
    else:
        for each in arguments.positional:
            is_true = isinstance(each, Constant) and each.value is True
            found.append(WIDE if is_true else measure_test(each))
    return combine_breadths(found) if arguments.rest is None else NARROW


def _measure_lookup(name: str, value: Value, operator: str) -> Breadth:
    """Returns the breadth of `created_at__year__gte=2000`, `id__isnull=False`, `id: nil`."""
    column, *lookups = name.split("__")
    lookup = lookups[-1] if lookups else ""
    scalar = scalar_of(value)
    if lookup == "isnull":
        is_negated = (scalar is False) is (operator == "=")
        return Breadth(is_negated and holds_for_most(column, "!=", None))
    if isinstance(value, MapValue):
        return _measure_operators(column, value, operator)
    if _DATE_PARTS.isdisjoint(lookups) or not isinstance(scalar, int):
        return _measure_column(column, OPERATORS.get(lookup, operator) if operator == "=" else operator, value)
    return compare_column(column, OPERATORS.get(lookup, operator), str(scalar))


def _measure_column(column: str, operator: str, value: Value) -> Breadth:
    if isinstance(value, ListValue):
        if operator == "=" and _is_open_range(value):
            return compare_column(column, ">=", scalar_of(value.items[0]))
        if operator == "!=" and value.rest is None:
            return combine_breadths(compare_column(column, "!=", scalar_of(each)) for each in value.items)
        return Breadth(names_rows=operator == "=" and names_single_rows(column))
    return compare_column(column, operator, scalar_of(value))


def _is_open_range(value: ListValue) -> bool:
    """Returns whether this is the range of a first item and any number of further ones: Ruby's `1..`."""
    return len(value.items) == 1 and value.rest is not None


def compare_column(column: str, operator: str, scalar: Scalar) -> Breadth:
    """Returns the breadth of a comparison of a column."""
    if operator == "!=" and scalar != "?" and names_single_rows(column):
        return WIDE  # all rows but the one that it names
    return Breadth(holds_for_most(column, operator, scalar), operator == "=" and names_single_rows(column))


def measure_map(conditions: MapValue, operator: str = "=", depth: int = _MAX_DEPTH) -> Breadth:
    """Returns the breadth of `{id: {gt: 0}, email: {not: null}}`, with conditions in lists after `OR` and `AND`."""
    if conditions.rest is not None and not conditions.entries.keys() - {None}:
        return NARROW
    found: list[Breadth] = []
    for key, value in conditions.known_entries:
        name = str(key)
        plain = _NON_LETTERS.sub("", name.lower())
        if plain in ("and", "or", "not") and depth and isinstance(value, ListValue | MapValue):
            parts = value.items if isinstance(value, ListValue) else (value,)
            inner = [measure_map(each, operator, depth - 1) for each in parts if isinstance(each, MapValue)]
            found.append(Breadth(any(each.is_wide for each in inner)) if plain == "or" else combine_breadths(inner))
        elif isinstance(value, MapValue):
            found.append(_measure_operators(name, value, operator))
        else:
            found.append(_measure_column(name, operator, value))
    return combine_breadths(found) if conditions.rest is None else NARROW


def _measure_operators(column: str, operators: MapValue, outer: str) -> Breadth:
    """Returns the breadth of `{gt: 0}`, `{$ne: null}`, `{[Op.gte]: 1}` for a column."""
    found: list[Breadth] = []
    for key, value in operators.known_entries:
        name = _NON_LETTERS.sub("", str(key).lower())
        scalar = scalar_of(value)
        if name in ("eq", "equals", "in"):
            found.append(Breadth(names_rows=outer == "=" and names_single_rows(column)))
        elif name == "exists":
            found.append(compare_column(column, "!=", None) if scalar in (True, 1) else NARROW)
        elif (operator := OPERATORS.get(name)) is not None and outer == "=":
            found.append(compare_column(column, operator, scalar))
        else:
            found.append(NARROW)
    return combine_breadths(found) if operators.rest is None else NARROW


def _measure_texts(given: tuple[Value, ...] | list[Value], operator: str, named: Mapping[str, Value]) -> Breadth:
    """Returns the breadth of `("id > 0")`, `("id > ?", 0)`, `("id", ">", 0)`, `("id", 5)`."""
    first = column_of(given[0])
    rest = [scalar_of(each) for each in given[1:]]
    text = text_of(given[0]) or ""
    if not rest and not named:
        return Breadth(operator == "=" and selects_most_by_text(text))
    if "?" in text or ":" in text or "%s" in text or " " in text:
        filled = text
        for each in rest:
            filled = re.sub(r"\?|%s", _render(each), filled, count=1)
        for name, value in named.items():
            filled = filled.replace(f":{name}", _render(scalar_of(value)))
        is_keyed = re.match(r"\s*[\w.\"`]+\s*(?:=|in\b)", text, re.IGNORECASE) is not None
        column = re.split(r"[\s=<>!]", text.strip(), maxsplit=1)[0]
        return Breadth(selects_most_by_text(filled), is_keyed and names_single_rows(column))
    if len(rest) == 2 and isinstance(rest[0], str):
        asked = _NON_LETTERS.sub("", rest[0].lower())
        if asked == "is" and operator == "!=":
            return compare_column(first, "!=", rest[1])
        return compare_column(first, OPERATORS.get(asked, "=" if asked == "=" else "in"), rest[1])
    return _measure_column(first, operator, given[1])


def _render(value: Scalar) -> str:
    return "NULL" if value is None else f"'{value}'" if isinstance(value, str) else str(value)
