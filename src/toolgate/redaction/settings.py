"""The finder and the placeholders of a policy."""

from collections.abc import Callable
from functools import lru_cache

from toolgate.model.glob import matches_path
from toolgate.model.rule import DEFAULT_REDACTION, Policy, Redaction
from toolgate.model.word import Word

from .detectors.forms import Hit
from .finder import Finder, known_text
from .finder import find_in_word as built_in
from .patterns import Exclusions, Pattern
from .placeholders import KeyedPlaceholder, label_placeholder, replacement_placeholder
from .redactor import Redactor


def build_redactor(policy: Policy, read_key: Callable[[], bytes]) -> Redactor:
    """Returns the redactor of a policy. `read_key` returns the key of the session's marks."""
    placeholder = label_placeholder if policy.placeholders == "labels" else KeyedPlaceholder(read_key)
    own = dict(policy.redaction.replacements)
    return Redactor(build_finder(policy), replacement_placeholder(own, placeholder) if own else placeholder)


def build_finder(policy: Policy) -> Finder:
    return _build_cached_finder(policy.redaction, everybody=policy.addresses == "all")


@lru_cache(8)
def _build_cached_finder(redaction: Redaction, *, everybody: bool) -> Finder:
    return Finder(
        frozenset(redaction.personal),
        tuple(Pattern(kind, expression) for kind, expression in redaction.patterns),
        Exclusions(frozenset(redaction.values), frozenset(redaction.domains)),
        safe_addresses=not everybody,
    )


def find_in_word(word: Word, redaction: Redaction) -> tuple[Hit, ...]:
    """Returns the policy's hits in the known parts of a word; no hit extends across an unknown part."""
    return built_in(word) if redaction == DEFAULT_REDACTION else _find_in_text(known_text(word), redaction)


@lru_cache(8)
def _find_in_text(text: str, redaction: Redaction) -> tuple[Hit, ...]:
    return tuple(_build_cached_finder(redaction, everybody=False).find(text))


def is_excluded_path(path: str, policy: Policy, project: str, home: str) -> bool:
    """Returns whether the policy excludes this file's text from the search."""
    for pattern in policy.redaction.paths:
        full_pattern = home + pattern[1:] if pattern.startswith("~") else pattern
        if matches_path(full_pattern if full_pattern.startswith("/") else f"{project.rstrip('/')}/{full_pattern}", path):
            return True
    return False
