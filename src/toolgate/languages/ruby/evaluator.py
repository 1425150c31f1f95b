"""The evaluator, with what is Ruby's own: a name that is no function is the value itself."""

from __future__ import annotations

from toolgate.languages.evaluation.evaluator import Evaluator
from toolgate.languages.evaluation.shared_state import Arguments
from toolgate.languages.evaluation.values import Constant, ListValue, MapValue, Value
from toolgate.model.word import Word


class RubyEvaluator(Evaluator):
    def _call_one(self, function: Value, given: Arguments) -> Value:
        is_value = isinstance(function, Word | Constant | ListValue | MapValue)
        return function if is_value and not given.all_values() else super()._call_one(function, given)
