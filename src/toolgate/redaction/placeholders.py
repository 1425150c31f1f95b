"""What is put in a secret's place: a text that tells what was there, and never what it was."""

from collections.abc import Callable

from .detectors import label

Placeholder = Callable[[str, str], str]
"""(kind, value) -> the text in its place."""

EXPLANATION = (
    "toolgate hides secrets and personal data from you. A value such as [REDACTED:kind:1a2b3c4d] stands for what was there; the same "
    "value has the same mark throughout this session, so you can tell two apart. It is no mistake of the user's, and no value to use: "
    "do not write it anywhere; refer to the variable or the file that holds the real one."
)
"""Told to a model once in a session."""


def labels(kind: str, _value: str) -> str:
    """The source design's own words: `[GITHUB_TOKEN REDACTED]`."""
    return "[EMAIL_REDACTED]" if kind == "email" else f"[{label(kind)} REDACTED]"


def keyed(key: bytes) -> Placeholder:
    """`[REDACTED:kind:8 hex]`: the same for the same value as long as the key is, and not to be guessed without it."""
    from hashlib import blake2b

    def placeholder(kind: str, value: str) -> str:
        mark = blake2b(value.encode(errors="surrogatepass"), digest_size=4, key=key[:64]).hexdigest()
        return f"[REDACTED:{kind}:{mark}]"

    return placeholder
