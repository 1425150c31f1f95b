"""Words of the script languages' call tables, in addition to the reporter's own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from toolgate.languages import glob_words
from toolgate.languages.evaluation.folders import change_folder
from toolgate.languages.evaluation.leaf_texts import find_open_files, text_with_variables
from toolgate.languages.evaluation.mass_messages import send_mail
from toolgate.languages.evaluation.own_variables import read_variable
from toolgate.languages.evaluation.path_words import (
    ANY_NAME,
    ANY_PATH,
    folder_of,
    join_parts,
    join_paths,
    last_part_of,
    suffix_of,
    temporary,
)
from toolgate.languages.evaluation.printed_text import print_text
from toolgate.languages.evaluation.shared_results import (
    argument_list,
    ask_database,
    content_of,
    database_call,
    database_command,
    force_git,
    look_up_name,
    maker_of,
    pay_if_confirmed,
    payment_call,
    provider_call,
    response,
    send_more,
    signal_process,
    started_process,
)
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    FALSE,
    NEVER_RETURNS,
    NULL,
    Instance,
    ListValue,
    MapValue,
    Unknown,
    Value,
    holds_environment,
    holds_kind,
    iter_callables,
    list_alternatives,
    text_of,
    unknown_from,
    unknown_of_kind,
    word_of,
    words_of,
)
from toolgate.model.effect import Carrier
from toolgate.model.word import HoleKind, Word, known_word, unknown_word


def flatten_paths(evaluation: Evaluation, value: Value | None) -> Value:
    """Returns a path, or the alternatives in a list of paths."""
    found: list[Value | None] = []
    for each in list_alternatives(value) if value is not None else ():
        if isinstance(each, ListValue):
            found += [flatten_paths(evaluation, one) for one in each.items]
            found.append(None if each.rest is None else flatten_paths(evaluation, each.rest))
        elif each is not NULL and not isinstance(each, MapValue):
            found.append(each)
    kept = [each for each in found if each is not None and each is not NULL]
    return evaluation.join_values(*kept) if kept else NULL


def find_globbed(evaluation: Evaluation, pattern: Value | None, folder: Value | None = None) -> Value:
    """Returns the files that patterns match."""
    found = ListValue(
        "array",
        (),
        evaluation.join_values(*(word for each in words_of(flatten_paths(evaluation, pattern)) for word in glob_words(each))),
    )
    if folder is None or folder is NULL:
        return found
    assert found.rest is not None
    return ListValue("array", (), join_paths(evaluation, folder, found.rest))


def list_names(evaluation: Evaluation, _folder: Value | None = None) -> Value:
    """Returns the names of a folder's entries."""
    return ListValue("array", (), ANY_NAME)


def list_paths(evaluation: Evaluation, folder: Value | None = None, deep: Value | None = None) -> Value:
    """Returns the paths of a folder's entries, or of everything beneath it."""
    return ListValue("array", (), join_paths(evaluation, folder, ANY_PATH if deep is not None else ANY_NAME))


def start_program(
    evaluation: Evaluation,
    argument: Value | None,
    options: Value | None = None,
    stdin: Value | None = None,
    folder: Value | None = None,
) -> Value:
    """Starts a program: a single text goes to a shell, several are a program and its arguments.

    A map is its environment or options.
    """
    items, rest = (
        evaluation.items_of(argument)
        if isinstance(argument, ListValue)
        else ([], None)
        if argument is None
        else ([argument], None)
    )
    maps = [each for each in items if isinstance(each, MapValue)]
    words = [each for each in items if not isinstance(each, MapValue)]
    held = options if isinstance(options, MapValue) else maps[-1] if maps else None
    if held is not None:
        folder = held.entries.get("chdir", folder)
        stdin = held.entries.get("stdin_data", held.entries.get("in", stdin))
    if any(holds_environment(each, 1) for each in words):
        evaluation.report.operation("environment.print")
    if words and isinstance(words[0], ListValue):
        first = words[0]
        argv = ListValue("array", first.items[:1] if words[1:] else first.items, None if words[1:] else first.rest)
        evaluation.report.run(ListValue("array", (*argv.items, *words[1:]), rest or argv.rest), FALSE, folder, stdin)
    elif len(words) == 1 and rest is None:
        if stdin is not None and stdin is not NULL and (text := text_of(words[0])) and " " not in text:
            evaluation.report.run(words[0], FALSE, folder, stdin)
        else:
            _note_background(evaluation, words[0])
            evaluation.report.shell(words[0], cwd=folder)
    elif words:
        evaluation.report.run(ListValue("array", words, rest), FALSE, folder, stdin)
        if len(words) == 1:
            evaluation.report.shell(words[0], cwd=folder)
    elif rest is not None:
        evaluation.report.shell(rest, cwd=folder)
    return started_process(evaluation)


def start_listed(evaluation: Evaluation, *words: Value | None) -> Value:
    """Starts a program with its arguments, never through a shell."""
    evaluation.report.run(argument_list(evaluation, *words), FALSE)
    return started_process(evaluation)


def shell_line(evaluation: Evaluation, *parts: Value | None) -> Value:
    """Runs a shell command and returns its output."""
    for each in parts:
        _note_background(evaluation, each)
        if each is not None and any(_DOWNLOADS.match(word.head) for word in words_of(each)):
            evaluation.report.connect(unknown_word("a server"))  # the output comes from the server
        evaluation.report.shell(each)
    return evaluation.report.unknown_output("the output of a command")


_DOWNLOADS = re.compile(r"\s*(?:curl|wget)\b")


def _note_background(evaluation: Evaluation, command: Value | None) -> None:
    """Counts a command run in the background as a started process, like `fork`."""
    if command is not None and any(each.tail.rstrip().endswith("&") for each in words_of(command)):
        evaluation.called["spawn"] = evaluation.called.get("spawn", 0) + 1


def open_file(evaluation: Evaluation, path: Value | None, mode: Value | None = None) -> Value:
    """Opens a file for reading or writing, depending on the mode; `|command` starts a command."""
    report = evaluation.report
    flags = "r" if mode is None or mode is NULL else text_of(mode)
    for each in words_of(path) if path is not None else ():
        if each.starts_with("|") is True:
            report.shell(each.drop_first(1))
        elif each.starts_with("http://") is True or each.starts_with("https://") is True:
            report.connect(each)
        elif flags is None or flags[:1] in ("w", "a", "x", "c") or "+" in flags:
            report.write(each, append=known_word("yes") if flags is None or flags[:1] == "a" else None)
        else:
            report.read(each)
    return Instance("file", {"path": path if path is not None else NULL})


def read_file(evaluation: Evaluation, path: Value | None) -> Value:
    """Returns the content of a file, or the response of a server."""
    for each in words_of(path) if path is not None else ():
        if each.starts_with("http://") is True or each.starts_with("https://") is True:
            evaluation.report.connect(each)
            return response(evaluation)
        if each.starts_with("|") is True:
            return shell_line(evaluation, each.drop_first(1))
    evaluation.report.read(path)
    return content_of(evaluation, path)


def send_to(evaluation: Evaluation, target: Value | None, *sent: Value | None) -> Value:
    """Sends a request with its body."""
    bodies = [each for each in sent if each is not None and each is not NULL]
    shown: list[Value] = []
    for each in bodies:
        is_shown = isinstance(each, Word) or holds_environment(each) or any(True for _ in find_open_files(each))
        shown.append(each if is_shown else text_with_variables("sent data", each))
    evaluation.report.connect(target if target is not None else unknown_word("a server"), *shown)
    return response(evaluation)


def open_socket(evaluation: Evaluation, host: Value | None = None, port: Value | None = None) -> Value:
    target = word_of(host) if host is not None else unknown_word("a server")
    if port is not None and port is not NULL:
        target = target + known_word(":") + word_of(port)
    evaluation.report.connect(target, evaluation.report.unknown_output("sent data"))
    return Instance("socket", {"path": NULL, "received": evaluation.report.response()})


def kill_processes(evaluation: Evaluation, signal: Value | None = None, pids: Value | None = None) -> Value:
    for each in list_alternatives(flatten_paths(evaluation, pids)):
        signal_process(evaluation, each, signal)
    return NULL


_UNSELECTIVE_METHODS = frozenset(
    "all order reorder reverse_order includes preload eager_load distinct unscoped lock readonly".split()
)


def delete_records(evaluation: Evaluation, receiver: Value | None = None) -> Value:
    """Reports the deletion of all rows of a table (`User.delete_all`), unless a query selected some. An order selects none."""
    if isinstance(receiver, Unknown) and "." in receiver.name and not names_every_record(receiver):
        return NULL
    return database_call(evaluation, known_word("database.delete"), known_word("everything"))


def names_every_record(query: Value | None) -> bool:
    """Returns whether a query selects nothing: `User.all`, `User.order(:id)`."""
    if not isinstance(query, Unknown):
        return False
    return query.kind is HoleKind.RECORD or query.name.rpartition(".")[2] in _UNSELECTIVE_METHODS


def visit_records(evaluation: Evaluation, receiver: Value | None = None, block: Value | None = None) -> Value:
    """`User.all.each(&:destroy)`, `User.find_each { .. }`: calls the block with each record of a table, or of a query."""
    is_every = names_every_record(receiver) or (isinstance(receiver, Unknown) and receiver.name[:1].isupper())
    if block is not None and block is not NULL:
        evaluation.repeats += 1
        evaluation.run_possibly(
            lambda: evaluation.call(block, Arguments((unknown_of_kind(HoleKind.RECORD) if is_every else Unknown(),)))
        )
        evaluation.repeats -= 1
    return unknown_from("each", receiver)


def deliver_mail(evaluation: Evaluation) -> Value:
    """`UserMailer.offer(user).deliver_later`. In its environments for development and tests Rails keeps mails."""
    environments = [value.text for name in ("RAILS_ENV", "RACK_ENV") for value in evaluation.report.seen.get_variables(name)]
    if not environments or any(each not in ("test", "development") for each in environments):
        send_mail(evaluation)
    return Unknown("a delivery")


def delete_record(evaluation: Evaluation, receiver: Value | None = None, argument: Value | None = None) -> Value:
    """Reports the deletion of a record where all of a table are visited, or of all rows of a data set (`DB[:users].delete`)."""
    is_bare = not (isinstance(argument, ListValue) and argument.items)
    if is_bare and isinstance(receiver, Unknown) and (receiver.kind is HoleKind.RECORD or receiver.name == "?.connect[]"):
        database_call(evaluation, known_word("database.delete"), known_word("everything"))
    return unknown_from("delete", receiver)


def drop_database(evaluation: Evaluation, receiver: Value | None = None) -> Value:
    """`client.database.drop`, `client[:users].drop`: a list has a method of this name, too."""
    if maker_of(receiver) in ("database", "collection"):
        database_call(evaluation, known_word("database.drop"), known_word("a database or a part of it"))
    return NULL


def write_to(evaluation: Evaluation, handle: Value | None, data: Value | None = None) -> Value:
    """Writes data to a file or to a command's input; environment data written anywhere is reported as printed."""
    text = data
    if isinstance(data, ListValue):
        text = evaluation.concatenate(list(data.items)) if data.rest is None and data.items else unknown_word("written data")
    for each in list_alternatives(handle) if handle is not None else ():
        command = each.fields.get("command") if isinstance(each, Instance) else None
        if command is not None:
            evaluation.report.run(
                ListValue("array", [known_word(part) for part in (word_of(command).text or "").split()]), FALSE, None, text
            )
    if data is not None and holds_environment(data, 2):
        evaluation.report.connect(unknown_word("a server"), data)
    return Unknown("a test")


def print_values(
    evaluation: Evaluation, argument: Value | None = None, end: Value | None = None, separator: Value | None = None
) -> Value:
    items, rest = evaluation.items_of(argument) if argument is not None else ([], None)
    line = Word()
    ending = word_of(end) if end is not None else Word()
    for n, each in enumerate(items):
        shown = word_of(each)
        line = line + (word_of(separator) if n and separator is not None else Word()) + shown
        if ending.parts and not shown.tail.endswith(ending.tail):
            line = line + ending
    print_text(evaluation, line, *items, *(() if rest is None else (rest,)), is_whole=rest is None)
    return NULL


def invoke_each(evaluation: Evaluation, function: Value | None, *argument: Value | None) -> Value:
    """Returns the result of calling a function with the given values."""
    if function is None or function is NULL:
        return NULL
    return evaluation.call(function, Arguments(tuple(each for each in argument if each is not None)))


def load_objects(evaluation: Evaluation, text: Value | None = None) -> Value:
    """Restores objects from a text (`YAML.unsafe_load`, `Marshal.load`): one that a server sent may run code."""
    report = evaluation.report
    if text is not None and holds_kind(text, HoleKind.RESPONSE, 2) and report.is_new("objects"):
        report.interpret(report.unknown_output("objects"), via=Carrier(f"{report.language}'s unserialized objects"))
    return unknown_from("restored objects", text)


def escape_all(evaluation: Evaluation, argument: Value | None) -> Value:
    """Treats functions among the arguments as callable by the callee."""
    for each in iter_callables(argument, 2) if argument is not None else ():
        evaluation.call_escaped(each, [])
    return NULL


RESULTS: Mapping[str, Any] = {
    "same": lambda _evaluation, value=None: value if value is not None else Unknown(),
    "none": lambda _evaluation, *_arguments: NULL,
    "never": lambda _evaluation, *_arguments: NEVER_RETURNS,
    "test": lambda _evaluation, *_arguments: Unknown("a test"),
    "number": lambda _evaluation, *arguments: unknown_from("a number", *arguments),
    "rendered": lambda _evaluation, value=None: text_with_variables("a text", value if value is not None else NULL),
    "instance": lambda _evaluation, type_=None: Instance(text_of(type_) or "?"),
    "variable": lambda evaluation, name=None, default=None: (
        read_variable(evaluation, name, default) if name is not None else Unknown()
    ),
    "environment": lambda _evaluation, *_arguments: Instance("os.environ"),
    "paths": flatten_paths,
    "glob": find_globbed,
    "names": list_names,
    "list_paths": list_paths,
    "join": join_parts,
    "folder": folder_of,
    "last": last_part_of,
    "suffix": lambda evaluation, path=None: suffix_of(evaluation, path) if path is not None else known_word(""),
    "under": join_paths,
    "temporary": temporary,
    "home": lambda evaluation, *_arguments: known_word(evaluation.report.seen.home),
    "cwd": lambda evaluation: evaluation.report.folders[-1],
    "start": start_program,
    "start_listed": start_listed,
    "shell_line": shell_line,
    "printed": lambda evaluation, *_arguments: evaluation.report.unknown_output("the output of a command"),
    "received": lambda evaluation: evaluation.report.response(),
    "process": started_process,
    "argv": argument_list,
    "open_file": open_file,
    "read_file": read_file,
    "change_folder": change_folder,
    "kill": kill_processes,
    "send": send_to,
    "response": response,
    "send_more": send_more,
    "open_socket": open_socket,
    "ask": ask_database,
    "load_objects": load_objects,
    "database_call": database_call,
    "pay_if_confirmed": pay_if_confirmed,
    "payment_call": payment_call,
    "provider_call": provider_call,
    "database_command": database_command,
    "delete_records": delete_records,
    "visit_records": visit_records,
    "delete_record": delete_record,
    "deliver_mail": deliver_mail,
    "drop_database": drop_database,
    "force_git": force_git,
    "look_up": look_up_name,
    "print_values": print_values,
    "write_to": write_to,
    "call_with": invoke_each,
    "escape": escape_all,
}
