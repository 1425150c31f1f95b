"""The finder and the placeholders of a policy."""

from functools import lru_cache

from toolgate.model.glob import matches
from toolgate.model.rule import NOTHING_MORE, Policy, Redaction
from toolgate.model.word import Word

from .detectors.forms import Hit
from .finder import Finder, seen
from .finder import in_word as built_in
from .hiding import Hider
from .patterns import Exclusions, Pattern
from .placeholders import keyed, labels


def hider(policy: Policy, key: bytes) -> Hider:
    """Return the redactor of a policy. `key` is the key of the session's marks."""
    return Hider(finder(policy), labels if policy.placeholders == "labels" else keyed(key))


def finder(policy: Policy) -> Finder:
    return _finder(policy.redaction, everybody=policy.addresses == "all")


@lru_cache(8)
def _finder(redaction: Redaction, *, everybody: bool) -> Finder:
    return Finder(
        frozenset(redaction.personal),
        tuple(Pattern(kind, expression) for kind, expression in redaction.patterns),
        Exclusions(frozenset(redaction.values), frozenset(redaction.domains)),
        safe_addresses=not everybody,
    )


def in_word(word: Word, redaction: Redaction) -> tuple[Hit, ...]:
    """Return the policy's hits in the known parts of a word; no hit extends across an unknown part."""
    return built_in(word) if redaction == NOTHING_MORE else _found(seen(word), redaction)


@lru_cache(8)
def _found(text: str, redaction: Redaction) -> tuple[Hit, ...]:
    return tuple(_finder(redaction, everybody=False).find(text))


def is_left_alone(path: str, policy: Policy, project: str, home: str) -> bool:
    """Tell whether the policy excludes this file's text from the search."""
    for pattern in policy.redaction.paths:
        whole = home + pattern[1:] if pattern.startswith("~") else pattern
        if matches(whole if whole.startswith("/") else f"{project.rstrip('/')}/{whole}", path):
            return True
    return False
