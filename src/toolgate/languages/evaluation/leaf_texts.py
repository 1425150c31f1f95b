"""The texts in a value, at any depth: what a request with this value carries."""

from __future__ import annotations

from collections.abc import Iterator

from toolgate.model.word import Hole, HoleKind, Word

from .obtained_secrets import hands_on_secret
from .values import (
    NULL,
    Choice,
    Instance,
    ListValue,
    MapValue,
    Value,
    collect_sources,
    holds_environment,
    list_parts,
    word_of,
    words_of,
)

_MAX_DEPTH = 4


def leaf_words(value: Value, depth: int = _MAX_DEPTH) -> list[Word]:
    """Returns the texts in a container or an object of the code's own, at any depth, and in alternatives; for another value, its
    text."""
    is_own = isinstance(value, Instance) and value.cls is not None and value.text is None
    if not (isinstance(value, MapValue | ListValue | Choice) or is_own) or not depth:
        return [word_of(value)]
    return [word for each in list_parts(value) if each is not NULL for word in leaf_words(each, depth - 1)]


def shown_words(value: Value) -> list[Word]:
    """Returns the texts that a value may be within another text. That of a container with variables holds these."""
    if not isinstance(value, MapValue | ListValue):
        return words_of(value)
    whole = text_with_variables("a text", value)
    return [whole] if len(whole.parts) > 1 else words_of(value)


def find_open_files(value: Value, depth: int = _MAX_DEPTH) -> Iterator[Word]:
    """Yields the paths of the open files in a value, whose content a request with it carries."""
    if isinstance(value, Instance) and value.type == "file":
        yield from words_of(value.fields.get("path", NULL))
    elif isinstance(value, MapValue | ListValue | Choice) and depth:
        yield from (word for each in list_parts(value) for word in find_open_files(each, depth - 1))


def text_with_variables(why: str, value: Value) -> Word:
    """Returns an unknown text made of a value, such as its JSON, with the environment variables in it."""
    kind = HoleKind.SECRET if hands_on_secret(value) else HoleKind.UNKNOWN
    if holds_environment(value, 1):
        kind = HoleKind.ENVIRONMENT
    held = [part for word in leaf_words(value) for part in word.parts if isinstance(part, Hole) and part.variable]
    return Word((Hole("**", why, kind=kind), *dict.fromkeys(held)), False, collect_sources(value))
