"""Arithmetic: what it runs, and which variables it changes. Numbers themselves are not computed: any number may come of it."""

import re
from collections.abc import Generator
from typing import Any

from toolgate.model.effect import Opaque
from toolgate.model.word import unknown

from .protocol import Values, Yielded
from .state import Shell
from .values import first

_NAMES = re.compile(r"[A-Za-z_]\w*")
_CHANGED = re.compile(r"([A-Za-z_]\w*)\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))|(?:\+\+|--)\s*([A-Za-z_]\w*)")
NUMBER = unknown("a number", like="*")


def calculated(text: str, shell: Shell) -> Generator[Yielded, Any, None]:
    """An expression as it stands: every variable in it is an expression of its own, and some are given a new value."""
    for name in _NAMES.findall(text):
        yield from as_number(name, shell)
    for match in _CHANGED.finditer(text):
        changed = match[1] or match[2]
        shell.assign(changed, (NUMBER, *_kept(shell.variables.get(changed, ()))))


def _kept(values: Values) -> Values:
    """What is no number makes a mistake of the expression, and then nothing is assigned."""
    return tuple(value for value in values if not (first(value).text or "0").isdigit())


def as_number(name: str, shell: Shell) -> Generator[Yielded, Any, None]:
    """A variable used as a number: `a[$(cmd)]` in its value runs cmd."""
    for value in shell.variables.get(name, ()):
        text = first(value)
        if text.contains("$(") is True or text.contains("`") is True:
            yield Opaque(f"the value of {name} runs a command when it is used as a number", shell.origin())
