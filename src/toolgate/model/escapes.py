"""Backslash escapes of each program: `echo` of every shell, `printf`, its `%b`."""

import re

_LETTERS = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_HEXADECIMAL = "x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}"


def _knows(letters: str, octal: str, more: str = "", ends: str = "c.*") -> re.Pattern[str]:
    """`ends`: the escape that ends the text."""
    ways = [rf"(?P<letter>[{letters}])", rf"(?P<octal>{octal})", rf"(?P<code>{more})" if more else "(?P<code>(?!))", ends]
    return re.compile(rf"\\(?:{'|'.join(filter(None, ways))})", re.DOTALL)


ECHO = _knows(r"abeEfnrtv\\", "0[0-7]{0,3}", _HEXADECIMAL)
"""bash's `echo -e`."""
ECHO_OF_DASH = _knows(r"abefnrtv\\", "0?[0-7]{1,3}")
ECHO_OF_ZSH = _knows(r"abefnrtv\\", "0[0-7]{0,3}", _HEXADECIMAL)
FORMAT = _knows(r"""abeEfnrtv\\"'?""", "[0-7]{1,3}", _HEXADECIMAL, ends="")
"""The format of bash's `printf`, in which `\\c` does not end the text."""
BYTES = _knows(r"abeEfnrtv\\", "0?[0-7]{1,3}", _HEXADECIMAL)
"""An argument of `%b`."""


def spelled(text: str, escapes: re.Pattern[str]) -> str:
    """Decodes the escapes in a text. Other text is left unchanged."""
    return escapes.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    if letter := match["letter"]:
        return _LETTERS.get(letter, letter)
    if octal := match["octal"]:
        return chr(int(octal, 8) & 0xFF)
    return _of_code(match["code"][1:]) if match["code"] else ""


def _of_code(digits: str) -> str:
    number = int(digits, 16)
    is_character = number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF
    return chr(number) if is_character else "\N{REPLACEMENT CHARACTER}"
