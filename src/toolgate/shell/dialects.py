"""Who reads a text."""

from collections.abc import Callable

from .parser import parse
from .syntax import Program


def parser(dialect: str) -> Callable[[str], Program]:
    """`bash` (or zsh), that or dash, or dash alone."""
    if dialect == "bash":
        return parse
    from .dash import PARSERS  # dear to import, and not for every call

    return PARSERS[dialect]
