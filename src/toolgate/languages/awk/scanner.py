"""Scanning of awk programs: blanks, signs, names, texts and regular expressions."""

from __future__ import annotations

import re

_BLANKS = re.compile(r"(?:[ \t\r\f\v]|\\\r?\n|#[^\n]*)*")
_NEWLINES = re.compile(r"(?:[ \t\r\f\v\n]|\\\r?\n|#[^\n]*)*")
_BLANK_LINES = re.compile(r"(?:[ \t\r\f\v\n;]|\\\r?\n|#[^\n]*)*")
_NAME = re.compile(r"[A-Za-z_]\w*(?:::[A-Za-z_]\w*)?")
_TEXT = re.compile(r'"((?:\\.|[^"\\\n])*)"', re.DOTALL)
_EXPRESSION = re.compile(r"/((?:\\.|\[(?:\^?\]|\[[:.=][^\]]*[:.=]\]|\\.|[^\]\n])*\]|[^/\\\n\[])*)/")
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{1,2}|[0-7]{1,3}|\r?\n|.)", re.DOTALL)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\n": ""}
SIGNS: tuple[str, ...] = (
    *("**=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "**", "==", "<=", ">=", "!=", "!~", ">>", "|&"),
    *"+-*/%^!<>|?:~=,;(){}[]$@",
)
"""The longest that fits is taken."""


def _unescape(match: re.Match[str]) -> str:
    body = str(match[1])
    if body[0] == "x" and len(body) > 1:
        return chr(int(body[1:], 16))
    if body[0] in "01234567":
        return chr(int(body, 8) & 0xFF)
    return _PLAIN.get(body, body if body in '"\\/' else f"\\{body}")


class Scanner:
    """Scans `source` from the position `at`."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0

    @property
    def is_at_end(self) -> bool:
        return self.at >= len(self.source)

    def skip_blanks(self) -> None:
        found = _BLANKS.match(self.source, self.at)
        self.at = found.end() if found else self.at

    def skip_newlines(self) -> None:
        found = _NEWLINES.match(self.source, self.at)
        self.at = found.end() if found else self.at

    def skip_blank_lines(self) -> None:
        found = _BLANK_LINES.match(self.source, self.at)
        self.at = found.end() if found else self.at

    def peek(self) -> str:
        """Returns the sign that comes next; a newline, the first character of anything else, or nothing at the end."""
        self.skip_blanks()
        for sign in SIGNS:
            if self.source.startswith(sign, self.at):
                return sign
        return self.source[self.at : self.at + 1]

    def take_sign(self, *signs: str) -> str:
        """Takes the next sign if it is one of these; returns it, or nothing."""
        sign = self.peek()
        if sign not in signs:
            return ""
        self.at += len(sign)
        return sign

    def expect_sign(self, sign: str) -> None:
        if not self.take_sign(sign):
            raise SyntaxError(f"{sign} is missing")

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Takes what a pattern matches here."""
        self.skip_blanks()
        found = pattern.match(self.source, self.at)
        if found:
            self.at = found.end()
        return found

    def peek_name(self) -> str:
        self.skip_blanks()
        found = _NAME.match(self.source, self.at)
        return str(found[0]) if found else ""

    def take_name(self, *names: str) -> str:
        """Takes the next name if it is one of these; returns it, or nothing."""
        name = self.peek_name()
        if not name or name not in names:
            return ""
        self.at += len(name)
        return name

    def parse_name(self) -> str:
        name = self.peek_name()
        if not name:
            raise SyntaxError("a name is missing")
        self.at += len(name)
        return name

    def take_text(self) -> str | None:
        """Takes a text in quotes, without its escapes."""
        found = self.take(_TEXT)
        return None if found is None else _ESCAPE.sub(_unescape, found[1])

    def take_regular_expression(self) -> str:
        found = self.take(_EXPRESSION)
        if found is None:
            raise SyntaxError("a regular expression has no end")
        return found[1].replace("\\/", "/")
