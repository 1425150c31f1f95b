"""Functions that rows of JavaScript's tables may use, besides the reporter's, and calls that need code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from toolgate.languages.evaluation.evaluation import Arguments, Evaluation
from toolgate.languages.evaluation.paths import folder_of, join_parts, last_part_of, suffix_of, temporary, under
from toolgate.languages.evaluation.results import (
    argument_list,
    content_of,
    database_call,
    kill,
    response,
    response_text,
    send_more,
)
from toolgate.languages.evaluation.table import Special
from toolgate.languages.evaluation.values import (
    FALSE,
    NULL,
    TRUE,
    Constant,
    Function,
    Instance,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    alternatives,
    sources_of,
    text_of,
    truth_of,
    unknown_from,
    word_of,
    words_of,
)
from toolgate.model.word import Hole, Word, joined, known, unknown

from .connections import delete_address, delete_all, open_socket, request, send, sql_change
from .options import call_back, flatten, glob, invoke_all, option
from .paths import make_url, names_in, parse_path, resolve_parts
from .text import interleave, quote_word

_ONE_WORD = re.compile(r"[\w./-]+")


# ---- files


def open_file(evaluation: Evaluation, path: Value | None, flags: Value | None = None) -> Value:
    report = evaluation.report
    if isinstance(flags, MapValue):
        writes = [truth_of(option(evaluation, flags, known(name))) for name in ("write", "append", "create", "truncate")]
        given: str | None = "w" if True in writes else None if None in writes else "r"
    else:
        given = "r" if flags is None or not isinstance(flags, Word) else flags.text
    if given is not None and not set(given) & set("wa+"):
        report.read(path)
        return Instance("file", {"path": path or NULL})
    report.write(path, report.made("what JavaScript writes"), TRUE if given and given.startswith("a") else FALSE)
    return Instance("file", {"path": path or NULL, "writes": TRUE})


def write_file(evaluation: Evaluation, path: Value | None, data: Value | None = None, options: Value | None = None) -> Value:
    flags = text_of(option(evaluation, options, known("flag"), known("flags"))) or ""
    target = path.fields.get("path") if isinstance(path, Instance) and path.type == "file" else path
    evaluation.report.write(target, data if isinstance(data, Word) else None, TRUE if flags.startswith("a") else FALSE)
    return NULL


def _read_stdin(evaluation: Evaluation) -> Value:
    return evaluation.report.seen.stdin


def read_file(evaluation: Evaluation, path: Value | None) -> Value:
    """Reads a file by its path; 0 is standard input."""
    if isinstance(path, Constant) and path is not NULL:
        return _read_stdin(evaluation) if path.value == 0 else Unknown("what a file holds")
    if isinstance(path, Word) and path.text == "/dev/stdin":
        return _read_stdin(evaluation)
    if isinstance(path, Instance) and path.type == "file":
        path = path.fields.get("path")
    report = evaluation.report
    report.read(path)
    words = words_of(path) if path is not None else []
    texts = [each for word in words[:1] for each in report.seen.contents(word) if each.text is not None]
    if len(words) == 1 and len(texts) == 1 and words[0].text not in report.written:
        return report.seen.read(words[0])
    return content_of(evaluation, path)


def kill_process(evaluation: Evaluation, pid: Value | None = None, signal: Value | None = None) -> Value:
    """Reports the end of a process, except for the code's own."""
    if isinstance(pid, Instance) and pid.type == "own process":
        return NULL
    everything = pid is not None and word_of(pid).text in ("-1", "1")
    if evaluation.report.is_trusted and not everything and pid is not None and word_of(pid).text is None:
        return NULL
    return kill(evaluation, pid, Constant(0) if text_of(signal) == "0" else signal)


# ---- programs


def process(evaluation: Evaluation, *_given: Value | None) -> Value:
    printed = evaluation.report.made("what a command prints")
    return Instance("process", {"stdout": printed, "stderr": printed, "output": printed, "pid": Unknown("a process")}, printed)


def start(evaluation: Evaluation, file: Value | None, arguments: Value | None = None, options: Value | None = None) -> Value:
    """Starts a program; if the options ask for a shell, the arguments are joined for it."""
    if arguments is not None and all(isinstance(each, MapValue | Function | Constant) for each in alternatives(arguments)):
        options = arguments if isinstance(arguments, MapValue) else options
        arguments = None
    shell = option(evaluation, options, known("shell"))
    report = evaluation.report
    folder, fed = option(evaluation, options, known("cwd")), option(evaluation, options, known("input"))
    env = option(evaluation, options, known("env"))
    in_shell = False if not _is_given(options) else truth_of(shell) if isinstance(shell, Constant | Word) else None
    for program in alternatives(file) if file is not None else ():
        for given in alternatives(arguments) if arguments is not None else (ListValue("array"),):
            items, rest = (
                (list(given.items), given.rest) if isinstance(given, ListValue) else ([], unknown_from("arguments", given))
            )
            argv = ListValue("array", (program, *items), rest)
            if in_shell is not False:
                report.shell(joined([word_of(each) for each in (*argv.items, *(() if rest is None else (rest,)))]), cwd=folder)
            if in_shell is not True:
                report.run(argv, FALSE, folder, _input(fed), env)
    return process(evaluation)


def _is_given(options: Value | None) -> bool:
    return options is not None and any(not isinstance(each, Constant | Function) for each in alternatives(options))


def _input(fed: Value) -> Value:
    return NULL if text_of(fed) in ("pipe", "inherit", "ignore", "piped") else fed


def start_listed(evaluation: Evaluation, command: Value | None, options: Value | None = None) -> Value:
    """`Bun.spawn(["rm", ..])`, `Bun.spawn({cmd: [..]})`, `Deno.run({cmd: [..]})`."""
    for each in alternatives(command) if command is not None else ():
        if isinstance(each, MapValue):
            start_listed(evaluation, option(evaluation, each, known("cmd")), each)
        elif isinstance(each, ListValue):
            argv = ListValue("array", each.items[1:], each.rest)
            start(evaluation, each.items[0] if each.items else each.rest, argv, options)
        elif each is not NULL:
            start(evaluation, each, Unknown("arguments"), options)
    return process(evaluation)


def start_options(evaluation: Evaluation, file: Value | None, options: Value | None = None) -> Value:
    """`new Deno.Command("rm", {args: [..]})`."""
    arguments = option(evaluation, options, known("args"))
    return start(evaluation, file, ListValue("array") if arguments is NULL else arguments, options)


def run_line(evaluation: Evaluation, command: Value | None, options: Value | None = None) -> Value:
    """Runs a text in a shell. The input of a shell of that name is code for it."""
    fed = _input(option(evaluation, options, known("input")))
    folder = option(evaluation, options, known("cwd"))
    for each in words_of(command) if command is not None else ():
        if fed is not NULL and each.text is not None and _ONE_WORD.fullmatch(each.text):
            evaluation.report.run(ListValue("array", (each,)), FALSE, folder, fed)
        else:
            evaluation.report.shell(each, cwd=folder)
    return NULL


def execa(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """`execa(file, arguments)`, or a template tag."""
    if given.positional and _is_template(given.positional[0]):
        return run_template(evaluation, None, given)
    return start(evaluation, *given.positional[:3]) if given.positional else process(evaluation)


def _is_template(value: Value) -> bool:
    return isinstance(value, ListValue) and value.kind == "array" and bool(value.items)


def run_template(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """``$`command` ``: each value is one word. `$({..})` returns a tag with options."""
    if not given.positional or not _is_template(given.positional[0]):
        return Reference("$") if not given.positional or isinstance(given.positional[0], MapValue) else None
    quoted = [text if n % 2 == 0 else evaluation.each_of(text, _quoted) for n, text in enumerate(interleave(evaluation, given))]
    evaluation.report.shell(evaluation.concatenate(quoted))
    return process(evaluation)


def _quoted(value: Value) -> Value:
    if isinstance(value, ListValue):
        rest = [] if value.rest is None else [Word(word_of(value.rest).parts or (Hole(),), True, sources_of(value.rest))]
        return joined([*(quote_word(word_of(each)) for each in value.items), *rest])
    return quote_word(word_of(value))


def run_like(evaluation: Evaluation, name: Value | None, given: Value | None) -> Value:
    """Runs functions of shelljs that have the name and the arguments of a program."""
    items, rest = evaluation.items_of(given) if given is not None else ([], None)
    words: list[Value] = [name or Unknown("a program")]
    for each in items:
        words += (
            [*evaluation.items_of(each)[0]] if isinstance(each, ListValue) else [each] if not isinstance(each, MapValue) else []
        )
    evaluation.report.run(ListValue("array", words, rest), FALSE)
    return process(evaluation)


def decode_bytes(evaluation: Evaluation, data: Value | None = None) -> Value:
    if not evaluation.report.is_trusted:
        evaluation.report.operation("text.decode")
    return unknown("what is decoded", sources_of(data) | evaluation.report.own)


def file_named(_evaluation: Evaluation, path: Value | None = None) -> Value:
    return Instance("file", {"path": path or NULL}, word_of(path) if path is not None else None)


def change_folder(evaluation: Evaluation, path: Value | None = None) -> Value:
    from .reporter import JavaScriptReporter

    assert isinstance(evaluation.report, JavaScriptReporter)
    evaluation.report.change_folder(path)
    return NULL


SPECIALS: Mapping[str, Special] = {
    **dict.fromkeys(("URL", "url.URL"), make_url),
    **dict.fromkeys(
        ("response.text", "response.json", "response.arrayBuffer", "response.blob", "response.buffer"), response_text
    ),
    "$": run_template,
    "$.sync": run_template,
    **dict.fromkeys(("execa", "execa.execa", "execa.execaSync", "execa.sync", "execa.execaNode"), execa),
}
RESULTS: Mapping[str, Any] = {
    "same": lambda _evaluation, value=None: value if value is not None else Unknown(),
    "option": option,
    "flat": flatten,
    "glob": glob,
    "invoke_done": call_back,
    "join_parts": join_parts,
    "resolve_parts": resolve_parts,
    "folder": folder_of,
    "last": last_part_of,
    "suffix": lambda evaluation, path=None: suffix_of(evaluation, path) if path is not None else known(""),
    "parse_path": parse_path,
    "temporary": temporary,
    "names": names_in,
    "open_file": open_file,
    "write_file": write_file,
    "read_file": read_file,
    "kill": kill_process,
    "process": process,
    "start": start,
    "start_listed": start_listed,
    "start_options": start_options,
    "run_line": run_line,
    "run_like": run_like,
    "response": response,
    "send": send,
    "invoke_request": request,
    "invoke_all": invoke_all,
    "argv": argument_list,
    "delete_address": delete_address,
    "open_socket": open_socket,
    "send_more": send_more,
    "sql_change": sql_change,
    "delete_all": delete_all,
    "database_call": database_call,
    "decode": decode_bytes,
    "file": file_named,
    "change_folder": change_folder,
    "each": lambda _evaluation, item=None: ListValue("array", (), item),
    "none": lambda _evaluation: NULL,
    "test": lambda _evaluation: Unknown("a test"),
    "number": lambda _evaluation, *given: unknown_from("a number", *given),
    "cwd": lambda evaluation: evaluation.report.folders[-1],
    "home": lambda evaluation: known(evaluation.report.seen.home),
    "text": lambda evaluation, value=None: evaluation.joined(*words_of(value)) if value is not None else known(""),
    "printed": lambda evaluation, *_given: evaluation.report.made("what a command prints"),
    "instance": lambda _evaluation, type_=None: Instance(text_of(type_) or "?"),
    "variable": lambda evaluation, name=None: evaluation.report.variable(name) if name is not None else Unknown(),
    "under": lambda _evaluation, left, right: under(word_of(left), word_of(right)),
}
