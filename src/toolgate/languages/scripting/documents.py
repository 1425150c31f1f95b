"""Settings that programs read: `YAML.load_file("db.yml")`, `parse_ini_file("db.ini", true)`, `decode_json($text)`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgate.languages.evaluation.plain_documents import form_of_file, read_document
from toolgate.languages.evaluation.shared_state import Evaluation
from toolgate.languages.evaluation.values import ListValue, Value, text_of, unknown_from

from .words import read_file


def parse_document(evaluation: Evaluation, text: Value | None = None, form: Value | None = None) -> Value:
    """Returns what a parser makes of a text. `form`: `json`, `yaml`, `toml` or `ini`."""
    made = read_document(evaluation, text, text_of(form) or "", make_array)
    return unknown_from("a document", text) if made is None else made


def load_document(evaluation: Evaluation, path: Value | None = None, form: Value | None = None) -> Value:
    """Returns what a parser makes of a file. Without a `form` it is the one of the file's name."""
    content = read_file(evaluation, path)
    kind = text_of(form) or form_of_file(text_of(path) or "") or "json"
    made = read_document(evaluation, content, kind, make_array)
    return unknown_from("a document", content, path) if made is None else made


def make_array(_kind: str, items: list[Value], rest: Value | None) -> ListValue:
    return ListValue("array", items, rest)


DOCUMENT_RESULTS: Mapping[str, Any] = {"document": parse_document, "load_document": load_document}
