"""Settings that JavaScript reads: the documents that parsers make of a text, and those of the package `config`."""

from __future__ import annotations

from collections.abc import Mapping

from toolgate.languages.evaluation.environment_files import find_environment_file, iter_paths, read_variables
from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.plain_documents import form_of_file, read_document
from toolgate.languages.evaluation.shared_results import content_of
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import Instance, ListValue, MapValue, ObjectValue, Unknown, Value, text_of, unknown_from
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import known_word

_SETTINGS = "config"
_ENDINGS = ("json", "json5", "yaml", "yml", "toml")
_ENVIRONMENT_MODULES = (
    *("dotenv/config", "dotenv/config.js", "dotenv/config.mjs", "dotenv-flow/config", "dotenv-safe/config"),
    *("@dotenvx/dotenvx/config", "bun/dotenv"),
)


def load_settings(evaluation: Evaluation, module: str) -> Value | None:
    """Returns the settings of a package that has them in files of the project; None for another package. Some packages set the
    variables of an environment file when they are loaded."""
    if module in _ENVIRONMENT_MODULES:
        evaluation.report.openings.load_environment_file(known_word(".env"))
    return _merge_settings(evaluation) if module == _SETTINGS else None


def _merge_settings(evaluation: Evaluation) -> Value | None:
    """Returns the settings in `config/`: the default ones, those of the environment and the local ones."""
    seen = evaluation.report.seen
    folder = _variable(seen, "NODE_CONFIG_DIR") or "./config"
    environment = _variable(seen, "NODE_CONFIG_ENV") or _variable(seen, "NODE_ENV") or "development"
    found = [
        made
        for name in ("default", environment, "local", f"local-{environment}")
        for ending in _ENDINGS
        for content in seen.read_alternatives(known_word(f"{folder}/{name}.{ending}"))
        if (made := read_document(evaluation, content, form_of_file(f".{ending}") or "json", make_array, ObjectValue)) is not None
    ]
    maps = [each for each in found if isinstance(each, MapValue)]
    if not maps:
        return None
    merged = ObjectValue()
    for each in maps:
        _merge_into(merged, each)
    return Instance(_SETTINGS, {str(key): value for key, value in merged.known_entries})


def _variable(seen: ExecutionContext, name: str) -> str:
    value = seen.get_variable(name)
    return (value.text or "") if value is not None else ""


def _merge_into(target: MapValue, other: MapValue) -> None:
    for key, value in other.known_entries:
        own = target.entries.get(key)
        if isinstance(own, MapValue) and isinstance(value, MapValue):
            _merge_into(own, value)
        else:
            target.entries[key] = value


def _get_setting(_evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`config.get("db.url")`: a setting by the names on the way to it."""
    name = text_of(arguments.positional[0]) if arguments.positional else None
    found: Value | None = receiver if name is not None else None
    for key in (name or "").split("."):
        entries = found.fields if isinstance(found, Instance) else found.entries if isinstance(found, MapValue) else {}
        found = entries.get(key)
    return Unknown("a setting") if found is None else found


def make_array(_kind: str, items: list[Value], rest: Value | None) -> ListValue:
    return ListValue("array", items, rest)


def _parser(form: str) -> SpecialCall:
    def parse_text(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
        text = arguments.positional[0] if arguments.positional else arguments.rest
        made = read_document(evaluation, text, form, make_array, ObjectValue)
        return unknown_from("a document", text) if made is None else made

    return parse_text


def _read_json(evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    """`Bun.file("c.json").json()`: a document that a file holds."""
    path = receiver.fields.get("path") if isinstance(receiver, Instance) else None
    evaluation.report.read(path)
    content = content_of(evaluation, path)
    return read_document(evaluation, content, "json", make_array, ObjectValue) or unknown_from("a document", content)


def _load_environment(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`dotenv.config({path})`: an object with the variables that the file sets. They have been loaded before."""
    file = next(iter(iter_paths(arguments)), None) or find_environment_file(evaluation, ".env")
    found = read_variables(evaluation, file)
    return ObjectValue((("parsed", ObjectValue(found.items())),)) if found else None


SETTINGS_CALLS: Mapping[str, SpecialCall] = {
    "file.json": _read_json,
    "config.get": _get_setting,
    **dict.fromkeys(("dotenv.config", "dotenv.configDotenv"), _load_environment),
    **dict.fromkeys(
        ("js-yaml.load", "js-yaml.safeLoad", "yaml.parse", "yamljs.parse", "Bun.YAML.parse", "@std/yaml.parse"), _parser("yaml")
    ),
    **dict.fromkeys(("toml.parse", "smol-toml.parse", "@iarna/toml.parse", "Bun.TOML.parse", "@std/toml.parse"), _parser("toml")),
    "ini.parse": _parser("ini"),
    **dict.fromkeys(("json5.parse", "jsonc-parser.parse", "comment-json.parse", "@std/jsonc.parse"), _parser("json")),
}
