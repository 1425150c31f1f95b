"""Paths: results of `path`, `url` and folder listings."""

from __future__ import annotations

from toolgate.languages.evaluation.path_words import ANY_NAME, ANY_PATH, folder_of, join_paths, last_part_of, suffix_of
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    Instance,
    ListValue,
    ObjectValue,
    Value,
    truth_of,
    unknown_from,
    word_of,
    words_of,
)
from toolgate.model.word import Word, known_word

from .call_options import read_option


def resolve_parts(evaluation: Evaluation, parts: Value | None) -> Value:
    """`path.resolve`: starts at the last absolute part."""
    if not isinstance(parts, ListValue) or not (parts.items or parts.rest):
        return evaluation.report.seen.cwd
    first, *more = parts.items or (unknown_from("a path", parts.rest),)
    return join_paths(evaluation, first, ListValue("tuple", more, parts.rest if parts.items else None))


def parse_path(evaluation: Evaluation, path: Value | None = None) -> Value:
    name = last_part_of(evaluation, path)
    ending = suffix_of(evaluation, path) if path is not None else known_word("")
    stem = last_part_of(evaluation, path, ending)
    return ObjectValue((("dir", folder_of(evaluation, path)), ("base", name), ("ext", ending), ("name", stem)))


def make_url(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`new URL(path, base)`: an address, or a path beside the code."""
    if not arguments.positional:
        return None
    url = arguments.positional[0]
    if len(arguments.positional) > 1:
        base = evaluation.join_values(*(_strip_scheme(each) for each in words_of(arguments.positional[1])))
        url = join_paths(evaluation, folder_of(evaluation, base), url)
    text = evaluation.join_values(*(_strip_scheme(each) for each in words_of(url)))
    return Instance("URL", {"href": url, "pathname": text, "host": text, "hostname": text}, word_of(text))


def _strip_scheme(word: Word) -> Word:
    return word.drop_first(7) if word.head.startswith("file://") else word


def list_names(evaluation: Evaluation, _folder: Value | None = None, options: Value | None = None) -> Value:
    """Returns the names in a folder; with `recursive`, also those below it."""
    is_deep = truth_of(read_option(evaluation, options, known_word("recursive"))) is not False
    return ListValue("array", (), ANY_PATH if is_deep and options is not None else ANY_NAME)
