"""Paths as words: joining, folders, last parts and suffixes."""

from __future__ import annotations

from itertools import product

from toolgate.model.word import EMPTY, Hole, HoleKind, Word, glob_hole, known_word, unknown_word

from .shared_state import Evaluation
from .values import MAX_ALTERNATIVES, NULL, ListValue, Value, collect_sources, text_of, unknown_from, word_of, words_of

ANY_NAME, ANY_PATH = Word((glob_hole("*"),)), Word((glob_hole("**", "*"),))


def append_path(left: Word, right: Word) -> Word:
    if right.starts_with("/") is True:
        return right
    if left.text in ("", "."):
        return right
    if right.text in ("", "."):
        return left
    return (left if left.tail.endswith("/") else left + known_word("/")) + right


def join_paths(evaluation: Evaluation, first: Value | None, *more: Value | None) -> Value:
    """Joins paths."""
    made = words_of(first) if first is not None else [known_word("")]
    for each in more:
        parts = list(each.items) if isinstance(each, ListValue) else [] if each is None else [each]
        for part in parts:
            made = list(dict.fromkeys(append_path(a, b) for a, b in product(made, words_of(part))))
            if len(made) > MAX_ALTERNATIVES:
                made = [word_of(evaluation.join_values(*made))]
        if isinstance(each, ListValue) and each.rest is not None:
            made = [append_path(a, unknown_word("more of a path", collect_sources(each.rest))) for a in made]
    return evaluation.join_values(*made)


def split_last(text: Word) -> tuple[Word, Word] | None:
    """Returns the folder and the last part of a path; None if unknown."""
    stripped = text.tail.rstrip("/") if text.text != "/" else ""
    if "/" in stripped:
        folder, _, name = stripped.rpartition("/")
        before = text.parts[:-1]
        if not folder and not before:
            folder = "/"
        return Word((*before, folder) if folder else before, False, text.src), known_word(name, text.src)
    if text.text is not None:
        return known_word(".", text.src), text
    last = text.parts[-1]
    if isinstance(last, Hole) and last.like in ("*", "**/*") and len(text.parts) > 1 and isinstance(text.parts[-2], str):
        head = text.parts[-2]
        if head.endswith("/"):
            folder_parts = (*text.parts[:-2], head.rstrip("/") or "/")
            folder_word = Word(folder_parts, False, text.src)
            return (folder_word if last.like == "*" else folder_word + ANY_PATH), Word(
                (last._replace(like="*"),), False, text.src
            )
    if isinstance(last, str) and len(text.parts) > 1:
        hole = text.parts[-2]
        if isinstance(hole, Hole) and hole.like in ("*", "**/*"):
            inner = split_last(Word(text.parts[:-1], False, text.src))
            return None if inner is None else (inner[0], inner[1] + known_word(last))
    return None


def suffix_of(evaluation: Evaluation, value: Value) -> Value:
    found: list[Value] = []
    for each in words_of(value):
        name = each.tail.rpartition("/")[2]
        found.append(
            known_word(name[name.rindex(".") :])
            if "." in name.lstrip(".")
            else known_word("")
            if each.text is not None
            else unknown_word("a suffix")
        )
    return evaluation.join_values(*found)


def join_parts(evaluation: Evaluation, parts: Value | None) -> Value:
    """`path.join`: a later part that begins with a slash is no new beginning."""
    if not isinstance(parts, ListValue):
        return known_word(".")
    made: list[Word] = [EMPTY]
    rest = [] if parts.rest is None else [unknown_word("more of a path", collect_sources(parts.rest))]
    for part in (*parts.items, *rest):
        made = list(dict.fromkeys(_append_below(a, b) for a, b in product(made, words_of(part))))
        if len(made) > MAX_ALTERNATIVES:
            made = [word_of(evaluation.join_values(*made))]
    return evaluation.join_values(*made)


def _append_below(left: Word, right: Word) -> Word:
    if not left.parts or not right.parts:
        return left + right
    if left.tail.endswith("/") and right.head.startswith("/"):
        return left + right.drop_first(1)
    return left + right if left.tail.endswith("/") or right.head.startswith("/") else left + known_word("/") + right


def part_of_path(evaluation: Evaluation, path: Value | None, index: int) -> Value:
    found: list[Value] = []
    for each in words_of(path) if path is not None else ():
        parts = split_last(each.drop_first(0))
        if index == 0 and each.text in ("", ".", "/", ".."):
            found.append(known_word({"/": "/", "..": "../.."}.get(each.text or "", ".")))
        elif parts is None:
            found.append(
                each + known_word("/..") if index == 0 else unknown_word(f"a part of {each.display_text}", each.src, "*")
            )
        else:
            found.append(parts[index])
    return evaluation.join_values(*found)


def folder_of(evaluation: Evaluation, path: Value | None = None) -> Value:
    return part_of_path(evaluation, path, 0)


def last_part_of(evaluation: Evaluation, path: Value | None = None, ending: Value | None = None) -> Value:
    name = part_of_path(evaluation, path, 1)
    cut = text_of(ending)
    return name if cut is None else evaluation.map_alternatives(name, lambda each: _without_ending(each, cut))


def _without_ending(name: Value, ending: str) -> Value:
    text = text_of(name)
    return known_word(text.removesuffix(ending), collect_sources(name)) if text is not None else unknown_from("a name", name)


def temporary(_evaluation: Evaluation, prefix: Value | None = None) -> Value:
    word = word_of(prefix) if prefix is not None and prefix is not NULL else known_word("/tmp/")
    return word.as_single_word() + Word((Hole("*", "a temporary name", kind=HoleKind.TEMPORARY_FOLDER),))
