"""The words that rows of JavaScript's tables are written in, beside the reporter's own, and the calls that no row can say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import product
from typing import Any

from toolgate.languages import globbed
from toolgate.languages.evaluation.evaluation import Arguments, Evaluation
from toolgate.languages.evaluation.paths import ALL, EACH, join_paths, split_last, suffix_of, under
from toolgate.languages.evaluation.results import argument_list, content_of, database_call, kill
from toolgate.languages.evaluation.table import Special, field_of
from toolgate.languages.evaluation.values import (
    ALTERNATIVES,
    FALSE,
    NULL,
    TRUE,
    ClassValue,
    Constant,
    Function,
    Instance,
    ListValue,
    MapValue,
    ObjectValue,
    Reference,
    Unknown,
    Value,
    alternatives,
    callables_in,
    holds_environment,
    join_all,
    sources_of,
    text_of,
    truth_of,
    unknown_from,
    word_of,
    words_of,
)
from toolgate.model.word import EMPTY, Hole, Word, joined, known, unknown

from .text import interleave, quote_word

_SQL = re.compile(r"\s*(?:drop|truncate|delete|update|alter)\s", re.IGNORECASE)
_ONE_WORD = re.compile(r"[\w./-]+")


# ---- what is given


def option(_evaluation: Evaluation, options: Value | None, *names: Value | None) -> Value:
    """What options say under the first of these names that they have; unknown where the options are."""
    found: list[Value] = []
    for each in alternatives(options) if options is not None else ():
        if isinstance(each, MapValue):
            values = (field_of(each, text_of(name) or "") for name in names)
            found.append(next((value for value in values if value is not None and value is not NULL), NULL))
        elif not isinstance(each, Constant | Function | Word | ListValue | ClassValue):
            found.append(Unknown("an option"))
        else:
            found.append(NULL)
    return join_all(found) or NULL


def flatten(evaluation: Evaluation, value: Value | None) -> Value:
    """A value, or one of those in a list of them."""
    found: list[Value | None] = []
    for each in alternatives(value) if value is not None else ():
        if isinstance(each, ListValue):
            found += [*each.items, each.rest]
        else:
            found.append(each)
    return join_all(found) or NULL


def glob(evaluation: Evaluation, pattern: Value | None, folder: Value | None = None) -> Value:
    """The files that patterns find; those that only leave out others are none."""
    words = [word for word in words_of(flatten(evaluation, pattern)) if word.starts("!") is not True]
    found = evaluation.joined(*(globbed(each) for each in words)) if words else EACH
    return found if folder is None or folder is NULL else join_paths(evaluation, folder, found)


def call_back(evaluation: Evaluation, result: Value | None, *given: Value | None) -> Value:
    """The callback among what is given is told that nothing failed, and the result."""
    for each in given:
        for one in alternatives(each) if each is not None else ():
            if isinstance(one, Function | Reference):
                told = (NULL,) if result is None else (NULL, result, result)
                evaluation.perhaps(lambda: evaluation.call(one, Arguments(told)))  # noqa: B023
    return NULL


def invoke_all(evaluation: Evaluation, given: Value | None = None) -> Value:
    """Callbacks among further arguments."""
    return call_back(evaluation, None, flatten(evaluation, given))


# ---- paths


def join_parts(evaluation: Evaluation, parts: Value | None) -> Value:
    """`path.join`: a later part that begins with a slash is no new beginning."""
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
    """`path.resolve`: the last absolute part is the beginning."""
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
    """What lies in a folder; with `recursive`, in those beneath it too."""
    is_deep = truth_of(option(evaluation, options, known("recursive"))) is not False
    return ListValue("array", (), ALL if is_deep and options is not None else EACH)


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
    """A file by its path; 0 is standard input."""
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
    """Its own process is nobody's business."""
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
    """A program and its arguments; where the options ask for a shell, they are joined for it."""
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
    """A text for a shell. What a shell of that name is fed is for that shell."""
    fed = _input(option(evaluation, options, known("input")))
    folder = option(evaluation, options, known("cwd"))
    for each in words_of(command) if command is not None else ():
        if fed is not NULL and each.text is not None and _ONE_WORD.fullmatch(each.text):
            evaluation.report.run(ListValue("array", (each,)), FALSE, folder, fed)
        else:
            evaluation.report.shell(each, cwd=folder)
    return NULL


def execa(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """`execa(file, arguments)`, or the tag of a template."""
    if given.positional and _is_template(given.positional[0]):
        return run_template(evaluation, None, given)
    return start(evaluation, *given.positional[:3]) if given.positional else process(evaluation)


def _is_template(value: Value) -> bool:
    return isinstance(value, ListValue) and value.kind == "array" and bool(value.items)


def run_template(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """``$`command` ``: each value is one word. `$({..})` gives a tag with options."""
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
    """Functions of shelljs that are named like the program whose arguments they take."""
    items, rest = evaluation.items_of(given) if given is not None else ([], None)
    words: list[Value] = [name or Unknown("a program")]
    for each in items:
        words += (
            [*evaluation.items_of(each)[0]] if isinstance(each, ListValue) else [each] if not isinstance(each, MapValue) else []
        )
    evaluation.report.run(ListValue("array", words, rest), FALSE)
    return process(evaluation)


# ---- connections


def response(evaluation: Evaluation, *_given: Value | None) -> Value:
    text = evaluation.report.made("what a server sends")
    return Instance(
        "response", {"body": text, "data": text, "statusCode": Unknown("a number"), "status": Unknown("a number")}, text
    )


def response_text(_evaluation: Evaluation, me: Value | None, _given: Arguments) -> Value | None:
    return me.fields.get("body") if isinstance(me, Instance) else None


def send(evaluation: Evaluation, target: Value | None = None, options: Value | None = None, *bodies: Value | None) -> Value:
    """A request: to an address, or to what its options name. What is sent is in the options, or given beside them."""
    held = target if isinstance(target, MapValue) else options
    to = target
    if isinstance(target, MapValue):
        to = option(evaluation, target, *map(known, ("url", "uri", "hostname", "host", "baseURL")))
        to = Unknown("a server") if to is NULL else to
    found: list[Value] = [option(evaluation, held, known(name)) for name in ("body", "data", "json", "form", "params", "headers")]
    found = [each for each in found if isinstance(each, Word) or each is not NULL] if isinstance(held, MapValue) else []
    sent = [*found, *(each for each in bodies if each is not None and not _is_callback(each))]
    sent = [_said(each) for each in sent]
    address = word_of(to) if to is not None else unknown("a server")
    if address.src:
        sent.append(address)
    method = option(evaluation, held, known("method")) if isinstance(held, MapValue) else NULL
    evaluation.report.connect(to, *sent, method=NULL if method is NULL else method)
    return response(evaluation)


def _is_callback(value: Value) -> bool:
    return isinstance(value, Function | Reference)


def _said(value: Value) -> Value:
    """What is sent, as one text."""
    if isinstance(value, Word) or holds_environment(value):
        return value
    parts = list(callables_in(value)) if isinstance(value, Unknown) else []
    return unknown("what JavaScript sends", sources_of(value)) if not parts else value


def request(evaluation: Evaluation, target: Value | None, *given: Value | None) -> Value:
    """`http.request(address or options, options, callback)`: what is written to it later is sent."""
    answer = send(evaluation, target, given[0] if given else None, evaluation.report.made("what JavaScript sends"))
    for each in (target, *given):
        if each is not None and _is_callback(each):
            evaluation.perhaps(lambda: evaluation.call(each, Arguments((answer,))))  # noqa: B023
    return answer


def delete_address(evaluation: Evaluation, target: Value | None, options: Value | None = None) -> Value:
    held = option(evaluation, options, known("data"))
    evaluation.report.connect(target, None if held is NULL else held, method=known("DELETE"))
    return response(evaluation)


def open_socket(evaluation: Evaluation, port: Value | None = None, host: Value | None = None) -> Value:
    """`net.connect(port, host)`, `net.connect({port, host})`."""
    if isinstance(port, MapValue):
        port, host = (
            option(evaluation, port, known("port"), known("path")),
            option(evaluation, port, known("host"), known("hostname")),
        )
    name = None if host is None or host is NULL or _is_callback(host) else word_of(host)
    target = word_of(port) if port is not None else unknown("a server")
    if name is None and isinstance(port, Constant):
        name = known("localhost")
    evaluation.report.connect(
        target if name is None else name + known(":") + target, evaluation.report.made("what JavaScript sends")
    )
    return Instance("socket")


def send_more(evaluation: Evaluation, data: Value | None = None) -> Value:
    """What is written to something that is open: only the whole environment is worth a word."""
    if data is not None and holds_environment(data):
        evaluation.report.connect(unknown("a server"), data)
    return unknown_from("what is sent back", data)


# ---- databases


def sql_change(evaluation: Evaluation, query: Value | None = None, via: Value | None = None) -> Value:
    """What changes or deletes; other text may be anything."""
    text = option(evaluation, query, known("text"), known("sql")) if isinstance(query, MapValue) else query
    if isinstance(text, ListValue) and text.items:
        text = text.items[0]
    for each in words_of(text) if text is not None else ():
        if _SQL.match(each.head):
            evaluation.report.sql(each, text_of(via) or "query")
    return unknown_from("what a database answers", query)


def delete_all(evaluation: Evaluation, query: Value | None = None) -> Value:
    """`deleteMany({})`: everything."""
    if query is None or (isinstance(query, MapValue) and not query.entries):
        return database_call(evaluation, known("database.delete"), known("everything"))
    return NULL


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
