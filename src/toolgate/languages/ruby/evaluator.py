"""The abstract evaluator with Ruby's rule for names: a name that is not a function evaluates to its value."""

from __future__ import annotations

from toolgate.languages.evaluation.evaluator import Evaluator
from toolgate.languages.evaluation.shared_state import Arguments
from toolgate.languages.evaluation.values import Constant, ListValue, MapValue, Value
from toolgate.model.word import Word


class RubyEvaluator(Evaluator):
    def _call_one(self, function: Value, arguments: Arguments) -> Value:
        is_value = isinstance(function, Word | Constant | ListValue | MapValue)
        return function if is_value and not arguments.all_values() else super()._call_one(function, arguments)
