"""Paths: results of `os.path`, `pathlib`, `glob` and `os.walk`."""

from __future__ import annotations

import re

from toolgate.languages import glob_word
from toolgate.languages.evaluation.path_words import ANY_NAME, ANY_PATH, append_path, join_paths, split_last, suffix_of
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    Instance,
    ListValue,
    Unknown,
    Value,
    collect_sources,
    list_alternatives,
    unknown_from,
    word_of,
    words_of,
)
from toolgate.model.word import Word, known_word, unknown_word

PATH = "pathlib.Path"


def join_text(evaluation: Evaluation, first: Value | None, more: Value | None) -> Value:
    """`os.path.join`: an empty last part adds a slash."""
    made = join_paths(evaluation, first, more)
    if isinstance(more, ListValue) and more.items and more.rest is None and more.items[-1] == known_word(""):
        texts = [each if each.tail.endswith("/") else each + known_word("/") for each in words_of(made)]
        return evaluation.join_values(*texts)
    return made


def as_path(evaluation: Evaluation, value: Value | None) -> Value:
    return evaluation.join_values(
        *(Instance(PATH, text=each) for each in words_of(value if value is not None else known_word(".")))
    )


def path_of_parts(evaluation: Evaluation, parts: Value | None) -> Value:
    if not isinstance(parts, ListValue) or not (parts.items or parts.rest):
        return as_path(evaluation, known_word("."))
    first, *more = parts.items or (unknown_from("a path", parts.rest),)
    return as_path(evaluation, join_paths(evaluation, first, ListValue("tuple", more, parts.rest if parts.items else None)))


def path_below(evaluation: Evaluation, receiver: Value | None, more: Value | None) -> Value:
    return as_path(evaluation, join_paths(evaluation, receiver, more))


def expand_home(evaluation: Evaluation, value: Value | None) -> Value:
    if value is None:
        return Unknown("a path")
    homes = words_of(evaluation.report.home)
    made = [
        expanded
        for each in words_of(value)
        for expanded in ([home + each.drop_first(1) for home in homes] if each.starts_with("~") is True else [each])
    ]
    is_path = any(isinstance(each, Instance) for each in list_alternatives(value))
    return evaluation.join_values(*(Instance(PATH, text=each) if is_path else each for each in made))


def expand_variables(evaluation: Evaluation, value: Value | None) -> Value:
    """`os.path.expandvars`: `$NAME` and `${NAME}` in a known text."""
    if value is None or any(each.text is None for each in words_of(value)):
        return Unknown("a path") if value is None else value
    return evaluation.join_values(*(_expand_text(evaluation, each) for each in words_of(value)))


def _expand_text(evaluation: Evaluation, word: Word) -> Value:
    text, made, at = word.text or "", [], 0
    for found in _VARIABLE.finditer(text):
        made += [known_word(text[at : found.start()]), evaluation.report.variable(known_word(found[1] or found[2]))]
        at = found.end()
    return evaluation.concatenate([*made, known_word(text[at:], word.src)])


_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})", re.ASCII)


def folder_of(evaluation: Evaluation, value: Value | None) -> Value:
    return _split_part(evaluation, value, 0)


def last_part_of(evaluation: Evaluation, value: Value | None) -> Value:
    return _split_part(evaluation, value, 1)


def _split_part(evaluation: Evaluation, value: Value | None, index: int) -> Value:
    found: list[Value] = []
    for each in list_alternatives(value) if value is not None else ():
        for text in words_of(each):
            split = split_last(text)
            made = (
                split[index]
                if split is not None
                else unknown_word(f"a part of {text.display_text}", text.src, "*" if index else "**")
            )
            if index == 0 and text.text in ("", ".", "/") and split is not None:
                made = known_word({"/": "/", ".": ".."}.get(text.text, ".."), text.src)
            found.append(Instance(PATH, text=made) if isinstance(each, Instance) and index == 0 else made)
    return evaluation.join_values(*found)


def parents_of(evaluation: Evaluation, value: Value | None) -> Value:
    found: list[Value] = []
    for _ in range(6):
        value = folder_of(evaluation, value)
        found.append(value)
    return ListValue("tuple", found, Unknown("a folder above"))


def find_files(evaluation: Evaluation, pattern: Value | None, root: Value | None = None) -> Value:
    """Returns the files that a glob finds."""
    found: list[Value] = [glob_word(each) for each in words_of(pattern)] if pattern is not None else [ANY_NAME]
    if root is not None:
        return join_paths(evaluation, root, evaluation.join_values(*found))
    return evaluation.join_values(*found)


def recursive_pattern(evaluation: Evaluation, pattern: Value | None) -> Value:
    return evaluation.join_values(*(known_word("**/") + each for each in words_of(pattern or known_word("*"))))


def list_paths_below(evaluation: Evaluation, receiver: Value | None, pattern: Value | None) -> Value:
    rest = as_path(evaluation, join_paths(evaluation, receiver, pattern))
    return ListValue("iterator", (), rest)


def list_entries(evaluation: Evaluation, top: Value | None) -> Value:
    base = words_of(top) if top is not None else [known_word(".")]
    found = [
        Instance("os.DirEntry", {"name": ANY_NAME, "path": append_path(each, ANY_NAME)}, append_path(each, ANY_NAME))
        for each in base
    ]
    return ListValue("iterator", (), evaluation.join_values(*found))


def walk_folder(evaluation: Evaluation, top: Value | None) -> Value:
    """Returns what `os.walk` iterates over: folders with their content."""
    base = words_of(top) if top is not None else [known_word(".")]
    folders = [(each if each.tail.endswith("/") else each + known_word("/")) + ANY_PATH for each in base]
    where = evaluation.join_values(*folders)
    names = ListValue("list", (), ANY_NAME)
    return ListValue("iterator", (), ListValue("tuple", (where, names, ListValue("list", (), ANY_NAME))))


def walk_paths(evaluation: Evaluation, receiver: Value | None) -> Value:
    walked = walk_folder(evaluation, receiver)
    assert isinstance(walked, ListValue)
    assert isinstance(walked.rest, ListValue)
    folder, *names = walked.rest.items
    return ListValue("iterator", (), ListValue("tuple", (as_path(evaluation, folder), *names)))


def with_suffix(evaluation: Evaluation, receiver: Value | None, suffix: Value | None) -> Value:
    found: list[Word] = []
    for each in words_of(receiver) if receiver is not None else ():
        name = each.tail.rpartition("/")[2]
        stem = each
        if "." in name.lstrip("."):
            cut = each.tail[: len(each.tail) - len(name) + name.rindex(".")]
            stem = Word((*each.parts[:-1], cut), False, each.src)
        found.append(stem + word_of(suffix if suffix is not None else known_word("")))
    return as_path(evaluation, evaluation.join_values(*found))


def with_name(evaluation: Evaluation, receiver: Value | None, name: Value | None) -> Value:
    return path_below(evaluation, folder_of(evaluation, receiver), ListValue("tuple", [name] if name is not None else []))


def split_extension(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if not arguments.positional:
        return None
    value = arguments.positional[0]
    text = word_of(value).text
    if text is None:
        return ListValue("tuple", (unknown_word("a path", collect_sources(value)), suffix_of(evaluation, value)))
    name = text.rpartition("/")[2]
    end = len(text) - len(name) + name.rindex(".") if "." in name.lstrip(".") else len(text)
    return ListValue("tuple", (known_word(text[:end]), known_word(text[end:])))


def split_path(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    value = arguments.positional[0] if arguments.positional else None
    return None if value is None else ListValue("tuple", (folder_of(evaluation, value), last_part_of(evaluation, value)))


def format_address(evaluation: Evaluation, value: Value | None) -> Value:
    found: list[Value] = []
    for each in list_alternatives(value) if value is not None else ():
        is_pair = isinstance(each, ListValue) and len(each.items) >= 2
        found.append(
            word_of(each.items[0]) + known_word(":") + word_of(each.items[1])
            if is_pair and isinstance(each, ListValue)
            else word_of(each)
        )
    return evaluation.join_values(*found)
