"""Credentials in HTTP headers and logins: `Authorization: Bearer ...` (RFC 6750, 7617), base64 `auth`, .netrc, a key as curl's
user."""

import re
from collections.abc import Callable

from toolgate.redaction.expression import Expression
from toolgate.redaction.randomness import entropy, is_wordy
from toolgate.redaction.safe_values import EXAMPLE_CLAIMS, PASSWORD_WORDS, is_placeholder

from .forms import Hit

WORDS = (
    "bearer ",
    "basic ",
    "authorization",
    "curl",
    "sshpass",
    "login ",
    "api-key:",
    "api-token:",
    "x-auth",
    "private-token",
    '"auth"',
    "auth:",
    "_auth",
)

_BEARER = Expression(r"(?i)(?:Bearer|ApiKey|Api-Token)\s+[\"']?([A-Za-z0-9._~+/=@-]{8,4000})")
_BASIC = Expression(r"(?i)Basic\s+[\"']?([A-Za-z0-9+/]{8,2000}={0,2})(?![A-Za-z0-9+/])")
_HEADER = Expression(
    r"(?i)(?<![A-Za-z0-9])(?:authorization|(?:x-)?(?:[a-z]+-)?(?:api-?)?(?:key|token)|x-auth(?:-[a-z]+)?|private-token)[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:(?:token|bearer|basic|apikey|api-token|oauth|key|digest)[ =]\s{0,3})?[\"']?([\w=~@.+/-]{8,4000})"
)
_CURL_KEY = Expression(
    r"(?is)curl\b(?:[^\n]|\\\n|\n(?=[ \t]+-)){0,800}?[ \t\n](?:-u|--user)(?:=|[ \t]{0,5})[\"']?([A-Za-z0-9_.-]{12,200}):[\"']?(?=\s|\Z)"
)
_AUTH_SETTING = Expression(r"(?i)[\"_]{0,2}auth\"?\s{0,3}[:=]\s{0,3}\"?([A-Za-z0-9+/]{8,2000}={0,2})(?![A-Za-z0-9+/=])")
"""Base64 of `user:password`: `auths` of Docker's configuration, `_auth` of npm's."""
_NETRC = Expression(r"(?i)login\s+\S{1,100}\s+password\s+(\S{3,200})")
_REFERENCE_OR_PLACEHOLDER = Expression(
    r"\$.*|<.*|\{.*|\[.*|%.*|\*+|(?i:x+|token|change(?:it|me)|pass(?:word)?|pwd|test)|.*\$\{.*|.*\{\{.*|\$\(.*"
)


def probe(text: str, start: int, _end: int) -> Hit | None:
    """Selects the reader by the first two letters."""
    read = _READERS.get(text[start : start + 2].lower())
    return None if read is None else read(text, start)


def _hit_if_random(match: re.Match[str] | None) -> Hit | None:
    if match is None:
        return None
    value = match[1].rstrip(".")
    if (
        is_placeholder(value)
        or any(claim in value for claim in EXAMPLE_CLAIMS)
        or value.isalpha()
        or not any(char.isdigit() for char in value)
        or (is_wordy(value) and sum(map(str.isdigit, value)) < 4)
        or entropy(value) < 2.75
    ):
        return None
    if value.startswith("AWS4-") or (value.count(".") > 2 and not value.startswith("ey")):
        return None
    return Hit(match.start(1), match.start(1) + len(value), "token")


def _hit_if_basic_auth(match: re.Match[str] | None) -> Hit | None:
    """Returns base64 of `user:password`."""
    if match is None or is_placeholder(match[1]):
        return None
    from binascii import Error, a2b_base64

    value = match[1]
    try:
        plain = a2b_base64(value + "=" * (-len(value) % 4))
    except Error:
        return None
    if b":" not in plain or not plain.isascii() or min(plain) < 32:
        return (
            None
            if not any(char.isdigit() for char in value) or is_wordy(value) or len(value) < 16
            else Hit(*match.span(1), "token")
        )
    return Hit(*match.span(1), "token")


def _hit_if_login(match: re.Match[str] | None) -> Hit | None:
    if match is None or is_placeholder(match[1]):
        return None
    from binascii import Error, a2b_base64

    try:
        user, colon, password = a2b_base64(match[1] + "=" * (-len(match[1].rstrip("=")) % 4)).decode().partition(":")
    except (Error, ValueError):
        return None
    if not colon or not user or not (user + password).isprintable() or " " in user:
        return None
    if len(password) < 3 or password.lower() in PASSWORD_WORDS or _REFERENCE_OR_PLACEHOLDER.fullmatch(password):
        return None
    return Hit(*match.span(1), "token")


def _hit_if_password(match: re.Match[str] | None) -> Hit | None:
    if match is None or _REFERENCE_OR_PLACEHOLDER.fullmatch(match[1]) or match[1].lower() in PASSWORD_WORDS:
        return None
    return Hit(*match.span(1), "password")


_READERS: dict[str, Callable[[str, int], Hit | None]] = {
    "be": lambda text, start: _hit_if_random(_BEARER.match(text, start)),
    "ba": lambda text, start: _hit_if_basic_auth(_BASIC.match(text, start)),
    "cu": lambda text, start: _hit_if_random(_CURL_KEY.match(text, start)),
    "lo": lambda text, start: _hit_if_password(_NETRC.match(text, start)),
    **dict.fromkeys(('"a', "_a"), lambda text, start: _hit_if_login(_AUTH_SETTING.match(text, start))),
    "au": lambda text, start: _hit_if_random(_HEADER.match(text, start)) or _hit_if_login(_AUTH_SETTING.match(text, start)),
    **dict.fromkeys(("ap", "x-", "pr"), lambda text, start: _hit_if_random(_HEADER.match(text, start))),
}
