"""Private keys in PEM and related formats: RFC 7468, OpenSSH, PGP, SSH2. A truncated key extends as far as text looks like
one."""

from toolgate.redaction.expression import Expression

from .forms import Hit

MARKS = ("PRIVATE KEY",)
MAX_LENGTH = 16_000
_HEADER_START = Expression(r"-{0,5}BEGIN[ A-Z0-9_-]{0,80}\Z")
_HEADER_END = Expression(r"PRIVATE KEY(?: BLOCK)?(?:-----)?")
_FOOTER = Expression(r"-----END[ A-Z0-9_-]{0,80}PRIVATE KEY(?: BLOCK)?-----")
_BODY = Expression(r"(?:[A-Za-z0-9+/=:,. \t-]|\\?[\r\n]|\\[nrt]|[\"'] *\+? *\\?\r?\n? *[\"'])*+")
_BODY_START = Expression(
    r"(?:[ \t]|\\[nrt])*(?:[\r\n]|\\[nr]|\Z|(?=[A-Za-z0-9+/]{16}))(?:\s|\\[nrt]|[\"'+,#*>|])*(?=[A-Za-z0-9+/=])"
)
_QUOTED_HEADER = Expression(r"[\"'`](?![ \t]*[+,.\\]?[ \t]*(?:\r?\n[ \t]*)?[+]?[ \t]*[\"'`])")
"""The header alone in quotes, as in a program that searches for keys."""
_ELIDED_BODY = Expression(
    r"(?i)[\s\"'\\nr+#*,;]*(?:\.\.\.|…|x{3,}|<|\[|\{|\$|your|key|put|insert|example|redacted|content|base64)[\s\S]{0,80}"
)


def probe(text: str, start: int, _end: int) -> Hit | None:
    head = _HEADER_START.search(text, max(0, start - 90), start)
    after = _HEADER_END.match(text, start) if head else None
    if head is None or after is None:
        return None
    end = _FOOTER.search(text, after.end(), after.end() + MAX_LENGTH)
    if end is not None:
        body = text[after.end() : end.start()]
        if (
            "-----BEGIN" in body
            or _QUOTED_HEADER.match(body)
            or not any(char.isalnum() for char in body)
            or (len(body) < 120 and _ELIDED_BODY.fullmatch(body))
        ):
            return None
        return Hit(head.start(), end.end(), "private-key")
    opens = _BODY_START.match(text, after.end(), after.end() + 200)
    if opens is None:
        return None
    body_end = _BODY.match(text, opens.end(), after.end() + MAX_LENGTH)
    last = body_end.end() if body_end else opens.end()
    return Hit(head.start(), last, "private-key") if last - opens.end() >= 2 else None
