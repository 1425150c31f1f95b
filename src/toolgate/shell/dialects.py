"""Chooses the parser of a text."""

from collections.abc import Callable

from .parser import parse
from .syntax import Program


def parser_for_dialect(dialect: str) -> Callable[[str], Program]:
    """Returns the parser for a dialect: `bash` (or zsh), bash or dash, or dash alone."""
    if dialect == "bash":
        return parse
    from .dash import PARSERS  # slow to import, and rarely needed

    return PARSERS[dialect]
