"""Regular expressions of code that are simple enough to apply: `/\\r?\\n/`, `/^~/`, `/\\/+$/`."""

from __future__ import annotations

import re
from functools import lru_cache

_LONGEST_PATTERN, LONGEST_TEXT = 80, 4_000
_CHARACTER = r"(?:\\[dswnrtDSW]|\\[^\w\s]|\[\^?(?:\\.|-(?!-)|[^\]\[\\\n&~|-])+\]|[^\\\[\](){}|*+?^$\n])"
_ATOM = rf"{_CHARACTER}(?:[*+?]|\{{\d{{1,2}}(?:,\d{{0,2}})?\}})?"
_IS_SIMPLE = re.compile(rf"\^?(?:{_ATOM})*\$?(?:\|\^?(?:{_ATOM})*\$?)*").fullmatch
"""Matches a pattern without groups, whose repeated parts are single characters: it cannot cost more than the square of a text."""


@lru_cache(256)
def compile_pattern(source: str, flags: str = "") -> re.Pattern[str] | None:
    """Returns a pattern for Python; None if it is not simple. `flags`: letters as JavaScript, Ruby and Perl write them."""
    if not source or len(source) > _LONGEST_PATTERN or _IS_SIMPLE(source) is None or source.count("*") + source.count("+") > 3:
        return None
    options = (re.IGNORECASE if "i" in flags else 0) | (re.MULTILINE if "m" in flags else 0)
    try:
        return re.compile(source, options)
    except re.error:
        return None
