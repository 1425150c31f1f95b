"""Results and effects of Go's packages that the call tables name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from toolgate.languages import glob_word
from toolgate.languages.evaluation.own_variables import read_variable_or_empty
from toolgate.languages.evaluation.path_words import ANY_NAME, ANY_PATH, join_paths, last_part_of
from toolgate.languages.evaluation.shared_results import ask_database, content_of, database_call, response
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.undone_migrations import undo_migrations
from toolgate.languages.evaluation.values import (
    NULL,
    TRUE,
    Constant,
    Instance,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    list_alternatives,
    text_of,
    truth_of,
    unknown_from,
    word_of,
    words_of,
)
from toolgate.languages.scripting.words import send_to
from toolgate.model.word import Word, known_word, unknown_word

from .streams import content_of_stream, is_of_unknown_caller, pour
from .text_functions import format_values

_ALWAYS_TRUE = ("1 = 1", "1=1", "true", "TRUE", "1", "id > 0", "id IS NOT NULL")


def existing_path(evaluation: Evaluation, path: Value | None = None) -> Value:
    """Returns a path without the empty one, for which `os.Remove` and the like do nothing. What a function that nothing called
    is given is its caller's."""
    if path is None:
        return NULL
    kept = [each for each in words_of(path) if each.parts and not is_of_unknown_caller(evaluation, each)]
    return evaluation.join_values(*kept) if kept else NULL


def config_folder(evaluation: Evaluation, variable: Value | None, name: Value | None) -> Value:
    """Returns the user's folder for settings or for caches."""
    held = evaluation.report.seen.get_variable(text_of(variable) or "")
    return held or known_word(f"{evaluation.report.seen.home}/{text_of(name)}")


def _entry(path: Value) -> Value:
    return Instance("fs.DirEntry", {"path": path}, word_of(path))


def list_entries(evaluation: Evaluation, folder: Value | None = None) -> Value:
    return ListValue("array", (), _entry(join_paths(evaluation, folder, ANY_NAME)))


def walk_folder(evaluation: Evaluation, folder: Value | None, function: Value | None = None) -> Value:
    """`filepath.WalkDir(folder, function)`: calls the function with each path below the folder."""
    path = join_paths(evaluation, folder, ANY_PATH)
    evaluation.repeats += 1
    given = Arguments((path, _entry(path), NULL))
    evaluation.run_possibly(lambda: evaluation.call(function, given) if function is not None else NULL)
    evaluation.repeats -= 1
    return Unknown("an error")


def walk_file_system(evaluation: Evaluation, system: Value | None, folder: Value | None, function: Value | None = None) -> Value:
    """`fs.WalkDir(os.DirFS(top), ".", function)`: the paths are relative to the top."""
    top = system.fields.get("path") if isinstance(system, Instance) else None
    path = join_paths(evaluation, folder, ANY_PATH)
    entry = _entry(path if top is None else join_paths(evaluation, top, path))
    evaluation.run_possibly(lambda: evaluation.call(function, Arguments((path, entry, NULL))) if function is not None else NULL)
    return Unknown("an error")


def find_globbed(evaluation: Evaluation, pattern: Value | None = None) -> Value:
    found = [glob_word(each) for each in words_of(pattern)] if pattern is not None else []
    return ListValue("array", (), evaluation.join_values(*found))


def open_file(evaluation: Evaluation, path: Value | None, flags: Value | None = None) -> Value:
    """Opens a file to read, or to write where the flags say so."""
    mode = flags.value if isinstance(flags, Constant) else 0 if flags is None else None
    if isinstance(mode, int) and not mode & 3:
        evaluation.report.read(path)
        return Instance("file", {"path": path if path is not None else NULL})
    return create_file(evaluation, path, TRUE if not isinstance(mode, int) or mode & 0x400 or not mode & 0x200 else None)


def create_file(evaluation: Evaluation, path: Value | None, appends: Value | None = None) -> Value:
    made = Instance("file", {"path": path if path is not None else NULL})
    if isinstance(path, Word):
        evaluation.report.opened_files.add_file(evaluation, made, path, appends=appends is not None)
    else:
        evaluation.report.write(path, None, appends)
    return made


def write_file(evaluation: Evaluation, path: Value | None, data: Value | None = None) -> Value:
    evaluation.report.write(path, None if data is None else word_of(content_of_stream(evaluation, data)))
    return Unknown("an error")


def read_path(evaluation: Evaluation, path: Value | None = None) -> Value:
    """Reads a file. There is no error for one whose text is known."""
    evaluation.report.read(path)
    content = content_of(evaluation, path)
    return ListValue("values", (content, NULL)) if text_of(content) is not None else content


def send_request(evaluation: Evaluation, target: Value | None, body: Value | None = None, method: Value | None = None) -> Value:
    """Sends a request with its body, and returns the response."""
    sent = None if body is None or body is NULL else content_of_stream(evaluation, body)
    if method is not None and text_of(method) not in ("GET", "POST", None):
        evaluation.report.connect(target, sent, method=method)
        return response_of(evaluation)
    send_to(evaluation, target, sent)
    return response_of(evaluation)


def response_of(evaluation: Evaluation) -> Value:
    made = response(evaluation)
    assert isinstance(made, Instance)
    return Instance("http.Response", {"Body": made.text or Unknown(), "StatusCode": Unknown("a number")}, made.text)


def make_request(
    _evaluation: Evaluation, method: Value | None = None, target: Value | None = None, body: Value | None = None
) -> Value:
    fields = {"method": method, "url": target, "body": body}
    return Instance("http.Request", {name: value for name, value in fields.items() if value is not None})


def do_request(evaluation: Evaluation, request: Value | None = None) -> Value:
    """Sends a request that was made before."""
    found = [
        send_request(evaluation, *(each.fields.get(name) for name in ("url", "body", "method")))
        for each in (list_alternatives(request) if request is not None else ())
        if isinstance(each, Instance) and "url" in each.fields
    ]
    if not found and request is not None:
        evaluation.report.connect(unknown_word("a server"), *(each for each in (request,) if not isinstance(each, Unknown)))
    return evaluation.join_values(*found) if found else response_of(evaluation)


def open_connection(evaluation: Evaluation, address: Value | None = None) -> Value:
    target = word_of(address) if address is not None else unknown_word("a server")
    evaluation.report.connect(target, evaluation.report.unknown_output("sent data"))
    return Instance("net.Conn", {"address": target, "received": evaluation.report.response()})


def read_connection(evaluation: Evaluation, connection: Value | None = None) -> Value:
    return content_of_stream(evaluation, connection) if connection is not None else evaluation.report.response()


def ask(evaluation: Evaluation, first: Value | None = None, second: Value | None = None) -> Value:
    """Asks a database. A context may come before the query."""
    ask_database(evaluation, first if isinstance(first, Word) or second is None else second)
    return unknown_from("the answer of a database", first, second)


def expand_variables(evaluation: Evaluation, text: Value | None = None) -> Value:
    """`os.ExpandEnv("$HOME/x")`."""
    plain = text_of(text)
    if plain is None:
        return unknown_from("a text", text)
    parts = re.split(r"\$(?:\{(\w+)\}|(\w+))", plain)
    found: list[Value] = [known_word(parts[0])]
    for braced, bare, after in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        found += [evaluation.report.variable(known_word(braced or bare)), known_word(after)]
    return evaluation.concatenate(found)


# ---- clients of databases


def begin_session(_evaluation: Evaluation, receiver: Value | None, settings: Value | None = None) -> Value:
    """`db.Session(&gorm.Session{AllowGlobalUpdate: true})`: a deletion needs no condition."""
    allowed = isinstance(settings, MapValue) and truth_of(settings.entries.get("AllowGlobalUpdate", NULL)) is True
    return Instance("gorm.DB", {"of every row": TRUE}) if allowed else unknown_from("?.Session", receiver)


def open_mapper(evaluation: Evaluation, dialect: Value | None = None, settings: Value | None = None) -> Value:
    """`gorm.Open(dialect, &gorm.Config{AllowGlobalUpdate: true})`."""
    opened = begin_session(evaluation, dialect, settings)
    return opened if isinstance(opened, Instance) else unknown_from("gorm.Open", dialect)


def select_rows(_evaluation: Evaluation, receiver: Value | None, condition: Value | None = None) -> Value:
    """`db.Where("1 = 1")`: a condition that every row meets."""
    if (text_of(condition) or "").strip() in _ALWAYS_TRUE and not _has_condition(receiver):
        return Instance("gorm.DB", {"of every row": TRUE})
    return Instance("gorm.DB", {"condition": TRUE})


def _has_condition(receiver: Value | None) -> bool:
    return isinstance(receiver, Instance) and "condition" in receiver.fields


def delete_rows(evaluation: Evaluation, receiver: Value | None, conditions: Value | None = None) -> Value:
    """`db.Delete(&User{})`: every row, where the session allows it and nothing else selects some."""
    given = conditions.items if isinstance(conditions, ListValue) else ()
    is_every = isinstance(receiver, Instance) and "of every row" in receiver.fields
    if (is_every and not given) or (text_of(given[0] if given else None) or "").strip() in _ALWAYS_TRUE:
        database_call(evaluation, known_word("database.delete"), known_word("every row"))
    return unknown_from("gorm.DB", receiver)


def force_git(
    evaluation: Evaluation, verb: Value | None, option: Value | None, name: Value | None, settings: Value | None = None
) -> Value:
    """Reports git's command with the effect of a call of go-git: `tree.Reset(&git.ResetOptions{Mode: git.HardReset})`."""
    held = settings.entries.get(text_of(name) or "") if isinstance(settings, MapValue) else None
    if held == TRUE or (isinstance(held, Reference) and held.name == "git.HardReset"):
        evaluation.report.command(known_word("git"), verb, option)
    return Unknown("an error")


def delete_documents(evaluation: Evaluation, selection: Value | None = None) -> Value:
    """`users.DeleteMany(ctx, bson.M{})`: an empty selection is every document."""
    for each in list_alternatives(selection) if selection is not None else ():
        is_empty = isinstance(each, MapValue) and not each.entries
        if is_empty or (isinstance(each, ListValue) and not each.items and each.rest is None):
            database_call(evaluation, known_word("database.delete"), known_word("everything"))
    return Unknown("a result")


def drop_part(evaluation: Evaluation, receiver: Value | None = None) -> Value:
    """`client.Database("app").Drop(ctx)`."""
    if isinstance(receiver, Unknown) and receiver.name.rpartition(".")[2] in ("Database", "Collection", "DB", "C"):
        database_call(evaluation, known_word("database.drop"), known_word("a database or a part of it"))
    return Unknown("an error")


RESULTS: Mapping[str, Any] = {
    "variable_or_empty": lambda evaluation, name=None: Unknown() if name is None else read_variable_or_empty(evaluation, name),
    "path": existing_path,
    "config_folder": config_folder,
    "entries": list_entries,
    "walk": walk_folder,
    "walk_file_system": walk_file_system,
    "glob": find_globbed,
    "open_file": open_file,
    "create_file": create_file,
    "write_file": write_file,
    "read_path": read_path,
    "read_file": read_path,
    "file_system": lambda _evaluation, path=None: Instance("fs.FS", {"path": path if path is not None else NULL}),
    "named": lambda _evaluation, type_=None, path=None: Instance(text_of(type_) or "?", {"path": path or NULL}),
    "name_of": lambda evaluation, entry=None: last_part_of(evaluation, entry),
    "content": lambda evaluation, stream=None: content_of_stream(evaluation, stream if stream is not None else NULL),
    "pour": pour,
    "send": send_request,
    "request": make_request,
    "do_request": do_request,
    "response": response_of,
    "open_connection": open_connection,
    "received": read_connection,
    "ask": ask,
    "wrapped": lambda _evaluation, stream=None: Instance("stream", {"inner": stream or NULL}),
    "encoder": lambda _evaluation, stream=None: Instance("json.Encoder", {"inner": stream or NULL}),
    "buffer": lambda evaluation, text=None: Instance(
        "bytes.Buffer", {"text": content_of_stream(evaluation, text) if text is not None and text is not NULL else Word()}
    ),
    "accepted": lambda _evaluation: Instance("net.Conn", {"address": known_word("a client"), "received": Unknown("a request")}),
    "expanded": expand_variables,
    "found_process": lambda _evaluation, pid=None: Instance("os.Process", {"pid": pid if pid is not None else NULL}),
    "account": lambda evaluation: Instance("user.User", {"HomeDir": known_word(evaluation.report.seen.home)}),
    "formatted": lambda evaluation, form=None, values=None: format_values(evaluation, form, values),
    "error": lambda *_: Unknown("an error"),
    "context": lambda *_: Unknown("a context"),
    "begin_session": begin_session,
    "open_mapper": open_mapper,
    "select_rows": select_rows,
    "delete_rows": delete_rows,
    "force_git_setting": force_git,
    "delete_documents": delete_documents,
    "drop_part": drop_part,
    "undo_migrations": undo_migrations,
}
