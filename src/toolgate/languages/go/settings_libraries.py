"""Go's libraries for settings and tables in files: viper, ini and the standard library's CSV; the lines that a scanner reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.path_words import join_paths
from toolgate.languages.evaluation.plain_documents import fold_name, form_of_file, read_document
from toolgate.languages.evaluation.shared_results import content_of
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.text_records import join_lines, read_rows
from toolgate.languages.evaluation.values import NULL, Instance, ListValue, MapValue, Unknown, Value, text_of, word_of
from toolgate.languages.scripting.documents import make_array
from toolgate.model.word import Word, known_word

from .streams import content_of_stream

_ENDINGS = ("yaml", "yml", "json", "toml", "ini")


# ---- lines and tables


def _scan_line(evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    """Returns a line of a stream: one of those of a text that is known."""
    return NULL if receiver is None else join_lines(evaluation, content_of_stream(evaluation, receiver))


def _open_table(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return Instance("csv.Table", {"source": arguments.positional[0]}) if arguments.positional else None


def _read_rows(evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    if not isinstance(receiver, Instance):
        return None
    content = content_of_stream(evaluation, receiver.fields["source"])
    return read_rows(content, "array") or content


def _read_row(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    rows = _read_rows(evaluation, receiver, arguments)
    return evaluation.join_values(*rows.items) if isinstance(rows, ListValue) and rows.items else rows


# ---- viper


def _name_settings(field: str) -> SpecialCall:
    def call(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
        if arguments.positional:
            evaluation.report.openings.settings[field] = word_of(arguments.positional[0])
        return NULL

    return call


def find_settings(evaluation: Evaluation) -> Value | None:
    """Returns the document that viper reads; None if it is not known."""
    given = evaluation.report.openings.settings
    for file in _list_files(evaluation, given):
        form = form_of_file(file.tail) or (given["type"].text or "" if "type" in given else "")
        document = read_document(evaluation, content_of(evaluation, file), form, make_array) if form else None
        if document is not None:
            return document
    return None


def _list_files(evaluation: Evaluation, given: Mapping[str, Word]) -> Iterator[Word]:
    if "file" in given:
        yield given["file"]
    elif "name" in given:
        for ending in _ENDINGS:
            yield word_of(join_paths(evaluation, given.get("folder", known_word(".")), given["name"] + known_word(f".{ending}")))


def _read_settings(evaluation: Evaluation, _receiver: Value | None, _arguments: Arguments) -> Value | None:
    for file in _list_files(evaluation, evaluation.report.openings.settings):
        evaluation.report.read(file)
        break
    return Unknown("an error")


def _get_setting(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    key = text_of(arguments.positional[0]) if arguments.positional else None
    document = find_settings(evaluation)
    if key is None or document is None:
        return Unknown("a setting")
    value: Value | None = document
    for part in key.split("."):
        value = _find_entry(value, part)
    return Unknown("a setting") if value is None else value


def _find_entry(value: Value | None, key: str) -> Value | None:
    """Returns the entry of a document by a key in any case."""
    if not isinstance(value, MapValue):
        return None
    return next((each for name, each in value.known_entries if fold_name(str(name)) == fold_name(key)), None)


def _all_settings(evaluation: Evaluation, _receiver: Value | None, _arguments: Arguments) -> Value | None:
    return find_settings(evaluation) or Unknown("settings")


# ---- ini


def _load_ini(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    path = arguments.positional[0] if arguments.positional else None
    evaluation.report.read(path)
    document = read_document(evaluation, content_of(evaluation, path), "ini", make_array)
    return Instance("ini.Part", {"document": document or Unknown("settings")})


def _open_part(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`file.Section(name)`, `section.Key(name)`. The section without a name is the file's beginning."""
    name = text_of(arguments.positional[0]) if arguments.positional else None
    if name is None or not isinstance(receiver, Instance):
        return None
    document = receiver.fields["document"]
    return Instance("ini.Part", {"document": (_find_entry(document, name) if name else document) or Unknown("a setting")})


def _value_of_part(_evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    return receiver.fields["document"] if isinstance(receiver, Instance) else None


_GETTERS = ("GetString", "GetStringSlice", "GetBool", "Get", "GetStringMap", "GetStringMapString")
CALLS: Mapping[str, SpecialCall] = {
    **dict.fromkeys(("?.Text", "?.ReadString"), _scan_line),
    "csv.NewReader": _open_table,
    "csv.Table.ReadAll": _read_rows,
    "csv.Table.Read": _read_row,
    "viper.SetConfigFile": _name_settings("file"),
    "viper.SetConfigName": _name_settings("name"),
    "viper.SetConfigType": _name_settings("type"),
    "viper.AddConfigPath": _name_settings("folder"),
    **dict.fromkeys(("viper.ReadInConfig", "viper.MergeInConfig"), _read_settings),
    **{f"viper.{name}": _get_setting for name in _GETTERS},
    "viper.AllSettings": _all_settings,
    **dict.fromkeys(("ini.Load", "ini.LooseLoad"), _load_ini),
    **dict.fromkeys(("ini.Part.Section", "ini.Part.Key"), _open_part),
    **dict.fromkeys(("ini.Part.String", "ini.Part.Value", "ini.Part.MustString"), _value_of_part),
}
