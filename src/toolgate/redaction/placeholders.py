"""Placeholders for secrets: texts that name the kind, and never the value."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .detectors import label_of_kind

Placeholder = Callable[[str, str], str]
"""(kind, value) -> the placeholder."""

EXPLANATION = (
    "toolgate hides secrets and personal data from you. A value such as [REDACTED:kind:1a2b3c4d] stands for what was there; the same "
    "value has the same mark throughout this session, so you can tell two apart. It is no mistake of the user's, and no value to use: "
    "do not write it anywhere; refer to the variable or the file that holds the real one."
)
"""Shown to a model once per session."""


def label_placeholder(kind: str, _value: str) -> str:
    """Returns the source design's placeholder: `[GITHUB_TOKEN REDACTED]`."""
    return f"[{label_of_kind(kind)} REDACTED]"


def replacement_placeholder(replacements: Mapping[str, str], otherwise: Placeholder) -> Placeholder:
    """Returns a function for the text that the policy gives to a kind, and the other placeholder where it gives none."""
    return lambda kind, value: replacements[kind] if kind in replacements else otherwise(kind, value)


@dataclass(slots=True)
class KeyedPlaceholder:
    """Renders `[REDACTED:kind:8 hex]`: the same value has the same mark under one key, which cannot be guessed without it. The
    key is read once, for the first value."""

    read_key: Callable[[], bytes]
    _key: bytes | None = None

    def __call__(self, kind: str, value: str) -> str:
        from hashlib import blake2b  # most texts hold no secret

        if self._key is None:
            self._key = self.read_key()[:64]
        mark = blake2b(value.encode(errors="surrogatepass"), digest_size=4, key=self._key).hexdigest()
        return f"[REDACTED:{kind}:{mark}]"
