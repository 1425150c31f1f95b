"""What a condition on one column says about a table: whether nearly every row meets it, and whether it names single rows.

`id > 0`, `id IS NOT NULL` and `created_at > '2000-01-01'` select as much as no condition at all. `retries > 0` and
`deleted_at IS NOT NULL` select some rows, although they have the same form: the column decides.
"""

import re
from enum import Enum
from functools import lru_cache

Scalar = str | int | float | bool | None | Enum


class Moment(Enum):
    """A value of a condition that is no literal."""

    NOW = "now"


_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+")
_KEYS = frozenset("id pk uuid guid rowid ctid oid".split())
_BIRTH = frozenset(("birth", "born", "birthday", "birthdate", "dob"))
_CREATION = frozenset(
    "create created inserted joined added registered placed ordered updated modified timestamp date ts time signup".split()
)
_SINGLE_REQUIRED = frozenset("email username login name title slug".split())
_NAMING = _KEYS | frozenset(
    (
        *("key", "token", "slug", "email", "username", "login", "user", "code", "sku", "number", "no", "name", "hash", "ip"),
        *("phone", "domain", "url", "uri", "handle", "path", "nickname", "isbn", "ean", "iban", "version", "session", "title"),
        *("_id", "owner", "author", "account", "customer", "order", "tenant", "org", "organization", "host", "hostname"),
    )
)
_EARLY_YEAR, _LATE_YEAR = 2005, 2090
_LARGE = 10**8
_YEAR = re.compile(r"\s*(\d{4})(?:-\d\d?-\d\d?.*|\s*)", re.DOTALL)
_ANYTHING = frozenset(("%", "*", ".*", "^", "^.*", "^.*$", ".+", "^.+$", "%%", ""))


@lru_cache(2048)
def split_column(column: str) -> tuple[str, ...]:
    """Returns the words of a column's name, without its table: `"users"."createdAt"` has `created` and `at`."""
    return tuple(word.lower() for word in _CAMEL.split(column.rpartition(".")[2].strip('`"[] ')) if word)


def is_primary_key(column: str) -> bool:
    words = split_column(column)
    return len(words) == 1 and words[0] in _KEYS


def names_single_rows(column: str) -> bool:
    """Returns whether equality with a value of this column selects single rows, or those of one owner."""
    words = split_column(column)
    return bool(words) and words[-1] in _NAMING


def holds_for_most(column: str, operator: str, value: Scalar) -> bool:
    """Returns whether nearly every row meets `column operator value`. Operators: `=`, `!=`, `>`, `>=`, `<`, `<=`, `like`."""
    words = split_column(column)
    if not words:
        return False
    is_key, is_required = words[-1] in _KEYS, is_primary_key(column) or _is_required(words)
    match operator:
        case "!=":
            return is_required and (value is None or value == "" or (is_primary_key(column) and isinstance(value, int | str)))
        case ">" | ">=":
            return _is_low(value, operator, is_key=is_key, is_birth=not _BIRTH.isdisjoint(words))
        case "<" | "<=":
            return _is_high(value, is_key=is_key, is_creation=words[0] in _CREATION)
        case "like":
            return isinstance(value, str) and value in _ANYTHING
        case _:
            return False


def _is_required(words: tuple[str, ...]) -> bool:
    """Returns whether every row has a value in this column."""
    return (len(words) == 1 and words[0] in _SINGLE_REQUIRED) or (
        words[0] in _CREATION
        and words[-1] in ("at", "on", "date", "time", *_CREATION)
        and words[0] not in ("updated", "modified")
    )


def _is_low(bound: Scalar, operator: str, *, is_key: bool, is_birth: bool) -> bool:
    if isinstance(bound, str):
        if bound == "":
            return True
        if bound.lstrip("-").isdigit() and len(bound) < 4:
            return _is_low(int(bound), operator, is_key=is_key, is_birth=is_birth)
        return (year := _year_of(bound)) is not None and year <= _EARLY_YEAR and not is_birth
    if not isinstance(bound, int | float):
        return False
    if bound < 0 or (bound == 0 and operator == ">="):
        return True
    return is_key and bound <= 1


def _is_high(bound: Scalar, *, is_key: bool, is_creation: bool) -> bool:
    if bound is Moment.NOW:
        return is_creation
    if isinstance(bound, str):
        return (year := _year_of(bound)) is not None and year >= _LATE_YEAR
    return isinstance(bound, int | float) and is_key and bound >= _LARGE


def _year_of(text: str) -> int | None:
    found = _YEAR.fullmatch(text)
    return int(found[1]) if found is not None else None


_CONJUNCTION = re.compile(r"\s+and\s+", re.IGNORECASE)
_COMPARISON = re.compile(
    r"\s*\(?\s*(?P<column>[\w.\"`\[\]]+)\s*(?P<operator>=|!=|<>|>=|<=|>|<|(?:i?like|is\s+not|not\s+in)\b)\s*(?P<value>[^=<>]+?)\s*\)?\s*",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"(?:date|timestamp)?\s*['\"](.*)['\"]", re.IGNORECASE | re.DOTALL)
_NOW = re.compile(r"(?:now|getdate|current_timestamp|current_date|sysdate)\b", re.IGNORECASE)
_MAX_TEXT = 300


def selects_most_by_text(condition: str) -> bool:
    """Returns whether nearly every row meets a condition in SQL without parentheses: `id > 0 AND email IS NOT NULL`."""
    if not condition.strip() or len(condition) > _MAX_TEXT or re.search(r"\bor\b", condition, re.IGNORECASE):
        return False
    return all(_is_met_by_most(each) for each in _CONJUNCTION.split(condition))


def _is_met_by_most(comparison: str) -> bool:
    if comparison.strip().lower() in ("1", "true", "1 = 1", "1=1"):
        return True
    found = _COMPARISON.fullmatch(comparison)
    if found is None:
        return False
    column, operator, text = found["column"], " ".join(found["operator"].lower().split()), found["value"]
    if operator == "=":
        return column == text
    if operator == "not in":
        return is_primary_key(column) and "select" not in text.lower()
    value = _parse_literal(text)
    return holds_for_most(column, {"<>": "!=", "is not": "!=", "ilike": "like"}.get(operator, operator), value)


def _parse_literal(text: str) -> Scalar:
    if text.lower() in ("null", "nil", "none"):
        return None
    if re.fullmatch(r"-?\d{1,12}", text):
        return int(text)
    if _NOW.match(text):
        return Moment.NOW if re.fullmatch(r"\w+(?:\(\))?", text) else "?"
    found = _QUOTED.fullmatch(text)
    return found[1] if found is not None else "?"
