"""Calls that stand within a text: `println("removed: ${dir.deleteRecursively()}")`. They are written beside the text as well,
where the patterns of calls find them."""

import re

from .texts import TEXT

_TEXT = re.compile(rf"(?P<formatted>\$@?)?({TEXT})")
_DOES = r"[^{}()\"]*\b(?i:\w*(?:delete|remov|unlink|read|write|destroy|wipe|drop)\w*!?)\([^()\"]*\)[^{}()\"]*"
_INTERPOLATED = re.compile(rf"[$#]\{{({_DOES})\}}|\\\(({_DOES})\)")
_FORMATTED = re.compile(rf"(?<!\{{)\{{({_DOES})\}}")
_MARKS = ("${", "#{", "\\(", '$"', '@"')


def write_interpolated_calls(text: str) -> str:
    """Returns the code with the calls in its texts that change or read something written after the text, as further arguments."""
    if not any(mark in text for mark in _MARKS):
        return text

    def add_calls(match: re.Match[str]) -> str:
        pattern = _FORMATTED if match["formatted"] else _INTERPOLATED
        calls = [next(group for group in found.groups() if group) for found in pattern.finditer(match[2])]
        return ", ".join((match[0], *calls))

    return _TEXT.sub(add_calls, text)
