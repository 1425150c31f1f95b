"""More functions for Python's rows: calls whose effect depends on their object or their arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from toolgate.languages.evaluation.authorship import serves_development
from toolgate.languages.evaluation.library_table import SpecialCall, invoke_function
from toolgate.languages.evaluation.opening_names import is_opening
from toolgate.languages.evaluation.safeguard_changes import find_maker
from toolgate.languages.evaluation.shared_results import (
    argument_list,
    ask_database,
    cluster_delete,
    content_of,
    database_call,
    database_command,
    delete_by_query,
    delete_other_rows,
    force_git,
    maker_of,
    pay_if_confirmed,
    payment_call,
    provider_call,
)
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.text_records import list_lines
from toolgate.languages.evaluation.undone_migrations import undo_migrations
from toolgate.languages.evaluation.values import (
    NULL,
    ClassValue,
    Function,
    Instance,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    iter_callables,
    text_of,
    truth_of,
    word_of,
    words_of,
)
from toolgate.locality import find_django_settings, has_local_settings
from toolgate.model.word import Word, known_word


def _type_of(evaluation: Evaluation, value: Value | None) -> str:
    """Returns the type of a value as far as it is known; for an unknown value, what made it."""
    if value is None:
        return ""
    return value.name if isinstance(value, Unknown) else evaluation.library.type_of(value)


# ---- files


def rewrite_files(evaluation: Evaluation, files: Value | None = None, in_place: Value | None = None) -> Value:
    """`fileinput.input`: with `inplace` it writes the files it reads."""
    items, rest = evaluation.items_of(files) if isinstance(files, ListValue) else ([], files)
    for each in [*items, *(() if rest is None else (rest,))]:
        if in_place is not None and truth_of(in_place) is not False:
            evaluation.report.write(each)
        else:
            evaluation.report.read(each)
    lines = [line for each in items or [rest or NULL] for line in list_lines(content_of(evaluation, each))]
    return ListValue("iterator", lines, None if lines else evaluation.report.unknown_output("a line of a file"))


def read_or_connect(evaluation: Evaluation, path: Value | None = None) -> Value:
    """Reads a path, or connects to an address."""
    for each in words_of(path) if path is not None else ():
        if each.starts_with("http") is True:
            evaluation.report.connect(each)
        else:
            evaluation.report.read(each)
    return NULL


# ---- code and callables


def _holds_callables(value: Value) -> bool:
    return any(isinstance(each, Function | Reference | ClassValue) for each in iter_callables(value, 1))


def interpret_code(evaluation: Evaluation, code: Value | None = None) -> Value:
    """Reports code as text, or calls a function."""
    if code is not None and _holds_callables(code):
        invoke_function(evaluation, code)
    elif code is not None and code is not NULL:
        evaluation.report.interpret(code)
    return NULL


def time_code(evaluation: Evaluation, code: Value | None = None, before: Value | None = None) -> Value:
    """`timeit`: its code, after the setup."""
    texts = [text_of(each) for each in (before, code)]
    if None not in texts:
        evaluation.report.interpret(known_word("\n".join(text for text in texts if text is not None)))
    else:
        interpret_code(evaluation, before)
        interpret_code(evaluation, code)
    return NULL


def run_in_session(evaluation: Evaluation, command: Value | None = None, rest: Value | None = None) -> Value:
    """`session.run(program, *arguments)` of nox. Elsewhere the method of an unknown object may pass its text to a shell."""
    if evaluation.report.unit.file.rpartition("/")[2] == "noxfile.py":
        evaluation.report.run(argument_list(evaluation, command, rest))
    else:
        evaluation.report.command_line(command)
    return NULL


def run_actions(evaluation: Evaluation, actions: Value | None = None) -> Value:
    """Actions of SCons: a command line, or a list of them and of calls that are read where they stand."""
    for each in [actions] if isinstance(actions, Word) else evaluation.items_of(actions)[0] if actions is not None else ():
        if isinstance(each, Word):
            evaluation.report.shell(each)
    return NULL


def interpret_on(evaluation: Evaluation, receiver: Value | None, code: Value | None = None) -> Value:
    """Methods of an interpreter: `code.InteractiveInterpreter().runsource(text)`."""
    if code is not None and _type_of(evaluation, receiver).startswith(
        ("code.", "pdb.", "bdb.", "cProfile.", "profile.", "trace.", "IPython")
    ):
        evaluation.report.interpret(code)
    return NULL


def invoke_each(evaluation: Evaluation, function: Value | None = None, items: Value | None = None) -> Value:
    if function is None or items is None:
        return NULL
    singles, rest = evaluation.items_of(items)
    for each in [*singles[:64], *(() if rest is None else (rest,))]:
        evaluation.call(function, Arguments((each,)))
    return ListValue("list", (), Unknown("a result"))


def invoke_callable(
    evaluation: Evaluation,
    receiver: Value | None,
    function: Value | None = None,
    args: Value | None = None,
    keywords: Value | None = None,
) -> Value:
    """`stack.callback(f, ..)`, and other methods of that name."""
    if function is not None and _holds_callables(function):
        invoke_function(evaluation, function, args, keywords)
    elif receiver is not None:
        interpret_on(evaluation, receiver, function)
    return NULL


def invoke_if_callable(evaluation: Evaluation, function: Value | None = None, text: Value | None = None) -> Value:
    """`re.sub(pattern, function, text)`."""
    if function is not None and _holds_callables(function):
        evaluation.call(function, Arguments((Unknown("a match", src=word_of(text).src if text is not None else frozenset()),)))
    return NULL


# ---- databases and clusters


def database_drop(evaluation: Evaluation, receiver: Value | None, args: Value | None = None, bind: Value | None = None) -> Value:
    """`collection.drop()`, `table.drop(engine)`. A data frame has a method of this name, too, which takes the columns to drop."""
    kind = _type_of(evaluation, receiver)
    given = (*(args.items if isinstance(args, ListValue) else ()), *(() if bind is None else (bind,)))
    if any(map(_is_connection, given)) or (not given and kind.startswith(("mongo", "pymongo", "sqlalchemy", "?mongo"))):
        return database_call(evaluation, known_word("database.drop"), known_word("a collection or a table"))
    return NULL


def _is_connection(value: Value) -> bool:
    """Returns whether a call opened it, or a module holds it under the name of a connection: `app.db.engine`."""
    name = value.name if isinstance(value, Unknown) else value.name if isinstance(value, Reference) else ""
    return is_opening(name.rpartition(".")[2])


def database_delete(evaluation: Evaluation, query: Value | None = None) -> Value:
    """`delete_many({})`: deletes everything."""
    if isinstance(query, MapValue) and not query.entries:
        return database_call(evaluation, known_word("database.delete"), known_word("everything"))
    return NULL


def replace_table(evaluation: Evaluation, name: Value | None, how: Value | None = None) -> Value:
    """`frame.to_sql("users", engine, if_exists="replace")` drops the table first."""
    if text_of(how) == "replace":
        return database_call(evaluation, known_word("database.drop"), name)
    return NULL


def replace_collection(evaluation: Evaluation, pipeline: Value | None = None) -> Value:
    """`aggregate([.., {"$out": "users"}])` replaces the collection by the result."""
    stages = pipeline.items if isinstance(pipeline, ListValue) else ()
    if any(isinstance(stage, MapValue) and "$out" in stage.entries for stage in stages):
        return database_call(evaluation, known_word("database.delete"), known_word("a collection, which a result replaces"))
    return NULL


_MAKERS_OF_ALL_ROWS = frozenset("all objects query exclude".split())


def delete_object(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`User.objects.all().delete()`, `session.query(User).delete()`: every row of a table; a condition in between selects some.
    `get_repo(..).delete()`: a repository. None for another object."""
    maker, report = maker_of(receiver), evaluation.report
    if any(truth_of(arguments.named.get(name, NULL)) is True for name in ("delete_all", "recurse")):
        return database_call(evaluation, known_word("database.delete"), known_word("everything"))
    if arguments.positional or report.openings.is_in_memory or (isinstance(receiver, Unknown) and "boto3" in receiver.name):
        return None
    if maker in _MAKERS_OF_ALL_ROWS:
        _report_every_row(evaluation)
    elif maker in ("get_repo", "get_project"):
        provider_call(evaluation, known_word("cloud.delete"), known_word("a repository"))
    return None


def _report_every_row(evaluation: Evaluation) -> None:
    report = evaluation.report
    if not serves_development(report) and not report.openings.is_in_memory:
        local = report.openings.local_service is not None or report.is_test
        is_local = local or has_local_settings((*find_django_settings(report.seen), ".env"), report.seen)
        report.operation("database.delete", known_word("every row"), disposable=False, local=is_local)


def execute_deletion(evaluation: Evaluation, receiver: Value | None = None, query: Value | None = None) -> Value:
    """`User.delete().execute()`, `connection.execute(update(User).values(..))`: every row, as no condition follows."""
    if isinstance(query, Instance) and query.type == "sqlalchemy-rows":
        _report_every_row(evaluation)
    is_query_of_model = query is None and isinstance(receiver, Unknown) and _DELETION_OF_MODEL.search(receiver.name)
    if is_query_of_model or (maker_of(query) == "delete" and isinstance(query, Unknown) and not query.carries):
        _report_every_row(evaluation)
    return NULL


_DELETION_OF_MODEL = re.compile(r"(?:^|\.)[A-Z]\w*\.delete$")


def delete_model(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`User.delete_all()`, a method of a class: every row of its table."""
    if not arguments.all_values() and maker_of(receiver)[:1].isupper():
        _report_every_row(evaluation)
    return None


def update_objects(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`User.objects.all().update(active=False)`: every row."""
    if arguments.named and not arguments.positional and maker_of(receiver) == "all":
        _report_every_row(evaluation)
    return None


def keep_query(_evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    """`Post.objects.order_by("id")`: as many rows as before."""
    return receiver if isinstance(receiver, Unknown) else None


def delete_raw(evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    """`queryset._raw_delete(..)` of Django."""
    if maker_of(receiver) in _MAKERS_OF_ALL_ROWS:
        _report_every_row(evaluation)
    return None


# ---- git


def git_method(evaluation: Evaluation, verb: Value | None, args: Value | None = None, keywords: Value | None = None) -> Value:
    """`repo.git.reset("--hard")`, `repo.git.push(force=True)`: a method for each git command."""
    options: list[Value] = []
    for name, value in keywords.known_entries if isinstance(keywords, MapValue) else ():
        if truth_of(value) is not False:
            options.append(known_word(f"-{name}" if len(str(name)) == 1 else f"--{str(name).replace('_', '-')}"))
    evaluation.report.command(known_word("git"), verb, *options, args)
    return evaluation.report.unknown_output("the output of git")


def git_reset(evaluation: Evaluation, commit: Value | None = None, working_tree: Value | None = None) -> Value:
    hard = known_word("--hard") if working_tree is not None and truth_of(working_tree) is not False else None
    evaluation.report.command(known_word("git"), known_word("reset"), hard, commit)
    return NULL


def git_push_on(
    evaluation: Evaluation, receiver: Value | None, force: Value | None = None, refspec: Value | None = None
) -> Value:
    """`remote.push(force=True)`, on an object of a repository."""
    kind = _type_of(evaluation, receiver)
    if kind.startswith("git.") or force is not None:
        forced = force is not None and truth_of(force) is not False
        argv = [known_word("git"), known_word("push"), *([known_word("--force")] if forced else [])]
        evaluation.report.command(*argv, *([known_word("origin"), refspec] if refspec is not None else []))
    return NULL


def delete_kept(evaluation: Evaluation, client: Value | None) -> Value:
    """`client.delete_bucket(..)` of any provider, unless a simulation answers its library."""
    if not evaluation.report.openings.simulates_library(find_maker(client)):
        provider_call(evaluation, known_word("cloud.delete"), known_word("what a provider keeps"))
    return NULL


SPECIAL_ACTIONS: Mapping[str, Any] = {
    "rewrite": rewrite_files,
    "read_or_connect": read_or_connect,
    "interpret_any": interpret_code,
    "run_in_session": run_in_session,
    "run_actions": run_actions,
    "time_code": time_code,
    "interpret_on": interpret_on,
    "invoke_each": invoke_each,
    "invoke_callable": invoke_callable,
    "invoke_if_callable": invoke_if_callable,
    "database_call": database_call,
    "undo_migrations": undo_migrations,
    "replace_collection": replace_collection,
    "replace_table": replace_table,
    "database_command": database_command,
    "database_drop": database_drop,
    "database_delete": database_delete,
    "delete_by_query": delete_by_query,
    "execute_deletion": execute_deletion,
    "delete_other_rows": delete_other_rows,
    "ask_database": ask_database,
    "cluster_delete": cluster_delete,
    "pay_if_confirmed": pay_if_confirmed,
    "payment_call": payment_call,
    "delete_kept": delete_kept,
    "provider_call": provider_call,
    "force_git": force_git,
    "git_method": git_method,
    "git_reset": git_reset,
    "git_push_on": git_push_on,
}
OBJECT_CALLS: Mapping[str, SpecialCall] = {
    "?.delete": delete_object,
    "?.delete_all": delete_model,
    "?._raw_delete": delete_raw,
    **dict.fromkeys(("?.order_by", "?.select_related", "?.prefetch_related"), keep_query),
    "?.update": update_objects,
}
