"""Paths: results of `path`, `url` and folder listings."""

from __future__ import annotations

from itertools import product

from toolgate.languages.evaluation.evaluation import Arguments, Evaluation
from toolgate.languages.evaluation.paths import ALL, EACH, join_paths, split_last, suffix_of
from toolgate.languages.evaluation.values import (
    ALTERNATIVES,
    NULL,
    Instance,
    ListValue,
    ObjectValue,
    Value,
    sources_of,
    text_of,
    truth_of,
    unknown_from,
    word_of,
    words_of,
)
from toolgate.model.word import EMPTY, Hole, Word, known, unknown

from .options import option


def join_parts(evaluation: Evaluation, parts: Value | None) -> Value:
    """`path.join`: a later part that begins with a slash does not start over."""
    if not isinstance(parts, ListValue):
        return known(".")
    made: list[Word] = [EMPTY]
    rest = [] if parts.rest is None else [unknown("more of a path", sources_of(parts.rest))]
    for part in (*parts.items, *rest):
        made = list(dict.fromkeys(_below(a, b) for a, b in product(made, words_of(part))))
        if len(made) > ALTERNATIVES:
            made = [word_of(evaluation.joined(*made))]
    return evaluation.joined(*made)


def _below(left: Word, right: Word) -> Word:
    if not left.parts or not right.parts:
        return left + right
    if left.tail.endswith("/") and right.head.startswith("/"):
        return left + right.cut(1)
    return left + right if left.tail.endswith("/") or right.head.startswith("/") else left + known("/") + right


def resolve_parts(evaluation: Evaluation, parts: Value | None) -> Value:
    """`path.resolve`: starts at the last absolute part."""
    if not isinstance(parts, ListValue) or not (parts.items or parts.rest):
        return evaluation.report.seen.cwd
    first, *more = parts.items or (unknown_from("a path", parts.rest),)
    return join_paths(evaluation, first, ListValue("tuple", more, parts.rest if parts.items else None))


def part_of_path(evaluation: Evaluation, path: Value | None, which: int) -> Value:
    found: list[Value] = []
    for each in words_of(path) if path is not None else ():
        parts = split_last(each.cut(0))
        if which == 0 and each.text in ("", ".", "/", ".."):
            found.append(known({"/": "/", "..": "../.."}.get(each.text or "", ".")))
        elif parts is None:
            found.append(each + known("/..") if which == 0 else unknown(f"a part of {each.shown}", each.src, "*"))
        else:
            found.append(parts[which])
    return evaluation.joined(*found)


def folder_of(evaluation: Evaluation, path: Value | None = None) -> Value:
    return part_of_path(evaluation, path, 0)


def last_part_of(evaluation: Evaluation, path: Value | None = None, ending: Value | None = None) -> Value:
    name = part_of_path(evaluation, path, 1)
    cut = text_of(ending)
    return name if cut is None else evaluation.each_of(name, lambda each: _without_ending(each, cut))


def _without_ending(name: Value, ending: str) -> Value:
    text = text_of(name)
    return known(text.removesuffix(ending), sources_of(name)) if text is not None else unknown_from("a name", name)


def parse_path(evaluation: Evaluation, path: Value | None = None) -> Value:
    name = last_part_of(evaluation, path)
    ending = suffix_of(evaluation, path) if path is not None else known("")
    stem = last_part_of(evaluation, path, ending)
    return ObjectValue((("dir", folder_of(evaluation, path)), ("base", name), ("ext", ending), ("name", stem)))


def make_url(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """`new URL(path, base)`: an address, or a path beside the code."""
    if not given.positional:
        return None
    url = given.positional[0]
    if len(given.positional) > 1:
        base = evaluation.joined(*(_without_scheme(each) for each in words_of(given.positional[1])))
        url = join_paths(evaluation, folder_of(evaluation, base), url)
    text = evaluation.joined(*(_without_scheme(each) for each in words_of(url)))
    return Instance("URL", {"href": url, "pathname": text, "host": text, "hostname": text}, word_of(text))


def _without_scheme(word: Word) -> Word:
    return word.cut(7) if word.head.startswith("file://") else word


def temporary(_evaluation: Evaluation, prefix: Value | None = None) -> Value:
    word = word_of(prefix) if prefix is not None and prefix is not NULL else known("/tmp/")
    return word.whole() + Word((Hole("*", "a temporary name"),))


def names_in(evaluation: Evaluation, _folder: Value | None = None, options: Value | None = None) -> Value:
    """Returns the names in a folder; with `recursive`, also those below it."""
    is_deep = truth_of(option(evaluation, options, known("recursive"))) is not False
    return ListValue("array", (), ALL if is_deep and options is not None else EACH)
