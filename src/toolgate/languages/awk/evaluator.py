"""The abstract evaluator with awk's comparisons: a text that looks like a number is one."""

from __future__ import annotations

from toolgate.languages.evaluation.evaluator import Evaluator
from toolgate.languages.evaluation.operators import is_ordered
from toolgate.languages.evaluation.values import Constant, Value, text_of
from toolgate.model.word import Maybe


def number_of(value: Value) -> int | float | None:
    """Returns the number that a value is, or that its text looks like; None for any other value."""
    plain = value.value if isinstance(value, Constant) else text_of(value)
    try:
        found = float(plain) if isinstance(plain, str | int | float) else None
    except (ValueError, OverflowError):
        return None
    return int(found) if found is not None and found.is_integer() else found


class AwkEvaluator(Evaluator):
    def compare_values(self, operator: str, left: Value, right: Value) -> Maybe:
        if operator not in ("==", "!=", "<", "<=", ">", ">="):
            return super().compare_values(operator, left, right)
        first, second = number_of(left), number_of(right)
        if first is None or second is None:
            texts = [str(each.value) if isinstance(each, Constant) else text_of(each) for each in (left, right)]
            if None in texts or "" in texts:
                return None  # a variable without a value equals zero, too
            return {"==": texts[0] == texts[1], "!=": texts[0] != texts[1]}.get(operator)
        if operator in ("==", "!="):
            return (first == second) is (operator == "==")
        return is_ordered(operator, first, second)
