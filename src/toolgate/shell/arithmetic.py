"""Arithmetic: what it runs, and which variables it changes. Numbers themselves are not computed: any number may come of it."""

import re

from toolgate.model.word import Word, known, unknown

from .handlers import expressions
from .protocol import Values
from .state import Shell
from .values import first

_CHANGED = re.compile(r"\b([A-Za-z_]\w*+)\s*+(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))|(?:\+\+|--)\s*+([A-Za-z_]\w*+)")
NUMBER = unknown("a number", like="*")


def calculate(text: str, shell: Shell) -> None:
    """Evaluates an expression as it stands: every variable in it is an expression of its own, and some get a new value."""
    evaluate_number(known(text), shell)
    for match in _CHANGED.finditer(text):
        changed = match[1] or match[2]
        shell.assign(changed, (NUMBER, *_kept(shell.variables.get(changed, ()))))


def _kept(values: Values) -> Values:
    """What is no number makes a mistake of the expression, and then nothing is assigned."""
    return tuple(value for value in values if not (first(value).text or "0").isdigit())


def evaluate_number(word: Word, shell: Shell) -> None:
    """Evaluates data that is used as a number: what stands in it as `$(cmd)` is run, and so is what its variables hold."""
    for expression in expressions(word, shell.variables):
        shell.expand_later(expression)


def evaluate_name(word: Word, shell: Shell) -> None:
    """Evaluates the name of a variable: `a[$(cmd)]` as a name runs cmd."""
    shell.expand_later(word)
    _, bracket, subscript = word.partition("[")
    if bracket:
        evaluate_number(subscript, shell)
