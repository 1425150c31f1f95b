"""Credentials on a command line and in HTTP headers: `Authorization: Bearer ...` (RFC 6750, 7617), `curl -u user:password`, `--password x`."""

import re
from collections.abc import Callable

from toolgate.redaction.expression import Expression
from toolgate.redaction.randomness import entropy, is_wordy
from toolgate.redaction.safe import PASSWORD_WORDS, is_placeholder

from .forms import Hit

WORDS = ("bearer ", "basic ", "authorization", "curl", "sshpass", "login ", "api-key:", "api-token:", "x-auth", "private-token")

_BEARER = Expression(r"(?i)(?:Bearer|ApiKey|Api-Token)\s+[\"']?([A-Za-z0-9._~+/=@-]{8,4000})")
_BASIC = Expression(r"(?i)Basic\s+[\"']?([A-Za-z0-9+/]{8,2000}={0,2})(?![A-Za-z0-9+/])")
_HEADER = Expression(
    r"(?i)(?<![A-Za-z0-9])(?:authorization|(?:x-)?(?:[a-z]+-)?(?:api-?)?(?:key|token)|x-auth(?:-[a-z]+)?|private-token)[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:(?:token|bearer|basic|apikey|api-token|oauth|key|digest)[ =]\s{0,3})?[\"']?([\w=~@.+/-]{8,4000})"
)
_CURL_USER = Expression(
    r"(?is)curl\b(?:[^\n]|\\\n|\n(?=[ \t]+-)){0,800}?[ \t\n](?:-u|--user|--proxy-user|-U)(?:=|[ \t]{0,5})(?:\"([^\"\n:]{0,80}):([^\"\n]{3,200})\"|'([^'\n:]{0,80}):([^'\n]{3,200})'|([\w$@.{}-]{0,80}):(?:[\"']([^\"'\n]{3,200})[\"']|([^\s\"'`,;|&)]{3,200})))"
)
_CURL_KEY = Expression(
    r"(?is)curl\b(?:[^\n]|\\\n|\n(?=[ \t]+-)){0,800}?[ \t\n](?:-u|--user)(?:=|[ \t]{0,5})[\"']?([A-Za-z0-9_.-]{12,200}):[\"']?(?=\s|\Z)"
)
_SSHPASS = Expression(r"sshpass\s+-p\s*[\"']?([^\s\"']{3,100})")
_NETRC = Expression(r"(?i)login\s+\S{1,100}\s+password\s+(\S{3,200})")
_VARIABLE = Expression(
    r"\$.*|<.*|\{.*|\[.*|%.*|\*+|(?i:x+|token|change(?:it|me)|pass(?:word)?|pwd|test)|.*\$\{.*|.*\{\{.*|\$\(.*"
)


def probe(text: str, start: int, _end: int) -> Hit | None:
    """Which of them it is, its first two letters tell."""
    read = _READERS.get(text[start : start + 2].lower())
    return None if read is None else read(text, start)


def _opaque(found: re.Match[str] | None) -> Hit | None:
    if found is None:
        return None
    value = found[1].rstrip(".")
    if (
        is_placeholder(value)
        or value.isalpha()
        or not any(char.isdigit() for char in value)
        or (is_wordy(value) and sum(map(str.isdigit, value)) < 4)
        or entropy(value) < 2.75
    ):
        return None
    if value.startswith("AWS4-") or (value.count(".") > 2 and not value.startswith("ey")):
        return None
    return Hit(found.start(1), found.start(1) + len(value), "token")


def _basic(found: re.Match[str] | None) -> Hit | None:
    """Base64 of `user:password`."""
    if found is None or is_placeholder(found[1]):
        return None
    from binascii import Error, a2b_base64

    value = found[1]
    try:
        plain = a2b_base64(value + "=" * (-len(value) % 4))
    except Error:
        return None
    if b":" not in plain or not plain.isascii() or min(plain) < 32:
        return (
            None
            if not any(char.isdigit() for char in value) or is_wordy(value) or len(value) < 16
            else Hit(*found.span(1), "token")
        )
    return Hit(*found.span(1), "token")


def _user(found: re.Match[str] | None) -> Hit | None:
    if found is None or found.lastindex is None:
        return None
    value = found[found.lastindex]
    if _VARIABLE.fullmatch(value) or (value.lower() in PASSWORD_WORDS and value.lower() != "p"):
        return None
    return Hit(*found.span(found.lastindex), "password")


def _plain(found: re.Match[str] | None) -> Hit | None:
    if found is None or _VARIABLE.fullmatch(found[1]) or found[1].lower() in PASSWORD_WORDS:
        return None
    return Hit(*found.span(1), "password")


_READERS: dict[str, Callable[[str, int], Hit | None]] = {
    "be": lambda text, start: _opaque(_BEARER.match(text, start)),
    "ba": lambda text, start: _basic(_BASIC.match(text, start)),
    "cu": lambda text, start: _user(_CURL_USER.match(text, start)) or _opaque(_CURL_KEY.match(text, start)),
    "ss": lambda text, start: _plain(_SSHPASS.match(text, start)),
    "lo": lambda text, start: _plain(_NETRC.match(text, start)),
    **dict.fromkeys(("ap", "au", "x-", "pr"), lambda text, start: _opaque(_HEADER.match(text, start))),
}
