"""Backslash escapes of each program: `echo` of every shell, `printf`, its `%b`."""

import re

_LETTERS = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_HEXADECIMAL = "x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}"


def _compile_escapes(letters: str, octal: str, more: str = "", ends: str = "c.*") -> re.Pattern[str]:
    """`ends`: the escape that ends the text."""
    ways = [rf"(?P<letter>[{letters}])", rf"(?P<octal>{octal})", rf"(?P<code>{more})" if more else "(?P<code>(?!))", ends]
    return re.compile(rf"\\(?:{'|'.join(filter(None, ways))})", re.DOTALL)


BASH_ECHO = _compile_escapes(r"abeEfnrtv\\", "0[0-7]{0,3}", _HEXADECIMAL)
"""bash's `echo -e`."""
DASH_ECHO = _compile_escapes(r"abefnrtv\\", "0?[0-7]{1,3}")
ZSH_ECHO = _compile_escapes(r"abefnrtv\\", "0[0-7]{0,3}", _HEXADECIMAL)
PRINTF_FORMAT = _compile_escapes(r"""abeEfnrtv\\"'?""", "[0-7]{1,3}", _HEXADECIMAL, ends="")
"""The format of bash's `printf`, in which `\\c` does not end the text."""
PRINTF_ARGUMENT = _compile_escapes(r"abeEfnrtv\\", "0?[0-7]{1,3}", _HEXADECIMAL)
"""An argument of `%b`."""


def decode_escapes(text: str, escapes: re.Pattern[str]) -> str:
    """Decodes the escapes in a text. Other text is left unchanged."""
    return escapes.sub(_decode_escape, text)


def _decode_escape(match: re.Match[str]) -> str:
    if letter := match["letter"]:
        return _LETTERS.get(letter, letter)
    if octal := match["octal"]:
        return chr(int(octal, 8) & 0xFF)
    return _decode_code_point(match["code"][1:]) if match["code"] else ""


def _decode_code_point(digits: str) -> str:
    number = int(digits, 16)
    is_character = number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF
    return chr(number) if is_character else "\N{REPLACEMENT CHARACTER}"
