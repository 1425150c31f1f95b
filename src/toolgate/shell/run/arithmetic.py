"""Arithmetic: the commands it runs and the variables it changes. Numbers are not computed: the result may be any number."""

import re

from toolgate.model.word import HoleKind, Word, known_word, unknown_word
from toolgate.shell.domain.deferred_code import collect_expressions
from toolgate.shell.domain.protocol import Values
from toolgate.shell.domain.state import Shell
from toolgate.shell.domain.values import first_element

_ASSIGNMENTS = re.compile(
    r"\b([A-Za-z_]\w*+)(\[[^\]]*+\])?\s*+(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))|(?:\+\+|--)\s*+([A-Za-z_]\w*+)"
)
ANY_NUMBER = unknown_word("a number", like="*")


def calculate(text: str, shell: Shell) -> None:
    """Evaluates an expression: every variable in it is an expression itself, and some are assigned."""
    evaluate_number(known_word(text), shell)
    for match in _ASSIGNMENTS.finditer(text):
        changed = match[1] or match[3]
        if match[2]:  # one of the elements
            shell.assign(f"{changed}[]", (ANY_NUMBER,))
            continue
        shell.assign(changed, (ANY_NUMBER, *_non_number_values(shell.variables.get(changed, ()))))


def _non_number_values(values: Values) -> Values:
    """Returns the values that are not numbers: they make the expression invalid, so nothing is assigned."""
    return tuple(value for value in values if not (first_element(value).text or "0").isdigit())


def evaluate_number(word: Word, shell: Shell) -> None:
    """Evaluates data used as a number: substitutions in it run, and so do those in the values of its variables."""
    for expression in collect_expressions(word, shell.variables):
        shell.expand_later(expression)


def literal_name(word: Word) -> str:
    """Returns the variable that a word names; empty if unknown. A subscript that is not quoted is a glob: `unset a[0]`."""
    is_glob = all(isinstance(part, str) or part.kind is HoleKind.GLOB for part in word.parts)
    return word.display_text if is_glob else ""


def evaluate_name(word: Word, shell: Shell) -> None:
    """Evaluates the name of a variable: `a[$(cmd)]` runs cmd."""
    shell.expand_later(word)
    _, bracket, subscript = word.partition("[")
    if bracket:
        evaluate_number(subscript, shell)
