"""Paths as words: joining, folders, last parts and suffixes."""

from __future__ import annotations

from itertools import product

from toolgate.model.word import Hole, Word, glob_hole, known, unknown

from .evaluation import Evaluation
from .values import ALTERNATIVES, ListValue, Value, sources_of, word_of, words_of

EACH, ALL = Word((glob_hole("*"),)), Word((glob_hole("**", "*"),))


def under(left: Word, right: Word) -> Word:
    if right.starts("/") is True:
        return right
    if left.text in ("", "."):
        return right
    if right.text in ("", "."):
        return left
    return (left if left.tail.endswith("/") else left + known("/")) + right


def join_paths(evaluation: Evaluation, first: Value | None, *more: Value | None) -> Value:
    """Joins paths."""
    made = words_of(first) if first is not None else [known("")]
    for each in more:
        parts = list(each.items) if isinstance(each, ListValue) else [] if each is None else [each]
        for part in parts:
            made = list(dict.fromkeys(under(a, b) for a, b in product(made, words_of(part))))
            if len(made) > ALTERNATIVES:
                made = [word_of(evaluation.joined(*made))]
        if isinstance(each, ListValue) and each.rest is not None:
            made = [under(a, unknown("more of a path", sources_of(each.rest))) for a in made]
    return evaluation.joined(*made)


def split_last(text: Word) -> tuple[Word, Word] | None:
    """Returns the folder and the last part of a path; None if unknown."""
    stripped = text.tail.rstrip("/") if text.text != "/" else ""
    if "/" in stripped:
        folder, _, name = stripped.rpartition("/")
        before = text.parts[:-1]
        if not folder and not before:
            folder = "/"
        return Word((*before, folder) if folder else before, False, text.src), known(name, text.src)
    if text.text is not None:
        return known(".", text.src), text
    last = text.parts[-1]
    if isinstance(last, Hole) and last.like in ("*", "**/*") and len(text.parts) > 1 and isinstance(text.parts[-2], str):
        head = text.parts[-2]
        if head.endswith("/"):
            folder_parts = (*text.parts[:-2], head.rstrip("/") or "/")
            folder_word = Word(folder_parts, False, text.src)
            return (folder_word if last.like == "*" else folder_word + ALL), Word((last._replace(like="*"),), False, text.src)
    if isinstance(last, str) and len(text.parts) > 1:
        hole = text.parts[-2]
        if isinstance(hole, Hole) and hole.like in ("*", "**/*"):
            inner = split_last(Word(text.parts[:-1], False, text.src))
            return None if inner is None else (inner[0], inner[1] + known(last))
    return None


def suffix_of(evaluation: Evaluation, value: Value) -> Value:
    found: list[Value] = []
    for each in words_of(value):
        name = each.tail.rpartition("/")[2]
        found.append(
            known(name[name.rindex(".") :])
            if "." in name.lstrip(".")
            else known("")
            if each.text is not None
            else unknown("a suffix")
        )
    return evaluation.joined(*found)
