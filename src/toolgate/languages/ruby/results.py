"""Words that only Ruby's rows are written in."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from toolgate.languages.evaluation.evaluation import Arguments, Evaluation
from toolgate.languages.evaluation.paths import under
from toolgate.languages.evaluation.results import content_of
from toolgate.languages.evaluation.values import (
    NULL,
    Instance,
    ListValue,
    MapValue,
    Unknown,
    Value,
    alternatives,
    sources_of,
    text_of,
    unknown_from,
    word_of,
    words_of,
)
from toolgate.languages.scripting.texts import decoded
from toolgate.languages.scripting.words import start_program
from toolgate.model.word import Word, joined, known, unknown


def call_each(evaluation: Evaluation, over: Value | None, block: Value | None = None) -> Value:
    """A block, called with each of these."""
    if block is None or block is NULL:
        return NULL
    items, rest = evaluation.items_of(over) if over is not None else ([], None)
    for each in [*items, *(() if rest is None else (rest,))]:
        evaluation.perhaps(lambda each=each: evaluation.call(block, Arguments((each,))))  # type: ignore[misc]
    return NULL


def expand_path(evaluation: Evaluation, path: Value | None, base: Value | None = None) -> Value:
    found: list[Value] = []
    for each in words_of(path) if path is not None else ():
        if each.starts("~") is True and (each.text == "~" or each.starts("~/") is True):
            found.append(known(evaluation.report.seen.home) + each.cut(1))
        elif base is not None and base is not NULL:
            start = expand_path(evaluation, base)
            found += [under(one, each) for one in words_of(start)]
        else:
            found.append(each)
    return evaluation.joined(*found)


def pathname(evaluation: Evaluation, path: Value | None = None) -> Value:
    return evaluation.joined(*(Instance("Pathname", text=each) for each in words_of(path if path is not None else known("."))))


def pathnames(evaluation: Evaluation, found: Value | None = None) -> Value:
    items, rest = evaluation.items_of(found) if found is not None else ([], None)
    return ListValue(
        "array", [pathname(evaluation, each) for each in items], None if rest is None else pathname(evaluation, rest)
    )


def file_named(_evaluation: Evaluation, path: Value | None = None) -> Value:
    return Instance("file", {"path": path or NULL}, word_of(path) if path is not None else None)


def file_content(evaluation: Evaluation, me: Value | None = None) -> Value:
    held = me.fields.get("path") if isinstance(me, Instance) else None
    return content_of(evaluation, None if held is NULL else held)


def popen_words(evaluation: Evaluation, given: Value | None) -> Value:
    """`IO.popen("command", "r")`, `IO.popen(["rm", "x"])`: the mode is no argument."""
    items, rest = evaluation.items_of(given) if given is not None else ([], None)
    first = next((n for n, each in enumerate(items) if not isinstance(each, MapValue)), 0)
    only = items[first] if items else rest
    if isinstance(only, ListValue):
        if len(only.items) == 1 and only.rest is None:
            return ListValue("array", only.items)
        words = [each for each in only.items if not isinstance(each, MapValue)]
        return ListValue("array", words, only.rest)
    return ListValue("array", () if only is None else (only,))


def process_file(evaluation: Evaluation, given: Value | None = None) -> Value:
    """What is written to a command, and read from it."""
    items, _ = evaluation.items_of(given) if given is not None else ([], None)
    return Instance("file", {"path": NULL, "command": items[0] if items else NULL})


def start_each(evaluation: Evaluation, given: Value | None) -> Value:
    """`Open3.pipeline`: every argument is a command."""
    items, rest = evaluation.items_of(given) if given is not None else ([], None)
    for each in [*items, *(() if rest is None else (rest,))]:
        start_program(evaluation, each if isinstance(each, ListValue) else ListValue("array", (each,)))
    return NULL


def outputs(evaluation: Evaluation) -> Value:
    """What a program prints, and how it ended."""
    made = evaluation.report.made("what a command prints")
    return ListValue("array", (made, made, Unknown("a status")))


def quoted(evaluation: Evaluation, value: Value | None) -> Value:
    """As a word of a command line."""
    if isinstance(value, ListValue):
        rest = [] if value.rest is None else [unknown("more", sources_of(value.rest), splits=True)]
        return joined([*(_quote(word_of(each)) for each in value.items), *rest])
    return evaluation.joined(*(_quote(each) for each in words_of(value))) if value is not None else NULL


def _quote(word: Word) -> Word:
    return known(shlex.quote(word.text), word.src) if word.text is not None else word.whole()


def split_words(_evaluation: Evaluation, text: Value | None) -> Value:
    try:
        return ListValue("array", [known(each) for each in shlex.split(text_of(text) or "")])
    except ValueError:
        return ListValue("array", (), unknown_from("a word", text))


def load_file(evaluation: Evaluation, name: Value | None) -> Value:
    """A file of the project that is loaded; a library is none of our concern."""
    for each in words_of(name) if name is not None else ():
        text = each.text
        if text is not None and (text.startswith(("./", "../", "/")) or text.endswith(".rb")):
            evaluation.report.interpret_file(each if text.endswith(".rb") else each + known(".rb"))
        elif text is not None and f"{text}.rb" in evaluation.report.written:
            evaluation.report.interpret_file(known(f"{text}.rb"))
    return NULL


def connection(evaluation: Evaluation, host: Value | None = None) -> Value:
    for each in alternatives(host) if host is not None and host is not NULL else ():
        evaluation.report.connect(each)
    return Instance("connection", {"path": host if host is not None else NULL})


def _unreadable(text: str) -> str:
    raise ValueError(text)


RUBY_RESULTS: Mapping[str, Any] = {
    "call_each": call_each,
    "expand_path": expand_path,
    "pathname": pathname,
    "pathnames": pathnames,
    "pathname_text": lambda evaluation, me=None: evaluation.joined(*words_of(me)),
    "file": file_named,
    "file_content": file_content,
    "process_file": process_file,
    "popen_words": popen_words,
    "start_each": start_each,
    "outputs": outputs,
    "quoted": quoted,
    "split_words": split_words,
    "load_file": load_file,
    "input": lambda evaluation: evaluation.report.seen.stdin if evaluation.report.code.file else unknown("what is read"),
    "connection": connection,
    "decode": lambda evaluation, text=None: decoded(_unreadable)(evaluation, text, Arguments()),
}
