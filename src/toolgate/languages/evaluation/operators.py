"""Operators over known values, and narrowing by tests."""

from __future__ import annotations

from toolgate.model.word import Hole, Maybe, Word, known_word, unknown_word

from .values import (
    NULL,
    ClassValue,
    Constant,
    Function,
    Instance,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    join_all,
    word_of,
)


def key_of(value: Value) -> tuple[object] | None:
    """Returns a value as a key, in a tuple; None if it is unknown."""
    if isinstance(value, Constant):
        return (value.value,)
    if isinstance(value, Word) and value.text is not None:
        return (value.text,)
    if isinstance(value, Reference) and value.name.rpartition(".")[0].endswith("Op"):
        return (value.name.rpartition(".")[2],)  # Sequelize's operators are constants: `[Op.gt]`
    if isinstance(value, ListValue) and value.kind == "tuple" and value.rest is None:
        parts = [key_of(each) for each in value.items]
        return (tuple(part[0] for part in parts if part),) if None not in parts else None
    return None


def concatenate_words(words: tuple[Word, ...]) -> Word:
    made = Word()
    for each in words:
        made = limit_text(made + each)
    return made


def limit_text(word: Word) -> Word:
    """Returns the text, or its prefix if it is too long to be concatenated further."""
    size = sum(len(part) for part in word.parts if isinstance(part, str))
    if size <= _MAX_CONCATENATED and len(word.parts) <= _MAX_PARTS:
        return word
    return Word(
        (word.head[:_KEPT_PREFIX], Hole("**", "a long text")) if word.head else (Hole("**", "a long text"),), False, word.src
    )


_MAX_CONCATENATED, _MAX_PARTS, _KEPT_PREFIX = 100_000, 128, 1000


def add_values(left: Value, right: Value) -> Value | None:
    """Returns `+` of lists and of texts; None for other values."""
    if isinstance(left, ListValue) and isinstance(right, ListValue):
        if left.rest is None:
            return ListValue(left.kind, (*left.items, *right.items), right.rest)
        return ListValue(left.kind, left.items, join_all((left.rest, *right.items, right.rest)))
    is_text = isinstance(left, Word) or isinstance(right, Word)
    return (
        limit_text(word_of(left) + word_of(right))
        if is_text and isinstance(left, _TEXTUAL_TYPES) and isinstance(right, _TEXTUAL_TYPES)
        else None
    )


def repeat_value(left: Value, right: Value) -> Value | None:
    """Returns `*` of a list or a text and a number; None for other values, and for long results."""
    count = right.value if isinstance(right, Constant) and isinstance(right.value, int) else -1
    if isinstance(left, ListValue) and left.rest is None and 0 <= count * len(left.items) <= _MAX_LIST:
        return ListValue(left.kind, left.items * count)
    if isinstance(left, Word) and left.text is not None and 0 <= count * len(left.text) <= _MAX_TEXT:
        return known_word(left.text * count, left.src)
    if isinstance(left, Word) and left.text is not None and count * len(left.text) >= LARGE_LENGTH:
        return LARGE_TEXT
    return None


def is_endless(left: Value, right: Value) -> bool:
    """Returns whether this is a text or a list larger than any machine's memory."""
    holders = (Word, ListValue)
    return (is_huge(left) and isinstance(right, holders)) or (is_huge(right) and isinstance(left, holders))


LARGE_LENGTH = 65_536
LARGE_TEXT = unknown_word("a large text")
"""A text that fills a disk where a long loop writes it."""
_TEXTUAL_TYPES = (Word, Unknown)
_MAX_LIST, _MAX_TEXT = 64, 4096
_MAX_BITS = 4096
_HUGE_NUMBER = Unknown("a number beyond all measure")
_HUGE_THRESHOLD = 1 << 35


def is_huge(value: Value) -> bool:
    """Returns whether it is a number of bytes larger than any machine's memory."""
    return value is _HUGE_NUMBER or (
        isinstance(value, Constant) and isinstance(value.value, int) and value.value >= _HUGE_THRESHOLD
    )


def calculate(operator: str, left: object, right: object) -> Value:
    """Computes arithmetic of known numbers."""
    if not isinstance(left, int | float) or not isinstance(right, int | float):
        return Unknown("a number")
    try:
        match operator:
            case "+":
                return Constant(left + right)
            case "-":
                return Constant(left - right)
            case "*":
                return Constant(left * right)
            case "//":
                return Constant(left // right)
            case "%":
                return Constant(left % right)
            case "/":
                return Constant(left / right)
            case "|" if isinstance(left, int) and isinstance(right, int):
                return Constant(left | right)
            case "**" if isinstance(left, int) and isinstance(right, int) and right >= 0:
                return Constant(left**right) if left.bit_length() * right <= _MAX_BITS else _HUGE_NUMBER
            case "<<" if isinstance(left, int) and isinstance(right, int) and 0 <= right <= 128:
                return Constant(left << right)
            case _:
                return Unknown("a number")
    except (ArithmeticError, ValueError):
        return Unknown("a number")


def are_equal(left: Value, right: Value) -> Maybe:
    """Returns whether they are equal."""
    if isinstance(left, Word) and isinstance(right, Word):
        if right.text is not None:
            return left.is_any_of(right.text)
        return right.is_any_of(left.text) if left.text is not None else None
    if isinstance(left, Constant) and isinstance(right, Constant):
        return left.value == right.value
    if right is NULL or left is NULL:
        other = left if right is NULL else right
        return False if isinstance(other, Word | ListValue | MapValue | Function | ClassValue) else None
    return None


def is_ordered(operator: str, left: object, right: object) -> Maybe:
    if not isinstance(left, int | float) or not isinstance(right, int | float):
        return None
    return {"<": left < right, ">": left > right, "<=": left <= right, ">=": left >= right}.get(operator)


def narrow_text(value: Value, glob: str) -> Value | None:
    """Returns a path or a name whose last part matches the glob; None for other values."""
    from toolgate.languages import glob_word

    text = value.text if isinstance(value, Instance) else value if isinstance(value, Word) else None
    if text is None:
        return None
    last = text.parts[-1] if text.parts else ""
    if not isinstance(last, Hole) or last.like not in ("*", "**/*"):
        return value
    made = Word(text.parts[:-1], False, text.src) + glob_word(known_word(glob))
    return Instance(value.type, value.fields, made, value.cls) if isinstance(value, Instance) else made
