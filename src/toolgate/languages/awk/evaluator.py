"""The abstract evaluator with awk's comparisons."""

from __future__ import annotations

import re

from toolgate.languages.evaluation.evaluator import Evaluator
from toolgate.languages.evaluation.operators import is_ordered
from toolgate.languages.evaluation.values import Constant, Value, text_of
from toolgate.model.word import Maybe

_NUMBER = re.compile(r"[ \t\n]*[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?[ \t\n]*")
_NUMBER_OF_SOME = re.compile(r"\s*[-+]?(?:0[xX]|inf|nan)", re.IGNORECASE)
"""Matches texts that only some implementations take for a number."""


def number_of(value: Value) -> int | float | None:
    """Returns the number that a value is, or that its text looks like; None for any other value."""
    plain = value.value if isinstance(value, Constant) else text_of(value)
    if isinstance(plain, str) and not _NUMBER.fullmatch(plain):
        return None
    try:
        found = float(plain) if isinstance(plain, str | int | float) else None
        return int(found) if found is not None and found.is_integer() else found
    except (ValueError, OverflowError):
        return None


def _printed_text(value: Value) -> str | None:
    """Returns the text that a value is compared as; None for a fraction, whose text depends on CONVFMT."""
    plain = value.value if isinstance(value, Constant) else text_of(value)
    if isinstance(plain, bool):
        return str(int(plain))
    return str(plain) if isinstance(plain, str | int) else None


class AwkEvaluator(Evaluator):
    def compare_values(self, operator: str, left: Value, right: Value) -> Maybe:
        """Compares numbers as numbers. Texts that look like numbers are compared as numbers if they were read, and as texts if
        they were written in the program: the answer is known where both ways agree."""
        if operator not in ("==", "!=", "<", "<=", ">", ">="):
            return super().compare_values(operator, left, right)
        first, second = (0 if text_of(each) == "" else number_of(each) for each in (left, right))
        answers: set[Maybe] = set()
        if first is not None and second is not None:
            answers.add(_compare(operator, first, second))
        if not (isinstance(left, Constant) and isinstance(right, Constant)):
            texts = [_printed_text(each) for each in (left, right)]
            is_known = not any(each is None or _NUMBER_OF_SOME.match(each) for each in texts)
            answers.add(_compare(operator, *texts) if is_known else None)
        return answers.pop() if len(answers) == 1 else None


def _compare(operator: str, first: object, second: object) -> Maybe:
    if operator in ("==", "!="):
        return (first == second) is (operator == "==")
    return is_ordered(operator, first, second)
