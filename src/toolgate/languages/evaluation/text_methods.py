"""Methods of text, called for each text that their receiver may be."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from toolgate.model.word import Word

from .library_table import SpecialCall
from .shared_state import Arguments, Evaluation
from .values import MAX_ALTERNATIVES, Value, list_alternatives, unknown_from, words_of

TextMethod = Callable[[Evaluation, Word, list[Value]], Value]


def call_with_alternatives(why: str, method: TextMethod) -> SpecialCall:
    """Returns the handler of a method. It calls `method` with each text that the receiver may be, and each of the alternatives of
    each argument. `why`: what the result is called where these are too many."""

    def call_method(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
        if receiver is None or arguments.rest is not None:
            return None
        combinations = list(product(words_of(receiver), *(list_alternatives(each) for each in arguments.positional)))
        if len(combinations) > 4 * MAX_ALTERNATIVES:
            return unknown_from(why, receiver, *arguments.positional)
        return evaluation.join_values(*(call_one(evaluation, text, args) for text, *args in combinations))

    def call_one(evaluation: Evaluation, text: Value, args: list[Value]) -> Value:
        assert isinstance(text, Word)
        evaluation.work.spend_steps(1 + len(text.head) // 256)
        return method(evaluation, text, args)

    return call_method
