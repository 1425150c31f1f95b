"""Perl's built-in variables and functions."""

from __future__ import annotations

import re
from functools import lru_cache

from toolgate.languages.evaluation.operators import key_of
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    NULL,
    Constant,
    Function,
    Instance,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    word_of,
)
from toolgate.languages.scripting.library import ScriptLibrary, is_beyond_end
from toolgate.languages.scripting.reading import line_of_input
from toolgate.model.effect import Interpret
from toolgate.model.word import Word, known_word, unknown_word

from .calls import CALLS, HARMFUL
from .command_options import OPTION_CALLS
from .results import PERL_RESULTS
from .tables import ROWS

_MATCHED = re.compile(r"\$(?:\d+|&|`|'|\+)$")


class PerlLibrary(ScriptLibrary):
    concatenates = ("concatenated with", "+=")
    list_kind = "list"

    def __init__(self) -> None:
        super().__init__(ROWS, {**CALLS, **OPTION_CALLS}, HARMFUL, "globals STDIN STDOUT STDERR", PERL_RESULTS)

    def canonicalize_name(self, name: str) -> str:
        name = name.removeprefix("globals.").removeprefix("CORE::").removeprefix("GLOBAL::")
        if "::" in name and "." not in name and name[:1] not in "$@%&*" and name not in self._texts:
            last = name.rpartition("::")[2]
            return last if last in self._texts or last in self._specials else name
        return name

    def find_builtin(self, evaluation: Evaluation, name: str) -> Value | None:
        sign = name[:1]
        if sign in "@%$&" and len(name) > 1:
            return self._variable(evaluation, name, sign)
        return super().find_builtin(evaluation, name) or (Reference(name) if name not in ("self",) else None)

    def call_unlisted(self, evaluation: Evaluation, reference: Reference, arguments: Arguments) -> Value:
        """Calls a subroutine that an included file has declared."""
        declared = evaluation.patched.get(f"&{reference.name.removeprefix('main::')}") if reference.receiver is None else None
        return (
            super().call_unlisted(evaluation, reference, arguments) if declared is None else evaluation.call(declared, arguments)
        )

    def _variable(self, evaluation: Evaluation, name: str, sign: str) -> Value | None:
        match name:
            case "%ENV":
                return Instance("os.environ")
            case "@ARGV":
                found = evaluation.report.script_arguments()
                assert isinstance(found, ListValue)
                made: Value = ListValue("list", found.items[1:], found.rest)
            case "$0":
                return known_word(evaluation.report.code.file or "-e")
            case "$^X":
                return known_word("perl")
            case _ if sign == "@":
                made = ListValue("list")
            case _ if sign == "%":
                made = MapValue()
            case _ if sign == "&":
                return None
            case _:
                return unknown_word("the match of a pattern") if _MATCHED.match(name) else Unknown(name)
        evaluation.top.variables[name] = made
        return made

    def read_index(self, evaluation: Evaluation, owner: Value, key: Value) -> Value | None:
        if isinstance(owner, MapValue) and isinstance(key, Constant):
            key = known_word(str(key.value))
        if isinstance(owner, MapValue) and key_of(key) is None:
            return evaluation.join_values(*owner.entries.values()) if owner.entries else Unknown("an entry")
        if isinstance(owner, ListValue) and isinstance(key, Word) and key.text is not None and key.text.lstrip("-").isdigit():
            return evaluation.read_index(owner, Constant(int(key.text)))
        if isinstance(owner, Function | Reference):
            return Unknown("an item")
        return NULL if is_beyond_end(owner, key) else super().read_index(evaluation, owner, key)

    def apply_operator(self, evaluation: Evaluation, operator: str, left: Value, right: Value) -> Value | None:
        if operator == "+" and isinstance(left, Word | Unknown) and isinstance(right, Word):
            return word_of(left) + right  # `.=` must yield a concatenation: it marks a loop that builds a text
        return super().apply_operator(evaluation, operator, left, right)


def bind_variables(evaluation: Evaluation, _code: Interpret) -> None:
    """Binds `$_` and `@F`, which `perl -n`, `-p` and `-a` fill from each line."""
    line = line_of_input(evaluation.report)
    evaluation.top.variables.update({"$_": line, "@F": ListValue("list", (), line)})


@lru_cache(1)
def library() -> PerlLibrary:
    return PerlLibrary()
