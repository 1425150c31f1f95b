"""Scanning of awk programs: blanks, signs, names, texts and regular expressions."""

from __future__ import annotations

import re

_BLANKS = re.compile(r"(?:[ \t\r\f\v]|\\\r?\n|#[^\n]*)*")
_NEWLINES = re.compile(r"(?:[ \t\r\f\v\n]|\\\r?\n|#[^\n]*)*")
_BLANK_LINES = re.compile(r"(?:[ \t\r\f\v\n;]|\\\r?\n|#[^\n]*)*")
_NAME = re.compile(r"[A-Za-z_]\w*(?:::[A-Za-z_]\w*)?")
_TEXT = re.compile(r'"((?:\\.|[^"\\\n])*)"', re.DOTALL)
_SET = r"\[\^?\]?(?:\[[:.=][^\]\n]*\]|\[(?![:.=])|\\.|[^\]\[\\\n])*+\]"
_EXPRESSION = re.compile(rf"/((?:\\.|{_SET}|[^/\\\n\[])*+)/")
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{1,2}|[0-7]{1,3}|\r?\n|.)", re.DOTALL)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\n": ""}
_SIGN = re.compile(r"\*\*=|&&|\|\||\+\+|--|[-+*/%^=<>!]=|\*\*|!~|>>|\|&|[-+*/%^!<>|?:~=,;(){}\[\]$@]")
"""The longest that fits is taken."""


def unescape(text: str) -> str:
    """Returns what a text with escape sequences stands for."""
    return _ESCAPE.sub(_escaped_character, text)


def _escaped_character(match: re.Match[str]) -> str:
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
        self._peeked = (-1, "", "")
        """The position after the last blanks skipped, and the sign and the name there."""

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
        return self._look_ahead()[1]

    def _look_ahead(self) -> tuple[int, str, str]:
        if self._peeked[0] != self.at:
            self.skip_blanks()
            sign = _SIGN.match(self.source, self.at)
            name = None if sign else _NAME.match(self.source, self.at)
            next_ = sign[0] if sign else self.source[self.at : self.at + 1]
            self._peeked = (self.at, next_, name[0] if name else "")
        return self._peeked

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
        return self._look_ahead()[2]

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
        return None if found is None else unescape(found[1])

    def take_regular_expression(self) -> str:
        found = self.take(_EXPRESSION)
        if found is None:
            raise SyntaxError("a regular expression has no end")
        return found[1].replace("\\/", "/")
