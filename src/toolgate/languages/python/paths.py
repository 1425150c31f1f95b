"""Paths: results of `os.path`, `pathlib`, `glob` and `os.walk`."""

from __future__ import annotations

from toolgate.languages import globbed
from toolgate.languages.evaluation.evaluation import Arguments, Evaluation
from toolgate.languages.evaluation.paths import ALL, EACH, join_paths, split_last, suffix_of, under
from toolgate.languages.evaluation.values import (
    Instance,
    ListValue,
    Unknown,
    Value,
    alternatives,
    sources_of,
    unknown_from,
    word_of,
    words_of,
)
from toolgate.model.word import Word, known, unknown

PATH = "pathlib.Path"


def join_text(evaluation: Evaluation, first: Value | None, more: Value | None) -> Value:
    """`os.path.join`: an empty last part adds a slash."""
    made = join_paths(evaluation, first, more)
    if isinstance(more, ListValue) and more.items and more.rest is None and more.items[-1] == known(""):
        texts = [each if each.tail.endswith("/") else each + known("/") for each in words_of(made)]
        return evaluation.joined(*texts)
    return made


def as_path(evaluation: Evaluation, value: Value | None) -> Value:
    return evaluation.joined(*(Instance(PATH, text=each) for each in words_of(value if value is not None else known("."))))


def path_of_parts(evaluation: Evaluation, parts: Value | None) -> Value:
    if not isinstance(parts, ListValue) or not (parts.items or parts.rest):
        return as_path(evaluation, known("."))
    first, *more = parts.items or (unknown_from("a path", parts.rest),)
    return as_path(evaluation, join_paths(evaluation, first, ListValue("tuple", more, parts.rest if parts.items else None)))


def path_under(evaluation: Evaluation, me: Value | None, more: Value | None) -> Value:
    return as_path(evaluation, join_paths(evaluation, me, more))


def expand_home(evaluation: Evaluation, value: Value | None) -> Value:
    if value is None:
        return Unknown("a path")
    home = known(evaluation.report.seen.home)
    made = [home + each.cut(1) if each.starts("~") is True else each for each in words_of(value)]
    is_path = any(isinstance(each, Instance) for each in alternatives(value))
    return evaluation.joined(*(Instance(PATH, text=each) if is_path else each for each in made))


def folder_of(evaluation: Evaluation, value: Value | None) -> Value:
    return _part(evaluation, value, 0)


def last_part_of(evaluation: Evaluation, value: Value | None) -> Value:
    return _part(evaluation, value, 1)


def _part(evaluation: Evaluation, value: Value | None, which: int) -> Value:
    found: list[Value] = []
    for each in alternatives(value) if value is not None else ():
        for text in words_of(each):
            split = split_last(text)
            made = split[which] if split is not None else unknown(f"a part of {text.shown}", text.src, "*" if which else "**")
            if which == 0 and text.text in ("", ".", "/") and split is not None:
                made = known({"/": "/", ".": ".."}.get(text.text, ".."), text.src)
            found.append(Instance(PATH, text=made) if isinstance(each, Instance) and which == 0 else made)
    return evaluation.joined(*found)


def parents_of(evaluation: Evaluation, value: Value | None) -> Value:
    found: list[Value] = []
    for _ in range(6):
        value = folder_of(evaluation, value)
        found.append(value)
    return ListValue("tuple", found, Unknown("a folder above"))


def find_files(evaluation: Evaluation, pattern: Value | None, root: Value | None = None) -> Value:
    """Returns the files that a glob finds."""
    found: list[Value] = [globbed(each) for each in words_of(pattern)] if pattern is not None else [EACH]
    if root is not None:
        return join_paths(evaluation, root, evaluation.joined(*found))
    return evaluation.joined(*found)


def deep(evaluation: Evaluation, pattern: Value | None) -> Value:
    return evaluation.joined(*(known("**/") + each for each in words_of(pattern or known("*"))))


def each_path(evaluation: Evaluation, me: Value | None, what: Value | None) -> Value:
    rest = as_path(evaluation, join_paths(evaluation, me, what))
    return ListValue("iterator", (), rest)


def entries(evaluation: Evaluation, top: Value | None) -> Value:
    base = words_of(top) if top is not None else [known(".")]
    found = [Instance("os.DirEntry", {"name": EACH, "path": under(each, EACH)}, under(each, EACH)) for each in base]
    return ListValue("iterator", (), evaluation.joined(*found))


def walk(evaluation: Evaluation, top: Value | None) -> Value:
    """Returns what `os.walk` iterates over: folders with their content."""
    base = words_of(top) if top is not None else [known(".")]
    folders = [(each if each.tail.endswith("/") else each + known("/")) + ALL for each in base]
    where = evaluation.joined(*folders)
    names = ListValue("list", (), EACH)
    return ListValue("iterator", (), ListValue("tuple", (where, names, ListValue("list", (), EACH))))


def walk_paths(evaluation: Evaluation, me: Value | None) -> Value:
    walked = walk(evaluation, me)
    assert isinstance(walked, ListValue)
    assert isinstance(walked.rest, ListValue)
    folder, *names = walked.rest.items
    return ListValue("iterator", (), ListValue("tuple", (as_path(evaluation, folder), *names)))


def with_suffix(evaluation: Evaluation, me: Value | None, suffix: Value | None) -> Value:
    found: list[Word] = []
    for each in words_of(me) if me is not None else ():
        name = each.tail.rpartition("/")[2]
        stem = each
        if "." in name.lstrip("."):
            cut = each.tail[: len(each.tail) - len(name) + name.rindex(".")]
            stem = Word((*each.parts[:-1], cut), False, each.src)
        found.append(stem + word_of(suffix if suffix is not None else known("")))
    return as_path(evaluation, evaluation.joined(*found))


def with_name(evaluation: Evaluation, me: Value | None, name: Value | None) -> Value:
    return path_under(evaluation, folder_of(evaluation, me), ListValue("tuple", [name] if name is not None else []))


def split_extension(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    if not given.positional:
        return None
    value = given.positional[0]
    text = word_of(value).text
    if text is None:
        return ListValue("tuple", (unknown("a path", sources_of(value)), suffix_of(evaluation, value)))
    name = text.rpartition("/")[2]
    end = len(text) - len(name) + name.rindex(".") if "." in name.lstrip(".") else len(text)
    return ListValue("tuple", (known(text[:end]), known(text[end:])))


def split_path(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    value = given.positional[0] if given.positional else None
    return None if value is None else ListValue("tuple", (folder_of(evaluation, value), last_part_of(evaluation, value)))


def address(evaluation: Evaluation, value: Value | None) -> Value:
    found: list[Value] = []
    for each in alternatives(value) if value is not None else ():
        is_pair = isinstance(each, ListValue) and len(each.items) >= 2
        found.append(
            word_of(each.items[0]) + known(":") + word_of(each.items[1])
            if is_pair and isinstance(each, ListValue)
            else word_of(each)
        )
    return evaluation.joined(*found)
