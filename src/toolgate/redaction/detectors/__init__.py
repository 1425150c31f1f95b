"""Detectors. GROWS: a token is a row in `tokens`, a key beside its issuer's name a row in `named`; other formats have a
file of their own. `*.examples.toml` beside the table has examples of every kind, and of text that only resembles it."""

from collections.abc import Iterator

from . import assignments, command_lines, headers, manifests, personal, private_keys, urls
from .forms import Probe, Tier
from .named_keys import NAMED_KEYS
from .probes import build_named_probe, build_token_probe
from .tokens import TOKENS

__all__ = ["KINDS", "NUMBERS", "iter_marks", "iter_words", "label_of_kind", "tier_of_kind"]

NUMBERS = frozenset(("card", "iban", "phone", "ssn"))


def iter_marks(*, email: bool) -> Iterator[tuple[str, Probe]]:
    """Yields literals that are searched as they are, with the probe for each."""
    for row in TOKENS:
        probe = build_token_probe(row)
        yield from ((mark, probe) for mark in row.marks.split())
    yield from ((mark, private_keys.probe) for mark in private_keys.MARKS)
    yield from ((mark, urls.probe) for mark in urls.MARKS)
    if email:
        yield from ((mark, personal.probe_email) for mark in personal.EMAIL_MARKS)


def iter_words() -> Iterator[tuple[str, Probe]]:
    """Yields lower-case literals that are searched in any case, with the probe for each."""
    for row in NAMED_KEYS:
        probe = build_named_probe(row)
        yield from ((name, probe) for name in row.names.split())
    for module in (assignments, headers, manifests):
        yield from ((word, module.probe) for word in module.WORDS)
    yield from ((word, command_lines.probe_variable) for word in command_lines.WORDS)


_OTHER_KINDS: dict[str, tuple[Tier, str]] = {
    assignments.KIND: ("likely", "SECRET"),
    "kubernetes-secret": ("likely", "SECRET"),
    "encoded-secret": ("sure", "SECRET"),
    "private-key": ("sure", "PRIVATE_KEY"),
    "url-password": ("sure", "PASSWORD"),
    "password": ("sure", "PASSWORD"),
    "token": ("sure", "TOKEN"),
    "email": ("personal", "EMAIL"),
    **{kind: ("personal", kind.upper()) for kind in sorted(NUMBERS)},
}
"""Kinds that are no row of a table: their tier, and their name in capitals."""

KINDS: dict[str, tuple[Tier, str]] = {
    **{
        kind: ("sure", kind.upper().replace("-", "_"))
        for kind in [*(row.kind for row in TOKENS), *(row.kind for row in NAMED_KEYS)]
    },
    **_OTHER_KINDS,
}


def tier_of_kind(kind: str) -> Tier:
    """Returns the tier of a kind. A user's own pattern is sure."""
    return KINDS[kind][0] if kind in KINDS else "sure"


def label_of_kind(kind: str) -> str:
    return KINDS[kind][1] if kind in KINDS else kind.upper().replace("-", "_")
