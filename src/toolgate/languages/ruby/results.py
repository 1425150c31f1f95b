"""Result words used only in Ruby's call tables."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from toolgate.languages.evaluation.environment_files import load_environment_files
from toolgate.languages.evaluation.path_words import append_path, join_parts
from toolgate.languages.evaluation.shared_results import content_of
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.text_records import any_line, read_rows, split_lines
from toolgate.languages.evaluation.values import (
    NULL,
    TRUE,
    Instance,
    ListValue,
    MapValue,
    Unknown,
    Value,
    collect_sources,
    list_alternatives,
    text_of,
    unknown_from,
    unknown_of_kind,
    word_of,
    words_of,
)
from toolgate.languages.scripting.modules import include_file
from toolgate.languages.scripting.texts import decode_text
from toolgate.languages.scripting.words import start_program
from toolgate.model.word import HoleKind, Word, join_words, known_word, unknown_word


def call_each(evaluation: Evaluation, iterable: Value | None, block: Value | None = None) -> Value:
    """Calls a block with each of the items."""
    if block is None or block is NULL:
        return NULL
    items, rest = evaluation.items_of(iterable) if iterable is not None else ([], None)
    for each in [*items, *(() if rest is None else (rest,))]:
        evaluation.run_possibly(lambda each=each: evaluation.call(block, Arguments((each,))))  # type: ignore[misc]
    return NULL


def expand_path(evaluation: Evaluation, path: Value | None, base: Value | None = None) -> Value:
    found: list[Value] = []
    for each in words_of(path) if path is not None else ():
        if each.starts_with("~") is True and (each.text == "~" or each.starts_with("~/") is True):
            found.append(known_word(evaluation.report.seen.home) + each.drop_first(1))
        elif base is not None and base is not NULL:
            start = expand_path(evaluation, base)
            found += [append_path(one, each) for one in words_of(start)]
        else:
            found.append(each)
    return evaluation.join_values(*found)


def join_file(evaluation: Evaluation, parts: Value | None = None) -> Value:
    """Evaluates `File.join`: unlike in other languages, an empty last part leaves its slash."""
    made = join_parts(evaluation, parts)
    if not isinstance(parts, ListValue) or parts.rest is not None or len(parts.items) < 2 or text_of(parts.items[-1]) != "":
        return made
    return evaluation.join_values(*(each if each.tail.endswith("/") else each + known_word("/") for each in words_of(made)))


def pathname(evaluation: Evaluation, path: Value | None = None) -> Value:
    return evaluation.join_values(
        *(Instance("Pathname", text=each) for each in words_of(path if path is not None else known_word(".")))
    )


def pathnames(evaluation: Evaluation, value: Value | None = None) -> Value:
    items, rest = evaluation.items_of(value) if value is not None else ([], None)
    return ListValue(
        "array", [pathname(evaluation, each) for each in items], None if rest is None else pathname(evaluation, rest)
    )


def file_named(_evaluation: Evaluation, path: Value | None = None) -> Value:
    return Instance("file", {"path": path or NULL}, word_of(path) if path is not None else None)


def file_content(evaluation: Evaluation, receiver: Value | None = None) -> Value:
    held = receiver.fields.get("path") if isinstance(receiver, Instance) else None
    return content_of(evaluation, None if held is NULL else held)


def _read_rows(evaluation: Evaluation, path: Value | None = None, options: Value | None = None) -> Value:
    """Returns the rows of a table: maps by the names of the first row with `headers: true`."""
    evaluation.report.read(path)
    content = content_of(evaluation, path)
    is_named = isinstance(options, MapValue) and options.entries.get("headers") == TRUE
    return read_rows(content, "array", is_named=is_named) or ListValue("array", (), unknown_from("a row", content))


def popen_words(evaluation: Evaluation, argument: Value | None) -> Value:
    """Returns the words of `IO.popen("command", "r")` or `IO.popen(["rm", "x"])`; the mode is not an argument."""
    items, rest = evaluation.items_of(argument) if argument is not None else ([], None)
    first = next((n for n, each in enumerate(items) if not isinstance(each, MapValue)), 0)
    only = items[first] if items else rest
    if isinstance(only, ListValue):
        if len(only.items) == 1 and only.rest is None:
            return ListValue("array", only.items)
        words = [each for each in only.items if not isinstance(each, MapValue)]
        return ListValue("array", words, only.rest)
    return ListValue("array", () if only is None else (only,))


def process_file(evaluation: Evaluation, argument: Value | None = None) -> Value:
    """Returns a file object connected to a command's input and output."""
    items, _ = evaluation.items_of(argument) if argument is not None else ([], None)
    return Instance("file", {"path": NULL, "command": items[0] if items else NULL})


def start_each(evaluation: Evaluation, argument: Value | None) -> Value:
    """Starts every argument as a command (`Open3.pipeline`)."""
    items, rest = evaluation.items_of(argument) if argument is not None else ([], None)
    for each in [*items, *(() if rest is None else (rest,))]:
        start_program(evaluation, each if isinstance(each, ListValue) else ListValue("array", (each,)))
    return NULL


def command_words(evaluation: Evaluation, program: Value | None, argument: Value | None) -> Value:
    """Returns a program and the list of its arguments, which Crystal takes separately, as one list."""
    items, rest = evaluation.items_of(argument) if argument is not None and argument is not NULL else ([], None)
    return ListValue("array", (program or NULL, *items), rest)


def outputs(evaluation: Evaluation) -> Value:
    """Returns a program's output and its exit status."""
    made = evaluation.report.unknown_output("the output of a command")
    return ListValue("array", (made, made, Unknown("a status")))


def quote_for_shell(evaluation: Evaluation, value: Value | None) -> Value:
    """Quotes a value as a single word of a command line."""
    if isinstance(value, ListValue):
        rest = [] if value.rest is None else [unknown_word("more", collect_sources(value.rest), splits=True)]
        return join_words([*(_quote(word_of(each)) for each in value.items), *rest])
    return evaluation.join_values(*(_quote(each) for each in words_of(value))) if value is not None else NULL


def _quote(word: Word) -> Word:
    return known_word(shlex.quote(word.text), word.src) if word.text is not None else word.as_single_word()


def split_words(_evaluation: Evaluation, text: Value | None) -> Value:
    try:
        return ListValue("array", [known_word(each) for each in shlex.split(text_of(text) or "")])
    except ValueError:
        return ListValue("array", (), unknown_from("a word", text))


def load_file(evaluation: Evaluation, name: Value | None) -> Value:
    """Interprets a project file that is loaded; libraries are not followed."""
    for each in words_of(name) if name is not None else ():
        text = each.text or ""
        file = each if text.endswith(".rb") else each + known_word(".rb")
        if text.startswith(("./", "../", "/")) or text.endswith(".rb"):
            include_file(evaluation, file)
        elif file.text is not None:
            load_environment_files(evaluation, text, Arguments())
            evaluation.load_module(file.text)
    return NULL


def connection(evaluation: Evaluation, host: Value | None = None) -> Value:
    for each in list_alternatives(host) if host is not None and host is not NULL else ():
        evaluation.report.connect(each)
    return Instance("connection", {"path": host if host is not None else NULL})


def remote_host(_evaluation: Evaluation, host: Value | None = None, user: Value | None = None) -> Value:
    """Returns a session of Net::SSH, with the host as its program names it."""
    named = word_of(host) if host is not None else unknown_word("a host")
    is_user = user is not None and user is not NULL
    return Instance("ssh", {"path": word_of(user) + known_word("@") + named if is_user and user is not None else named})


def choose_delivery(evaluation: Evaluation, kind: Value | None = None, settings: Value | None = None) -> Value:
    """`delivery_method :smtp, address: "smtp.acme.example"`, `delivery_method :test`."""
    if text_of(kind) in ("test", "file", "logger", "letter_opener"):
        evaluation.report.openings.keeps_mail |= evaluation.is_certain
    elif isinstance(settings, MapValue) and (address := settings.entries.get("address")) is not None:
        evaluation.report.connect(address)
    return NULL


def derive_from(evaluation: Evaluation, value: Value, block: Value | None = None) -> Value:
    """Returns what a block makes of a value, or of the keys and values in it; the value itself without a block."""
    return value if block is None or block is NULL else evaluation.call(block, Arguments((value, value)))


def _unreadable(text: str) -> str:
    raise ValueError(text)


RUBY_RESULTS: Mapping[str, Any] = {
    "join_file": join_file,
    "call_each": call_each,
    "expand_path": expand_path,
    "pathname": pathname,
    "pathnames": pathnames,
    "pathname_text": lambda evaluation, receiver=None: evaluation.join_values(*words_of(receiver)),
    "file": file_named,
    "file_content": file_content,
    "lines": split_lines,
    "any_line": any_line,
    "rows": _read_rows,
    "process_file": process_file,
    "popen_words": popen_words,
    "start_each": start_each,
    "command_words": command_words,
    "outputs": outputs,
    "quoted": quote_for_shell,
    "split_words": split_words,
    "load_file": load_file,
    "input": lambda evaluation: (
        evaluation.report.seen.stdin if evaluation.report.code.file else unknown_word("text that is read")
    ),
    "connection": connection,
    "remote_host": remote_host,
    "choose_delivery": choose_delivery,
    "derived": derive_from,
    "secret": lambda _evaluation, *_arguments: unknown_of_kind(HoleKind.SECRET),
    "request": lambda _evaluation, path=NULL: Instance("request", {"path": path}, word_of(path)),
    "decode": lambda evaluation, text=None: decode_text(_unreadable)(evaluation, text, Arguments()),
}
