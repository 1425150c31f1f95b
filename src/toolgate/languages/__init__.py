"""Code handed to an interpreter -> effects. GROWS: a language is one file, its cases beside it, and a line in this table."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib import import_module

from toolgate.model.effect import Interpret, Reported
from toolgate.model.seen import Seen

Reader = Callable[[Interpret, str, Seen], Iterator[Reported]]
"""Reads the text of some code; what it cannot see it reports as Opaque where that may hide harm."""

LANGUAGES: dict[str, str] = {
    "python": "python",
    "sed": "sed",
    "awk": "awk",
    "perl": "literal",
    "ruby": "literal",
    "php": "literal",
    "javascript": "literal",
}
_INTERPRETERS = {
    "sh": "shell",
    "bash": "shell",
    "dash": "shell",
    "ash": "shell",
    "ksh": "shell",
    "mksh": "shell",
    "zsh": "shell",
    "python": "python",
    "pypy": "python",
    "perl": "perl",
    "ruby": "ruby",
    "php": "php",
    "node": "javascript",
    "nodejs": "javascript",
    "bun": "javascript",
    "deno": "javascript",
    "awk": "awk",
    "gawk": "awk",
    "sed": "sed",
}


@lru_cache(64)
def reader(language: str) -> Reader | None:
    """What reads a language; None: nobody does."""
    module = LANGUAGES.get(language)
    if module is None:
        return None
    found: Reader = import_module(f"{__name__}.{module}").read
    return found


def of_interpreter(name: str) -> str | None:
    """The language of a program that a script's first line names; None for one that is not known."""
    return _INTERPRETERS.get(name) or _INTERPRETERS.get(name.rstrip("0123456789."))
