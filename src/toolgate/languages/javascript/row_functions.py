"""Functions that rows of JavaScript's tables may use, besides the reporter's, and calls that need code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from toolgate.languages.evaluation.folders import change_folder
from toolgate.languages.evaluation.library_table import SpecialCall, field_of
from toolgate.languages.evaluation.mass_messages import send_mail
from toolgate.languages.evaluation.path_words import (
    ANY_NAME,
    ANY_PATH,
    append_path,
    folder_of,
    join_parts,
    last_part_of,
    suffix_of,
    temporary,
)
from toolgate.languages.evaluation.shared_results import (
    argument_list,
    capture_desktop,
    content_of,
    database_call,
    database_command,
    response,
    response_text,
    send_more,
    signal_process,
)
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.text_records import split_lines
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
    collect_sources,
    list_alternatives,
    text_of,
    truth_of,
    unknown_from,
    word_of,
    words_of,
)
from toolgate.model.word import Hole, Word, join_words, known_word, unknown_word

from .build_actions import BUILD_ACTIONS
from .call_options import call_callback, find_files, flatten_value, invoke_all, read_option
from .connection_actions import TABLE_ACTIONS, delete_address, delete_all, open_request, open_socket, send_request, sql_change
from .paths import list_names, make_url, parse_path, resolve_parts
from .text import interleave_template, quote_word

_IS_ONE_WORD = re.compile(r"[\w./-]+")


# ---- files


def open_file(evaluation: Evaluation, path: Value | None, flags: Value | None = None) -> Value:
    report = evaluation.report
    if isinstance(flags, MapValue):
        writes = [
            truth_of(read_option(evaluation, flags, known_word(name))) for name in ("write", "append", "create", "truncate")
        ]
        mode: str | None = "w" if True in writes else None if None in writes else "r"
    else:
        mode = "r" if flags is None or not isinstance(flags, Word) else flags.text
    if mode is not None and not set(mode) & set("wa+"):
        report.read(path)
        return Instance("file", {"path": path or NULL})
    report.write(path, report.unknown_output("data that JavaScript writes"), TRUE if mode and mode.startswith("a") else FALSE)
    return Instance("file", {"path": path or NULL, "writes": TRUE})


def write_file(evaluation: Evaluation, path: Value | None, data: Value | None = None, options: Value | None = None) -> Value:
    flags = text_of(read_option(evaluation, options, known_word("flag"), known_word("flags"))) or ""
    target = path.fields.get("path") if isinstance(path, Instance) and path.type == "file" else path
    evaluation.report.write(target, data if isinstance(data, Word) else None, TRUE if flags.startswith("a") else FALSE)
    return NULL


def _read_stdin(evaluation: Evaluation) -> Value:
    return evaluation.report.seen.stdin


def read_file(evaluation: Evaluation, path: Value | None) -> Value:
    """Reads a file by its path; 0 is standard input."""
    if isinstance(path, Constant) and path is not NULL:
        return _read_stdin(evaluation) if path.value == 0 else Unknown("the content of a file")
    if isinstance(path, Word) and path.text == "/dev/stdin":
        return _read_stdin(evaluation)
    if isinstance(path, Instance) and path.type == "file":
        path = path.fields.get("path")
    report = evaluation.report
    report.read(path)
    return content_of(evaluation, path)


def kill_process(evaluation: Evaluation, pid: Value | None = None, signal: Value | None = None) -> Value:
    """Reports the end of a process, except for the code's own."""
    if isinstance(pid, Instance) and pid.type == "own process":
        return NULL
    everything = pid is not None and word_of(pid).text in ("-1", "1")
    if evaluation.report.is_trusted and not everything and pid is not None and word_of(pid).text is None:
        return NULL
    return signal_process(evaluation, pid, Constant(0) if text_of(signal) == "0" else signal)


# ---- programs


def started_process(evaluation: Evaluation, *_argument: Value | None) -> Value:
    printed = evaluation.report.unknown_output("the output of a command")
    return Instance("process", {"stdout": printed, "stderr": printed, "output": printed, "pid": Unknown("a process")}, printed)


def start_program(
    evaluation: Evaluation, file: Value | None, arguments: Value | None = None, options: Value | None = None
) -> Value:
    """Starts a program; if the options ask for a shell, the arguments are joined for it."""
    if arguments is not None and all(isinstance(each, MapValue | Function | Constant) for each in list_alternatives(arguments)):
        options = arguments if isinstance(arguments, MapValue) else options
        arguments = None
    shell = read_option(evaluation, options, known_word("shell"))
    report = evaluation.report
    folder, fed = read_option(evaluation, options, known_word("cwd")), read_option(evaluation, options, known_word("input"))
    env = read_option(evaluation, options, known_word("env"))
    in_shell = False if not _has_options(options) else truth_of(shell) if isinstance(shell, Constant | Word) else None
    for program in list_alternatives(file) if file is not None else ():
        for argv_value in list_alternatives(arguments) if arguments is not None else (ListValue("array"),):
            items, rest = (
                (list(argv_value.items), argv_value.rest)
                if isinstance(argv_value, ListValue)
                else ([], unknown_from("arguments", argv_value))
            )
            argv = ListValue("array", (program, *items), rest)
            if in_shell is not False:
                report.shell(
                    join_words([word_of(each) for each in (*argv.items, *(() if rest is None else (rest,)))]), cwd=folder
                )
            if in_shell is not True:
                report.run(argv, FALSE, folder, _program_input(fed), env)
    return started_process(evaluation)


def _has_options(options: Value | None) -> bool:
    return options is not None and any(not isinstance(each, Constant | Function) for each in list_alternatives(options))


def _program_input(fed: Value) -> Value:
    return NULL if text_of(fed) in ("pipe", "inherit", "ignore", "piped") else fed


def start_listed(evaluation: Evaluation, command: Value | None, options: Value | None = None) -> Value:
    """`Bun.spawn(["rm", ..])`, `Bun.spawn({cmd: [..]})`, `Deno.run({cmd: [..]})`."""
    for each in list_alternatives(command) if command is not None else ():
        if isinstance(each, MapValue):
            start_listed(evaluation, read_option(evaluation, each, known_word("cmd")), each)
        elif isinstance(each, ListValue):
            argv = ListValue("array", each.items[1:], each.rest)
            start_program(evaluation, each.items[0] if each.items else each.rest, argv, options)
        elif each is not NULL:
            start_program(evaluation, each, Unknown("arguments"), options)
    return started_process(evaluation)


def start_options(evaluation: Evaluation, file: Value | None, options: Value | None = None) -> Value:
    """`new Deno.Command("rm", {args: [..]})`."""
    arguments = read_option(evaluation, options, known_word("args"))
    return start_program(evaluation, file, ListValue("array") if arguments is NULL else arguments, options)


def run_line(evaluation: Evaluation, command: Value | None, options: Value | None = None) -> Value:
    """Runs a text in a shell. The input of a shell of that name is code for it."""
    fed = _program_input(read_option(evaluation, options, known_word("input")))
    folder = read_option(evaluation, options, known_word("cwd"))
    for each in words_of(command) if command is not None else ():
        if fed is not NULL and each.text is not None and _IS_ONE_WORD.fullmatch(each.text):
            evaluation.report.run(ListValue("array", (each,)), FALSE, folder, fed)
        else:
            evaluation.report.shell(each, cwd=folder)
    return NULL


def run_execa(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`execa(file, arguments)`, or a template tag."""
    if arguments.positional and _is_template(arguments.positional[0]):
        return run_template(evaluation, None, arguments)
    return start_program(evaluation, *arguments.positional[:3]) if arguments.positional else started_process(evaluation)


def _is_template(value: Value) -> bool:
    return isinstance(value, ListValue) and value.kind == "array" and bool(value.items)


def run_template(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """``$`command` ``: each value is one word. `$({..})` returns a tag with options."""
    if not arguments.positional or not _is_template(arguments.positional[0]):
        return Reference("$") if not arguments.positional or isinstance(arguments.positional[0], MapValue) else None
    quoted = [
        text if n % 2 == 0 else evaluation.map_alternatives(text, _quote_value)
        for n, text in enumerate(interleave_template(evaluation, arguments))
    ]
    evaluation.report.shell(evaluation.concatenate(quoted))
    return started_process(evaluation)


def _quote_value(value: Value) -> Value:
    if isinstance(value, ListValue):
        rest = [] if value.rest is None else [Word(word_of(value.rest).parts or (Hole(),), True, collect_sources(value.rest))]
        return join_words([*(quote_word(word_of(each)) for each in value.items), *rest])
    return quote_word(word_of(value))


def run_shelljs(evaluation: Evaluation, name: Value | None, argument: Value | None) -> Value:
    """Runs functions of shelljs that have the name and the arguments of a program."""
    items, rest = evaluation.items_of(argument) if argument is not None else ([], None)
    words: list[Value] = [name or Unknown("a program")]
    for each in items:
        words += (
            [*evaluation.items_of(each)[0]] if isinstance(each, ListValue) else [each] if not isinstance(each, MapValue) else []
        )
    evaluation.report.run(ListValue("array", words, rest), FALSE)
    return started_process(evaluation)


def decode_bytes(evaluation: Evaluation, data: Value | None = None) -> Value:
    if not evaluation.report.is_trusted:
        evaluation.report.operation("text.decode")
    return unknown_word("decoded data", collect_sources(data) | evaluation.report.own_command)


def make_file(_evaluation: Evaluation, path: Value | None = None) -> Value:
    return Instance("file", {"path": path or NULL}, word_of(path) if path is not None else None)


def list_folder(evaluation: Evaluation, folder: Value | None = None, options: Value | None = None) -> Value:
    """`fs.readdir(folder, options)`: returns the names of the entries, or the entries if the options ask for those."""
    asked = field_of(options, "withFileTypes")
    is_recursive = field_of(options, "recursive") is not None
    if asked is None or truth_of(asked) is False:
        return ListValue("array", (), ANY_PATH if is_recursive else ANY_NAME)
    return list_entries(evaluation, folder, options)


def list_entries(_evaluation: Evaluation, folder: Value | None = None, options: Value | None = None) -> Value:
    """`fs.opendir(folder)`: returns entries, each with its name and its folder."""
    name = ANY_NAME if field_of(options, "recursive") is None else ANY_PATH
    held = folder if folder is not None else known_word(".")
    return ListValue("array", (), Instance("dirent", {"name": name, "parentPath": held, "path": held}, name))


SPECIAL_CALLS: Mapping[str, SpecialCall] = {
    **dict.fromkeys(("URL", "url.URL"), make_url),
    **dict.fromkeys(
        ("response.text", "response.json", "response.arrayBuffer", "response.blob", "response.buffer"), response_text
    ),
    "$": run_template,
    "$.sync": run_template,
    "Bun.$": run_template,
    **dict.fromkeys(("execa", "execa.execa", "execa.execaSync", "execa.sync", "execa.execaNode"), run_execa),
}
ROW_FUNCTIONS: Mapping[str, Any] = {
    "lines": split_lines,
    "same": lambda _evaluation, value=None: value if value is not None else Unknown(),
    "option": read_option,
    "flat": flatten_value,
    "glob": find_files,
    "invoke_done": call_callback,
    "join_parts": join_parts,
    "resolve_parts": resolve_parts,
    "folder": folder_of,
    "last": last_part_of,
    "suffix": lambda evaluation, path=None: suffix_of(evaluation, path) if path is not None else known_word(""),
    "parse_path": parse_path,
    "temporary": temporary,
    "names": list_names,
    "folder_list": list_folder,
    "entries": list_entries,
    "open_file": open_file,
    "write_file": write_file,
    "read_file": read_file,
    "kill": kill_process,
    "process": started_process,
    "start": start_program,
    "start_listed": start_listed,
    "start_options": start_options,
    "run_line": run_line,
    "run_like": run_shelljs,
    "response": response,
    "send": send_request,
    "invoke_request": open_request,
    "invoke_all": invoke_all,
    "argv": argument_list,
    "delete_address": delete_address,
    "open_socket": open_socket,
    "send_more": send_more,
    "sql_change": sql_change,
    "delete_all": delete_all,
    **TABLE_ACTIONS,
    **BUILD_ACTIONS,
    "database_call": database_call,
    "database_command": database_command,
    "decode": decode_bytes,
    "file": make_file,
    "change_folder": change_folder,
    "each": lambda _evaluation, item=None: ListValue("array", (), item),
    "none": lambda _evaluation: NULL,
    "test": lambda _evaluation: Unknown("a test"),
    "number": lambda _evaluation, *arguments: unknown_from("a number", *arguments),
    "cwd": lambda evaluation: evaluation.report.folders[-1],
    "home": lambda evaluation: evaluation.report.home,
    "text": lambda evaluation, value=None: evaluation.join_values(*words_of(value)) if value is not None else known_word(""),
    "printed": lambda evaluation, *_arguments: evaluation.report.unknown_output("the output of a command"),
    "captured": capture_desktop,
    "send_mail": send_mail,
    "instance": lambda _evaluation, type_=None: Instance(text_of(type_) or "?"),
    "pulumi_stack": lambda _evaluation, name=None: Instance("pulumi-stack", {"name": name or known_word("stack")}),
    "variable": lambda evaluation, name=None: evaluation.report.variable(name) if name is not None else Unknown(),
    "under": lambda _evaluation, left, right: append_path(word_of(left), word_of(right)),
}
