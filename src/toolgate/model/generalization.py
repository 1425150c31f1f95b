"""Generalizes words: one that covers many."""

from collections.abc import Iterable

from toolgate.model.word import NO_SOURCES, Hole, Word


def generalize(words: Iterable[Word]) -> Word:
    """Returns one word that covers all of these: their known common prefix, a hole, and their known common suffix."""
    distinct = list(dict.fromkeys(words))
    if len(distinct) == 1:
        return distinct[0]
    prefix = _common_prefix([word.head for word in distinct])
    if prefix == "/" and all(word.text is None for word in distinct):
        prefix = ""  # an unknown part of a path does not make it begin at the root
    ends = [word.tail if word.text is None else word.tail[len(prefix) :] for word in distinct]
    suffix = _common_prefix([end[::-1] for end in ends])[::-1] if prefix != "/" else ""
    texts = [word.text for word in distinct if word.text is not None]
    middles = [text[len(prefix) : len(text) - len(suffix)] for text in texts if ".." not in text]
    within = len(middles) == len(distinct) and not any("/" in middle for middle in middles)
    hole = Hole("*" if within else "**", "one of several values")
    sources = NO_SOURCES.union(*(word.src for word in distinct))
    return Word(tuple(part for part in (prefix, hole, suffix) if part), any(word.splits for word in distinct), sources)


def _common_prefix(texts: list[str]) -> str:
    """Returns the characters that all texts begin with: those that the first and the last in order share."""
    first, last = min(texts), max(texts)
    return first[: next((n for n, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))]
