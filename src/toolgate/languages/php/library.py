"""PHP's built-in constants, variables and types."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from toolgate.languages.evaluation.shared_results import content_of, database_call, response
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.text_records import any_line, read_rows, split_lines
from toolgate.languages.evaluation.values import (
    NULL,
    Constant,
    Function,
    Instance,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    list_alternatives,
    unknown_from,
    words_of,
)
from toolgate.languages.scripting.classes import part_of_class
from toolgate.languages.scripting.library import ScriptLibrary, is_beyond_end
from toolgate.languages.scripting.reading import line_of_input
from toolgate.languages.scripting.texts import decode_text
from toolgate.languages.scripting.words import open_file, read_file, send_to
from toolgate.model.effect import Interpret
from toolgate.model.word import Word, known_word, unknown_word

from .calls import CALLS, HARMFUL
from .evaluator import PhpEvaluator
from .tables import ROWS

_CONSTANTS = {"PHP_EOL": "\n", "DIRECTORY_SEPARATOR": "/", "PHP_BINARY": "php", "PATH_SEPARATOR": ":", "__FUNCTION__": "f"}
_SCHEMES = ("php://", "data:")


class PhpLibrary(ScriptLibrary):
    constructor = "__construct"
    assigns_outward = False
    concatenates = ("concatenated with",)

    def __init__(self) -> None:
        super().__init__(
            ROWS, {**CALLS, **dict.fromkeys(("curl_setopt", "curl_setopt_array"), _curl_set)}, HARMFUL, "globals", PHP_RESULTS
        )

    def canonicalize_name(self, name: str) -> str:
        return name.removeprefix("globals.")

    def find_builtin(self, evaluation: Evaluation, name: str) -> Value | None:
        if name.startswith("const "):
            return self._constant(evaluation, name.removeprefix("const "))
        match name:
            case "$argv":
                return evaluation.report.script_arguments()
            case "$_ENV" | "$_SERVER":
                return Instance("os.environ" if name == "$_ENV" else "$_SERVER")
            case "$_GET" | "$_POST" | "$_REQUEST" | "$_COOKIE" | "$_FILES":
                return unknown_word(name)
            case _ if name.startswith("$"):
                return Unknown(name)
            case _:
                return super().find_builtin(evaluation, name) or Reference(name, matters=False)

    def _constant(self, evaluation: Evaluation, name: str) -> Value:
        if name in _CONSTANTS:
            return known_word(_CONSTANTS[name])
        file = evaluation.report.code.file
        if name in ("__DIR__", "__FILE__"):
            return known_word((file.rpartition("/")[0] or ".") if name == "__DIR__" else file or "-")
        if name in ("STDIN", "STDOUT", "STDERR"):
            return Instance("file", {"path": NULL})
        return Unknown(name)

    def read_property(self, evaluation: Evaluation, owner: Value, name: str) -> Value | None:
        found = part_of_class(self, evaluation, owner, name)
        if found is not None:
            return found
        if isinstance(owner, MapValue):
            return owner.entries.get(name, owner.rest) or (NULL if evaluation.is_certain else Unknown(name))
        if isinstance(owner, Word) and not self.has_call(f"str.{name}"):
            assert isinstance(evaluation, PhpEvaluator)
            named = evaluation.class_named(owner)
            return unknown_from(name, owner) if isinstance(named, Word | Unknown) else evaluation.read_attribute(named, name)
        if isinstance(owner, Function) and name in ("call", "bindTo", "bind", "__invoke"):
            return Reference("call_user_func", None, (owner,)) if name == "__invoke" else Reference("same", owner)
        if isinstance(owner, Instance) and owner.cls is not None and name not in owner.fields:
            return self._call_missing(evaluation, owner, name)
        return super().read_property(evaluation, owner, name)

    def _call_missing(self, evaluation: Evaluation, owner: Instance, name: str) -> Value | None:
        """Calls `__get` or `__call` where a class does not define the name."""
        from toolgate.languages.evaluation.assignment_targets import find_in_class

        assert owner.cls is not None
        if find_in_class(owner.cls, name) is not None:
            return None
        if isinstance(getter := find_in_class(owner.cls, "__get"), Function):
            return evaluation.call(getter._replace(receiver=owner), Arguments((known_word(name),)))
        if isinstance(missing := find_in_class(owner.cls, "__call"), Function):
            return Reference("a missing method", missing._replace(receiver=owner), (known_word(name),))
        return None

    def read_index(self, evaluation: Evaluation, owner: Value, key: Value) -> Value | None:
        if isinstance(owner, Instance) and owner.type == "$_SERVER":
            names = [word.text for word in words_of(key)]
            return evaluation.join_values(
                *(
                    evaluation.report.script_arguments() if name == "argv" else evaluation.report.variable(known_word(name or ""))
                    for name in names
                )
            )
        if isinstance(owner, MapValue) and isinstance(key, Word) and key.text is not None and key.text.isdigit():
            return super().read_index(evaluation, owner, Constant(int(key.text))) or owner.entries.get(int(key.text))
        if isinstance(owner, ListValue) and isinstance(key, Word) and key.text is not None and key.text.isdigit():
            return evaluation.read_index(owner, Constant(int(key.text)))
        return NULL if is_beyond_end(owner, key) else super().read_index(evaluation, owner, key)

    def apply_operator(self, evaluation: Evaluation, operator: str, left: Value, right: Value) -> Value | None:
        if operator == "+" and isinstance(left, MapValue) and isinstance(right, MapValue):
            return MapValue({**right.entries, **left.entries}.items())
        return super().apply_operator(evaluation, operator, left, right)


def _variable_or_all(evaluation: Evaluation, name: Value | None = None) -> Value:
    return Instance("os.environ") if name is None or name is NULL else evaluation.report.variable(name)


def _put_variable(evaluation: Evaluation, assignment: Value | None = None) -> Value:
    for each in words_of(assignment) if assignment is not None else ():
        name, is_set, value = each.partition("=")
        if is_set and name.text is not None:
            evaluation.report.environment(name.text, value)
    return NULL


def _put_contents(evaluation: Evaluation, path: Value | None, data: Value | None = None) -> Value:
    for each in words_of(path) if path is not None else ():
        if any(each.starts_with(scheme) is True for scheme in ("http://", "https://", "ftp://")):
            send_to(evaluation, each, data)
        elif not any(each.starts_with(scheme) is True for scheme in _SCHEMES):
            evaluation.report.write(each, data)
    return NULL


def _copy_file(evaluation: Evaluation, source: Value | None, target: Value | None = None) -> Value:
    """Copies a file, or what a server answers: `copy("https://a.example/x.phar", "x.phar")`."""
    if any(each.starts_with(scheme) is True for each in words_of(source) for scheme in _REMOTE_SCHEMES) if source else False:
        return _put_contents(evaluation, target, read_file(evaluation, source))
    evaluation.report.copy(source, target)
    return NULL


_REMOTE_SCHEMES = ("http://", "https://")


def _open_file(evaluation: Evaluation, path: Value | None, mode: Value | None = None) -> Value:
    words = (
        [each for each in words_of(path) if not any(each.starts_with(scheme) is True for scheme in _SCHEMES)]
        if path is not None
        else []
    )
    return open_file(evaluation, evaluation.join_values(*words), mode) if words else Instance("file", {"path": NULL})


def _file_content(evaluation: Evaluation, file: Value | None = None) -> Value:
    path = file.fields.get("path") if isinstance(file, Instance) else None
    return content_of(evaluation, None if path is NULL else path)


def _any_row(evaluation: Evaluation, content: Value | None = None) -> Value:
    """Returns a row of a table that is read one row after another."""
    rows = read_rows(content, "array")
    return unknown_from("a row", content) if rows is None else evaluation.join_values(*rows.items)


def _entries(evaluation: Evaluation, value: Value | None = None) -> Value:
    """Returns the entries of a directory iterator: objects that also convert to text."""
    rest = evaluation.items_of(value)[1] if value is not None else None
    if rest is None:
        return ListValue("array")
    made = [Instance("entry", {"path": each}, each) for each in words_of(rest)]
    return ListValue("array", (), evaluation.join_values(*made))


def _curl(_evaluation: Evaluation, url: Value | None = None) -> Value:
    return Instance("curl", {"url": url if url is not None else NULL, "sent": NULL})


def _client(evaluation: Evaluation, options: Value | None = None) -> Value:
    """Returns a client of Guzzle. Its requests go to the base address, if it has one."""
    address = options.entries.get("base_uri") if isinstance(options, MapValue) else None
    if address is not None:
        evaluation.report.connect(address)
    return Instance("client")


def _curl_set(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Evaluates `curl_setopt($handle, CURLOPT_URL, ..)`: a value set may be the address or the payload."""
    handle = arguments.positional[0] if arguments.positional else NULL
    parts = [
        one for each in arguments.positional[1:] for one in (each.entries.values() if isinstance(each, MapValue) else [each])
    ]
    values = [value for each in parts for value in list_alternatives(each)]
    for value in values if isinstance(handle, Instance) else ():
        assert isinstance(handle, Instance)
        is_address = any("://" in word.head for word in words_of(value))
        field = "url" if is_address else "sent"
        before = handle.fields.get(field, NULL)
        evaluation.journal.put_field(
            handle, field, value if is_address or before is NULL else evaluation.join_values(before, value)
        )
    return NULL


def _curl_send(evaluation: Evaluation, handle: Value | None = None) -> Value:
    fields = handle.fields if isinstance(handle, Instance) else {}
    return send_to(evaluation, fields.get("url"), fields.get("sent")) if fields else response(evaluation)


def _unreadable(text: str) -> str:
    raise ValueError(text)


def delete_listed(evaluation: Evaluation) -> Value:
    """Reports the deletion of each record of a list whose length nobody knows: of all posts, of all users."""
    if evaluation.repeats:
        database_call(evaluation, known_word("database.delete"), known_word("everything that was listed"))
    return Unknown("a deleted record")


def change_listed(evaluation: Evaluation, record: Value | None = None) -> Value:
    """Reports the change of each record that a query has found, and not of objects that the code itself makes."""
    if evaluation.repeats and isinstance(record, Unknown):
        database_call(evaluation, known_word("database.delete"), known_word("each record of a query"))
    return unknown_from("save", record)


PHP_RESULTS: Mapping[str, Any] = {
    "delete_listed": delete_listed,
    "change_listed": change_listed,
    "variable_or_all": _variable_or_all,
    "put_variable": _put_variable,
    "put_contents": _put_contents,
    "copy_file": _copy_file,
    "open_file": _open_file,
    "file_content": _file_content,
    "lines": split_lines,
    "any_line": any_line,
    "any_row": _any_row,
    "file_entries": _entries,
    "client": _client,
    "curl": _curl,
    "curl_send": _curl_send,
    "decode": lambda evaluation, text=None: decode_text(_unreadable)(evaluation, text, Arguments()),
}


def bind_variables(evaluation: Evaluation, _code: Interpret) -> None:
    """Binds `$argn`, each line that `php -R` reads."""
    evaluation.top.variables["$argn"] = line_of_input(evaluation.report)


@lru_cache(1)
def library() -> PhpLibrary:
    return PhpLibrary()
