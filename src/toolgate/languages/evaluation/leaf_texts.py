"""The texts in a value, at any depth: what a request with this value carries."""

from __future__ import annotations

from toolgate.model.word import Hole, HoleKind, Word

from .values import NULL, Choice, ListValue, MapValue, Value, collect_sources, holds_environment, list_parts, word_of

_MAX_DEPTH = 4


def leaf_words(value: Value, depth: int = _MAX_DEPTH) -> list[Word]:
    """Returns the texts in a container, at any depth, and in alternatives; for another value, its text."""
    if not isinstance(value, MapValue | ListValue | Choice) or not depth:
        return [word_of(value)]
    return [word for each in list_parts(value) if each is not NULL for word in leaf_words(each, depth - 1)]


def text_with_variables(why: str, value: Value) -> Word:
    """Returns an unknown text made of a value, such as its JSON, with the environment variables in it."""
    held = [part for word in leaf_words(value) for part in word.parts if isinstance(part, Hole) and part.variable]
    whole = Hole("**", why, kind=HoleKind.ENVIRONMENT if holds_environment(value, 1) else HoleKind.UNKNOWN)
    return Word((whole, *dict.fromkeys(held)), False, collect_sources(value))
