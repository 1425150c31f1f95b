"""Documents that Go decodes into its values: `json.Unmarshal(data, &c)`, `yaml.NewDecoder(f).Decode(&c)`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.plain_documents import fold_name, form_of_file, read_document
from toolgate.languages.evaluation.shared_results import content_of
from toolgate.languages.evaluation.values import (
    NULL,
    Constant,
    Instance,
    ListValue,
    MapValue,
    Unknown,
    Value,
    list_alternatives,
    text_of,
)
from toolgate.languages.scripting.documents import make_array
from toolgate.model.word import Word, known_word

from .streams import content_of_stream

if TYPE_CHECKING:
    from toolgate.languages.evaluation.shared_state import Arguments, Evaluation

DECODES = re.compile(r"Unmarshal(?:Strict|Exact|Read|WithOptions)?|Decode(?:File)?")
"""Names of functions and methods that fill the variable behind a pointer with a document."""
_FORM = re.compile(r"(?i)(json|ya?ml|toml)")
_DECODERS = ("json.NewDecoder", "yaml.NewDecoder", "toml.NewDecoder")


def _decode(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns a variable with what a document sets in it; None if the document is not known. Its arguments: the variable, the
    function's name, what it decodes, and the names of the fields of the file's types by those in documents."""
    target, function, source, names = arguments.positional
    document = _find_document(evaluation, text_of(function) or "", source)
    if not isinstance(document, MapValue | ListValue):
        return value_after_call(evaluation, target)
    fields = {str(key): text_of(value) or "" for key, value in names.known_entries} if isinstance(names, MapValue) else {}
    decoded = _rename(document, fields)
    found = list_alternatives(target)
    return evaluation.join_values(*(_merge(each, decoded) for each in found))


def _find_document(evaluation: Evaluation, function: str, source: Value) -> Value | None:
    if function.startswith("viper."):
        from .settings_libraries import find_settings

        return find_settings(evaluation)
    form, content = _find_source(evaluation, function, source)
    return read_document(evaluation, content, form, make_array) if form else None


def value_after_call(evaluation: Evaluation, value: Value) -> Value:
    """Returns what a variable holds after a call that got its address."""
    kept = [each for each in list_alternatives(value) if not isinstance(each, Constant) and not is_nothing(each)]
    if kept and all(isinstance(each, Instance) for each in kept):
        return value
    return evaluation.join_values(*kept, Unknown("a stored value"))


def is_nothing(value: Value) -> bool:
    """Returns whether a value is nothing, or an empty text or list."""
    return value is NULL or (isinstance(value, Word) and not value.parts) or (isinstance(value, ListValue) and not value.items)


def _find_source(evaluation: Evaluation, function: str, source: Value) -> tuple[str, Value | None]:
    """Returns the form of a document and its text."""
    if isinstance(source, Instance) and source.type == "decoder":
        return text_of(source.fields["form"]) or "", content_of_stream(evaluation, source.fields["source"])
    named = _FORM.search(function)
    form = named[1].lower().replace("yml", "yaml") if named is not None else ""
    if function.endswith("DecodeFile"):
        return form or form_of_file(text_of(source) or ""), content_of(evaluation, source)
    return form, content_of_stream(evaluation, source)


def _rename(value: Value, fields: Mapping[str, str]) -> Value:
    """Returns a document whose keys are the names of fields."""
    if isinstance(value, MapValue):
        entries: dict[object, Value] = {}
        for key, each in value.known_entries:
            inner = _rename(each, fields)
            entries[key] = inner
            entries[fields.get(fold_name(str(key)), key)] = inner
        return MapValue(entries.items(), value.rest)
    if isinstance(value, ListValue):
        return ListValue(value.kind, tuple(_rename(each, fields) for each in value.items), value.rest)
    return value


def _merge(target: Value, decoded: Value) -> Value:
    """Returns a variable with a document's settings; those that it does not name keep their values."""
    if not isinstance(decoded, MapValue):
        return decoded
    named = dict(decoded.known_entries)
    if isinstance(target, Instance):
        return Instance(target.type, target.fields | {str(key): each for key, each in named.items()}, target.text, target.cls)
    if isinstance(target, MapValue):
        return MapValue((dict(target.known_entries) | named).items(), target.rest)
    return decoded


def _make_decoder(form: str) -> SpecialCall:
    def call(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
        source = arguments.positional[0] if arguments.positional else None
        return None if source is None else Instance("decoder", {"source": source, "form": known_word(form)})

    return call


CALLS: Mapping[str, SpecialCall] = {
    "decoded value": _decode,
    **{name: _make_decoder(name.partition(".")[0]) for name in _DECODERS},
}
