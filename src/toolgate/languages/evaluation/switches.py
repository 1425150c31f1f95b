"""Tests of switches in the environment, decided as they are for a call that sets none of their variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgate.model.word import Maybe, Word
from toolgate.switch_variables import find_variable, is_off_word, is_switch, is_switch_word

from .values import NULL, Constant, ListValue, Reference, Unknown, Value, list_alternatives, text_of

if TYPE_CHECKING:
    from .operations import Operations
    from .shared_state import Arguments

_TEXT_METHODS = frozenset(
    "strip lower upper casefold lstrip rstrip trim toLowerCase toUpperCase toString downcase upcase presence to_s".split()
)
_TRUTHS = frozenset(("bool", "Boolean"))
_PARSERS = frozenset("int float Number parseInt parseFloat loads parse strtobool str_to_bool ParseBool Atoi to_i intval".split())
_NEGATED = ("!=", "is not", "not in")


def decide_comparison(evaluation: Operations, operator: str, left: Value, right: Value) -> Maybe:
    """Returns the outcome of a comparison of a variable, or of what was made of one, if nothing sets it in this call."""
    likely = evaluation.report.openings.likely
    one, other = likely.find(left), likely.find(right)
    if _is_unset(one) or _is_unset(other):
        return _compare_unset(operator, one, other)
    if one is left and other is right:
        return None
    are_words = all(map(_is_switch_value, _list_compared(one, other)))
    return evaluation.compare_values(operator, one, other) if are_words or all(map(_is_given, (one, other))) else None


def _compare_unset(operator: str, value: Value, counterpart: Value) -> Maybe:
    """Returns the outcome of a comparison with what switches are set to, or of a switch with nothing."""
    if value is NULL or counterpart is NULL:
        return operator not in _NEGATED if _is_switch(value) or _is_switch(counterpart) else None
    compares = operator in ("==", "is", "in", *_NEGATED) and all(map(_is_switch_value, _list_compared(value, counterpart)))
    return operator in _NEGATED if compares else None


def decide_truth(evaluation: Operations, value: Value) -> Maybe:
    """Returns whether a variable, or what was made of one, counts as true if nothing sets it in this call."""
    found = evaluation.report.openings.likely.find(value)
    if _is_switch(found):
        return False
    is_named = any(map(_is_switch, list_alternatives(value)))
    return evaluation.library.truth_of(found) if found is not value and (is_named or _is_given(found)) else None


def follow_conversion(evaluation: Operations, owner: Value | None, function: Value, arguments: Arguments, result: Value) -> None:
    """Records what a call makes of a variable that nothing sets: `os.environ.get("APPLY", "No").lower()`."""
    method = next((each.name.rpartition(".")[2] for each in list_alternatives(function) if isinstance(each, Reference)), "")
    source = owner if method in _TEXT_METHODS else arguments.positional[0] if arguments.positional else owner
    if method not in _FOLLOWED or source is None or result is source:
        return
    likely = evaluation.report.openings.likely
    found = likely.find(source)
    if found is source and not (isinstance(found, Word) and find_variable(found)):
        return
    if isinstance(found, Word) and found.text is None:
        likely.note(result, found)
    elif method in _TEXT_METHODS:
        likely.note(result, evaluation.call(evaluation.read_attribute(found, method), arguments))
    else:
        likely.note(result, _convert(evaluation, method, found))


_FOLLOWED = _TEXT_METHODS | _TRUTHS | _PARSERS


def _convert(evaluation: Operations, method: str, value: Value) -> Value:
    """Returns the number or the truth value that a function makes of a known value."""
    if method in _TRUTHS:
        answer = evaluation.library.truth_of(value)
        return Unknown("a test") if answer is None else Constant(answer)
    text = text_of(value)
    if text is None:
        return value
    if text.lstrip("-").isdecimal() and len(text) <= _MAX_DIGITS:
        return Constant(int(text))
    return Constant(not is_off_word(text)) if is_switch_word(text) else Unknown("a number")


_MAX_DIGITS = 9


def _is_unset(value: Value) -> bool:
    return isinstance(value, Word) and bool(find_variable(value))


def _is_switch(value: Value) -> bool:
    return isinstance(value, Word) and is_switch(value)


def _list_compared(first: Value, second: Value) -> list[Value]:
    """Returns what a variable is compared with."""
    both = [each for value in (first, second) for each in (value.items if isinstance(value, ListValue) else (value,))]
    return [each for each in both if not _is_unset(each)]


def _is_switch_value(value: Value) -> bool:
    is_flag = isinstance(value, Constant) and value.value in (True, False, 0, 1)
    return is_flag or is_switch_word(text_of(value))


def _is_given(value: Value) -> bool:
    """Returns whether a value is more than nothing: a program may well refuse to run without a variable's value."""
    if isinstance(value, Word):
        return bool(value.text)
    return isinstance(value, ListValue) or (isinstance(value, Constant) and value.value is not None)
