"""Tasks of Rake. Those that the command line names are started by it, as a program is; the others are read as code that a
framework loads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    NULL,
    ClassValue,
    Function,
    Instance,
    ListValue,
    MapValue,
    Unknown,
    Value,
    text_of,
)
from toolgate.model.word import known_word

_RUNNER = "rake"
_NAMED_TASK = re.compile(r"(?P<name>[\w:.-]+)(?:\[(?P<values>[^\]]*)\])?")
_WITHOUT_RUN = frozenset(("-n", "--dry-run", "-T", "--tasks", "-P", "--prereqs", "-D", "--describe", "-W", "--where"))
_CLASS = ClassValue("the arguments of a task", (), {}, ())
_UNNAMED = "values without a name"
"""The field for values of parameters whose names are not known: `task :reset, [:env] => :stop`."""
_NEEDED = "task needed by "
"""Begins the name under which the evaluation counts a task that a named one needs."""


def _open_namespace(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`namespace :db do .. end`."""
    name = text_of(arguments.positional[0]) if arguments.positional else None
    block = arguments.named.get("block")
    if not isinstance(block, Function):
        return None
    evaluation.report.namespaces.append(name or "?")
    try:
        return evaluation.call(block, Arguments((Unknown("a namespace"),)))
    finally:
        evaluation.report.namespaces.pop()


def _declare_task(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`task :reset, [:env] => :stop do |t, args| .. end`."""
    first, parameters, needed = _read_declaration(arguments)
    block = arguments.named.get("block")
    full = ":".join((*evaluation.report.namespaces, first))
    values = _find_values(evaluation, full)
    if values is not None:
        evaluation.called.update((f"{_NEEDED}{name.removeprefix('^')}", 1) for name in _with_namespaces(evaluation, needed))
    if values is None and isinstance(block, Function) and _is_left_out(evaluation, first):
        evaluation.functions.pop(id(block.body), None)
        return Unknown("a task")
    if not isinstance(block, Function) or values is None:
        return None  # what is called with the block is unknown
    given = [known_word(value) for value in values]
    fields: dict[str, Value] = {name: given[n] if n < len(given) else NULL for n, name in enumerate(parameters)}
    fields[_UNNAMED] = ListValue("array", given[len(parameters) :])
    with _run_as_program(evaluation):
        evaluation.call(block, Arguments((Unknown("a task"), Instance("task arguments", fields, None, _CLASS))))
    return Unknown("a task")


def _read_declaration(arguments: Arguments) -> tuple[str, list[str], list[str]]:
    """Returns the name of a task, its parameters, and the tasks that it needs."""
    names: list[Value] = list(arguments.positional)
    needed: list[Value] = [value for key, value in arguments.named.items() if key in ("needs",)]
    for each in (*arguments.positional, MapValue(((k, v) for k, v in arguments.named.items() if k not in ("block", "needs")))):
        if isinstance(each, MapValue):
            names += [known_word(str(key)) for key, _ in each.known_entries]
            needed += [value for _, value in each.known_entries]
    texts = [text for each in names if not isinstance(each, MapValue) for text in _list_texts(each)]
    return (texts[0] if texts else "?"), texts[1:], [text for each in needed for text in _list_texts(each)]


def _list_texts(value: Value) -> list[str]:
    items = value.items if isinstance(value, ListValue) else (value,)
    return [text for each in items if (text := text_of(each)) is not None]


def _find_values(evaluation: Evaluation, task: str) -> list[str] | None:
    """Returns the values that the command line gives a task; None if it does not run it."""
    argv = evaluation.report.code.args
    words = [word.text or "" for word in argv[1:]]
    if not argv or argv[0].file_name != _RUNNER or not _WITHOUT_RUN.isdisjoint(words):
        return None
    for word in words:
        if (found := _NAMED_TASK.fullmatch(word)) is not None and found["name"] == task:
            return [value.strip() for value in (found["values"] or "").split(",") if value]
    is_default = task == "default" and all(word.startswith("-") or "=" in word for word in words)
    return [] if is_default or evaluation.called.get(f"{_NEEDED}{task}") else None


def _is_left_out(evaluation: Evaluation, task: str) -> bool:
    """Returns whether Rake does not run a task: the command line is known, nothing else in the file has the task's name, and no
    code of the file starts tasks."""
    code = evaluation.report.code
    is_known = bool(code.args) and code.args[0].file_name == _RUNNER and all(word.text is not None for word in code.args)
    text = code.code.text or "Rake::Task"
    is_named_once = len(re.findall(rf"(?<!\w){re.escape(task)}(?!\w)", text)) == 1
    return is_known and is_named_once and _STARTS_TASKS.search(text) is None


_STARTS_TASKS = re.compile(r"\bRake::Task\b|\bRake\.application\b|\.(?:invoke|execute|reenable)\b|\binclude\s+Rake")


def _with_namespaces(evaluation: Evaluation, names: list[str]) -> Iterator[str]:
    """Yields the full names that a name may mean: in this namespace, or at the top."""
    for name in names:
        yield name
        yield ":".join((*evaluation.report.namespaces, name))


@contextmanager
def _run_as_program(evaluation: Evaluation) -> Iterator[None]:
    evaluation.report.named_tasks += 1
    try:
        yield
    finally:
        evaluation.report.named_tasks -= 1


def _set_defaults(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`args.with_defaults(env: "test")`."""
    given = {key: value for key, value in arguments.named.items() if key != "block"}
    if not isinstance(receiver, Instance):
        return receiver
    unnamed = receiver.fields.get(_UNNAMED)
    values = unnamed.items if isinstance(unnamed, ListValue) else ()
    missing = [name for name in given if receiver.fields.get(name, NULL) is NULL]
    for n, name in enumerate(missing):
        evaluation.journal.put_field(receiver, name, values[n] if n < len(values) else given[name])
    return receiver


RAKE_CALLS: Mapping[str, SpecialCall] = {
    **dict.fromkeys(("task", "multitask", "Rake.Task.define_task"), _declare_task),
    "namespace": _open_namespace,
    "any.with_defaults": _set_defaults,
}
