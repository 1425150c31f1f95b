"""Escapes in string literals, as the languages write them."""

import re
from collections.abc import Mapping
from typing import NamedTuple


class Escapes(NamedTuple):
    """`plain`: characters by their letters. `code`: a code point in hexadecimal digits, each form in a group. `octal`: a byte in
    octal digits."""

    plain: Mapping[str, str]
    code: re.Pattern[str]
    octal: re.Pattern[str]

    def decode(self, escape: str, otherwise: str) -> str:
        """Returns the text that an escape denotes (`\\n`, `\\x41`, `\\u{1f600}`, `\\101`); `otherwise` where it denotes none."""
        body = escape[1:]
        if body in self.plain:
            return self.plain[body]
        if code := self.code.fullmatch(body):
            number = int(next(filter(None, code.groups())), 16)
            return chr(number) if number < 0x110000 else ""
        return chr(int(body, 8) & 0xFF) if self.octal.fullmatch(body) else otherwise
