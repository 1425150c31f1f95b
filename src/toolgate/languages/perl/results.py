"""Result words used only in Perl's call tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgate.languages.evaluation.path_words import ANY_NAME, join_paths
from toolgate.languages.evaluation.shared_results import started_process
from toolgate.languages.evaluation.shared_state import Evaluation
from toolgate.languages.evaluation.values import (
    FALSE,
    NULL,
    Instance,
    ListValue,
    Unknown,
    Value,
    list_alternatives,
    text_of,
    word_of,
    words_of,
)
from toolgate.languages.scripting.modules import include_file
from toolgate.languages.scripting.words import find_globbed, start_program
from toolgate.model.word import known_word, unknown_word

from .calls import open_as


def start_of_list(evaluation: Evaluation, words: Value | None) -> Value:
    """Runs `system @list`: a single text goes to a shell, several are a program and its arguments."""
    start_program(evaluation, words)
    return evaluation.report.unknown_output("the output of a command")


def run_listed(evaluation: Evaluation, argument: Value | None) -> Value:
    """Runs `run [@command], ..`; each array reference is a command."""
    items, rest = evaluation.items_of(argument) if argument is not None else ([], None)
    for each in [*items, *(() if rest is None else (rest,))]:
        for one in list_alternatives(each):
            if isinstance(one, ListValue):
                evaluation.report.run(ListValue("array", one.items, one.rest), FALSE)
    if items and not any(isinstance(each, ListValue) for each in items):
        start_program(evaluation, ListValue("array", items, rest))
    return NULL


def find_files(evaluation: Evaluation, pattern: Value | None) -> Value:
    """Returns the files that whitespace-separated patterns match."""
    found = (
        [each for word in words_of(pattern) for each in (map(known_word, word.text.split()) if word.text else [word])]
        if pattern
        else []
    )
    home = known_word(evaluation.report.seen.home)
    found = [home + each.drop_first(1) if each.starts_with("~/") is True or each.text == "~" else each for each in found]
    made = find_globbed(evaluation, ListValue("array", found))
    assert isinstance(made, ListValue)
    return ListValue("list", made.items, made.rest)


def socket_of(evaluation: Evaluation, argument: Value | None) -> Value:
    """Opens a connection: `IO::Socket::INET->new(PeerAddr => .., PeerPort => ..)`."""
    items, _ = evaluation.items_of(argument) if argument is not None else ([], None)
    options = {word_of(key).text or "": value for key, value in zip(items[::2], items[1::2], strict=False)}
    host = next(
        (options[name] for name in ("PeerAddr", "PeerHost", "Peer") if name in options), items[0] if len(items) == 1 else None
    )
    target = word_of(host) if host is not None else unknown_word("a server")
    evaluation.report.write(options.get("Local"))
    if "PeerPort" in options:
        target = target + known_word(":") + word_of(options["PeerPort"])
    if "LocalPort" not in options and "Listen" not in options:
        evaluation.report.connect(target, evaluation.report.unknown_output("sent data"))
    return Instance("socket", {"path": NULL})


def _entries(evaluation: Evaluation, folder: Value | None = None) -> Value:
    rest = evaluation.join_values(*(Instance("Path", text=each) for each in words_of(join_paths(evaluation, folder, ANY_NAME))))
    return ListValue("list", (), rest)


def _connect_to(evaluation: Evaluation, address: Value | None = None) -> Value:
    evaluation.report.connect(
        address if isinstance(address, type(known_word(""))) else unknown_word("a server"),
        evaluation.report.unknown_output("sent data"),
    )
    return started_process(evaluation)


def include(evaluation: Evaluation, path: Value | None) -> Value:
    for each in words_of(path) if path is not None else ():
        include_file(evaluation, each)
    return Unknown("the result of a file")


def use_module(evaluation: Evaluation, path: Value | None, names: Value | None = None) -> Value:
    """Reads a module of the project, and imports functions of it; other modules are libraries."""
    name = text_of(path) or ""
    if any(evaluation.load_module(folder + name) is not None for folder in ("", "lib/")):
        _import_functions(evaluation, name.removesuffix(".pm").replace("/", "::"), names)
    return NULL


def _import_functions(evaluation: Evaluation, package: str, names: Value | None) -> None:
    """Gives the program the functions of a module that it names, or all of them: those that the module exports by itself are
    not looked up."""
    wanted = [text_of(each) or "" for each in names.items] if isinstance(names, ListValue) else []
    prefix = f"&{package}::"
    for full, function in list(evaluation.patched.items()):
        name = full.removeprefix(prefix)
        if name != full and (not wanted or name in wanted or any(each.startswith(":") for each in wanted)):
            evaluation.journal.set_cell(evaluation.top.variables, name, function)


PERL_RESULTS: Mapping[str, Any] = {
    "include": include,
    "use_module": use_module,
    "start_of_list": start_of_list,
    "run_listed": run_listed,
    "find_files": find_files,
    "list_names": lambda _evaluation, _handle=None: ListValue("list", (), ANY_NAME),
    "list_paths_of": _entries,
    "handle_and_name": lambda _evaluation: ListValue(
        "list", (Instance("file", {"path": NULL}), known_word("/tmp/a_temporary_file"))
    ),
    "file": lambda _evaluation, path=None: Instance("file", {"path": path or NULL}, word_of(path) if path is not None else None),
    "open_as": open_as,
    "path_object": lambda evaluation, path=None: evaluation.join_values(
        *(Instance("Path", text=each) for each in words_of(path))
    ),
    "input": lambda _evaluation: unknown_word("a line that is read"),
    "socket_of": socket_of,
    "connect_to": _connect_to,
    "address_of": lambda _evaluation, host, port: word_of(host) + known_word(":") + word_of(port),
}
