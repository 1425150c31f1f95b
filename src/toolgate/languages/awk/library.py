"""awk's functions, variables and values."""

from __future__ import annotations

from functools import lru_cache

from toolgate.languages import UNKNOWN_PART
from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.operators import calculate, key_of
from toolgate.languages.evaluation.shared_state import Evaluation
from toolgate.languages.evaluation.values import (
    NULL,
    Constant,
    Instance,
    MapValue,
    Unknown,
    Value,
    holds_environment,
    text_of,
    unknown_from,
)
from toolgate.languages.scripting.library import ScriptLibrary
from toolgate.model.effect import Interpret
from toolgate.model.word import Maybe, Word, known_word

from . import calls
from .evaluator import number_of
from .scanner import unescape

ROWS = """
readfile(path) => read_file(path)
close|fflush|systime|srand|rand|sin|cos|atan2|exp|log|sqrt|mktime|index(*rest) => number(rest)
and|or|xor|lshift|rshift|compl|isarray|strftime|typeof|bindtextdomain|dcgettext|dcngettext|mkbool(*rest) => number(rest)
"""
_VARIABLES = {"OFS": " ", "ORS": "\n", "FS": " ", "RS": "\n", "SUBSEP": "\x1c", "CONVFMT": "%.6g", "OFMT": "%.6g"}
_NUMBERS = ("NR", "NF", "FNR", "RSTART", "RLENGTH", "ERRNO", "ARGC", "ARGIND", "RT", "FILENAME", "PROCINFO", "SYMTAB", "FUNCTAB")


class AwkLibrary(ScriptLibrary):
    concatenates = ()
    false_texts = ("",)

    def __init__(self) -> None:
        super().__init__(ROWS, calls.CALLS, frozenset(("function named",)))

    def find_builtin(self, evaluation: Evaluation, name: str) -> Value | None:
        """Returns a function or variable of awk. Any other name is a variable without a value so far."""
        if name == "ENVIRON":
            return Instance("os.environ")
        if name in _VARIABLES:
            return known_word(_VARIABLES[name])
        if name == "ARGV":
            return MapValue((), Unknown("an argument"))
        if name in _NUMBERS or name == "$0":
            return evaluation.report.unknown_output(name)
        found = super().find_builtin(evaluation, name)
        return found if found is not None or UNKNOWN_PART in name else known_word("")

    def read_index(self, evaluation: Evaluation, owner: Value, key: Value) -> Value | None:
        if holds_environment(owner) and isinstance(key, Word) and key.text is None:
            evaluation.report.operation("environment.print")
        found = super().read_index(evaluation, owner, key)
        if isinstance(owner, MapValue) and (found is NULL or (found is None and key_of(key) is None)):
            evaluation.put_entry(owner, key, known_word(""))  # an entry that is mentioned exists
        return known_word("") if found is NULL else found

    def apply_operator(self, _evaluation: Evaluation, operator: str, left: Value, right: Value) -> Value | None:
        first, second = (0 if text_of(each) == "" else number_of(each) for each in (left, right))
        if first is None or second is None:
            return unknown_from("a number", left, right)
        made = calculate({"^": "**"}.get(operator, operator), first, second)
        is_whole = isinstance(made, Constant) and isinstance(made.value, float) and made.value.is_integer()
        return Constant(int(made.value)) if is_whole else made  # type: ignore[union-attr, arg-type]

    def _truth_of_one(self, value: Value) -> Maybe:
        """A text that looks like zero is false if it was read, and true if it was written in the program."""
        if isinstance(value, Word) and value.text and number_of(value) == 0:
            return None
        return super()._truth_of_one(value)


def bind_variables(evaluation: Evaluation, code: Interpret) -> None:
    """Binds the variables that arguments of the form NAME=VALUE assign, and ARGV.

    A name that is assigned several times may have any of its values; an empty one that comes first stands for no value yet.
    """
    assigned: dict[str, list[Value]] = {}
    for word in code.args:
        if word.assigned_name:
            assigned.setdefault(word.assigned_name, []).append(_without_escapes(word.partition("=")[2]))
    for name, values in assigned.items():
        if len(values) > 1 and text_of(values[0]) == "":
            values[0] = evaluation.evaluate(nodes.Name(name))
        evaluation.top.variables[name] = evaluation.join_values(*values)
    if code.args:
        evaluation.top.variables["ARGV"] = MapValue((), evaluation.join_values(*code.args))


def _without_escapes(word: Word) -> Word:
    """Returns a value with the escape sequences of its known parts processed."""
    return Word(tuple(unescape(part) if isinstance(part, str) else part for part in word.parts), word.splits, word.src)


@lru_cache(1)
def library() -> AwkLibrary:
    return AwkLibrary()
