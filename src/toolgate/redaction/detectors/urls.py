"""Passwords in URLs and connection strings (RFC 3986: `scheme://user:password@host`)."""

from toolgate.redaction.expression import Expression
from toolgate.redaction.safe import PASSWORD_WORDS, REFERENCE

from .forms import Hit

MARKS = ("://",)
_AUTHORITY = Expression(r"://([^\s:@/\"'<>\\`|,;()\[\]]{0,128}):([^\s@\"'<>\\`|]{3,200})@")
_NO_PASSWORD = Expression(
    r"\d{1,5}/[^@]*|[^@]*//.*|[xX*.•_-]{3,}|%[sdv]|%\(\w+\)s|\{.*\}|\[.*\]?|.*\$\{[^}]*\}.*|.*\{\{.*|.*\$\(.*|\$\w+|(.)\1{3,}"
)
_SAID = Expression(
    r"(?i)(?:my|your|the|db|some|user)?[_-]?(?:pass(?:word|wd|phrase)?|pwd|secret|token)[_-]?\d?|(?:replace|insert|change)[_-]?.*|your[_-].*|example.*|.*placeholder.*|.*redacted.*"
)


def probe(text: str, start: int, _end: int) -> Hit | None:
    found = _AUTHORITY.match(text, start)
    if found is None:
        return None
    password = found[2]
    if "/" in password and ("?" in password or password.split("/", 1)[0].isdigit()):
        return None
    if (
        password.lower() in PASSWORD_WORDS
        or _SAID.fullmatch(password)
        or _NO_PASSWORD.fullmatch(password)
        or REFERENCE.fullmatch(password)
    ):
        return None
    return Hit(found.start(2), found.end(2), "url-password")
