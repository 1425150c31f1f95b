"""Passwords in URLs and connection strings (RFC 3986: `scheme://user:password@host`)."""

import re

from toolgate.redaction.expression import Expression
from toolgate.redaction.safe_values import PASSWORD_WORDS, REFERENCE

from .forms import Hit

MARKS = ("://",)
_AUTHORITY = Expression(r"://([^\s:@/\"'<>\\`|,;()\[\]]{0,128}):([^\s@\"'<>\\`|]{3,200})@")
_HARMLESS_PASSWORD = Expression(
    r"\d{1,5}/[^@]*|[^@]*//.*|[xX*.•_-]{3,}|%[sdv]|%\(\w+\)s|\{.*\}|\[.*\]?|.*\$\{[^}]*\}.*|.*\{\{.*|.*\$\(.*|\$\w+|(.)\1{3,}"
)
_PLACEHOLDER_PASSWORD = Expression(
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
        or _PLACEHOLDER_PASSWORD.fullmatch(password)
        or _HARMLESS_PASSWORD.fullmatch(password)
        or REFERENCE.fullmatch(password)
    ):
        return None
    if _is_local_default(text, found):
        return None
    return Hit(found.start(2), found.end(2), "url-password")


_LOCAL_HOST = Expression(
    r"(?i)(?:localhost|[\w.-]+\.localhost|127\.[\d.]+|\[::1\]|0\.0\.0\.0|host\.docker\.internal|[a-z][\w-]{0,40})(?=[:/?\s\"'`,;)\]}]|$)"
)
_DEFAULT_PASSWORDS = frozenset(
    (
        *(
            "postgres",
            "mysql",
            "mariadb",
            "redis",
            "mongo",
            "mongodb",
            "rabbitmq",
            "rabbit",
            "minio",
            "minioadmin",
            "elastic",
            "neo4j",
        ),
        *(
            "app",
            "dev",
            "devpass",
            "devpassword",
            "development",
            "local",
            "localdev",
            "docker",
            "changeme",
            "changeit",
            "example",
        ),
        *("1234", "12345", "123456", "12345678", "letmein", "sa", "toor", "testpass", "testpassword", "test123", "rootpassword"),
        *(
            "mysecretpassword",
            "airflow",
            "django",
            "rails",
            "laravel",
            "sail",
            "symfony",
            "phoenix",
            "user123",
            "pass123",
            "hunter2",
        ),
    )
)
"""Default passwords of images and tutorials."""


def _is_local_default(text: str, found: "re.Match[str]") -> bool:
    """Returns whether it is a default password for a service of this machine or of a compose file: `postgres:postgres@db`."""
    user, password = found[1].lower(), found[2].lower()
    return (password == user or password in _DEFAULT_PASSWORDS) and _LOCAL_HOST.match(text, found.end()) is not None
