"""Settings that libraries take from variables and their files: `env.bool("APPLY")`, `config("URL", default="")`, and classes of
pydantic whose fields are variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from toolgate.languages.evaluation.django_settings import find_settings_module
from toolgate.languages.evaluation.environment_files import find_environment_file, read_variables
from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    NULL,
    ClassValue,
    Constant,
    Instance,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    list_alternatives,
    text_of,
    unknown_from,
    unknown_of_kind,
)
from toolgate.model.word import HoleKind, known_word

from .ini_files import parse_ini, read_number, read_truth

_FILE = ".env"
_DJANGO_SETTINGS = "django.conf.settings."
_ENV_TYPES = ("environ.Env", "environs.Env", "environs.env", "starlette.config.Config")
_TRUTHS, _NUMBERS = ("bool", "boolean", "BOOLEAN", "strtobool"), ("int", "float", "decimal")
_PLAIN = ("str", "url", "email", "path", "db_url", "cache_url", "search_url", "get_value", "enum", "log_level", "unicode")
_SETTINGS_CLASSES = ("pydantic_settings.BaseSettings", "pydantic.BaseSettings", "pydantic.env_settings.BaseSettings")
_MAX_BASES = 4


def _converter_of(kind: Value | None) -> Callable[[Value], Value]:
    """Returns what converts a variable's text, by the type that a call names: `cast=bool`."""
    name = kind.name if isinstance(kind, Reference) else text_of(kind) or "str"
    last = name.rpartition(".")[2]
    if last in _TRUTHS:
        return read_truth
    return read_number if last in _NUMBERS else _keep if last in ("str", "Secret", "URL") else _convert_unknown


def _keep(value: Value) -> Value:
    return value


def _convert_unknown(value: Value) -> Value:
    return unknown_from("a setting", value)


def _read_setting(evaluation: Evaluation, name: Value, default: Value | None, convert: Callable[[Value], Value]) -> Value:
    """Returns a variable's converted value, or the default where it is not known to be set."""
    value = evaluation.report.variable(name)
    if text_of(value) or default is None:
        return convert(value)
    made = evaluation.join_values(convert(value), default)
    evaluation.report.openings.likely.note_default(made, value, default)
    return made


# ---- objects that read variables


def _make_or_call(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`environ.Env(DEBUG=(bool, False))` makes an object; `env("DEBUG")` reads a variable with it."""
    if not isinstance(receiver, Instance):
        return Instance("environ.Env", {"schemes": MapValue(arguments.named.items())})
    schemes = receiver.fields.get("schemes")
    name = arguments.positional[0] if arguments.positional else None
    scheme = schemes.entries.get(text_of(name)) if isinstance(schemes, MapValue) and name is not None else None
    if name is None:
        return None
    kind, default = (*scheme.items, None)[:2] if isinstance(scheme, ListValue) and scheme.items else (scheme, None)
    given = arguments.named.get("default", arguments.positional[1] if len(arguments.positional) > 1 else default)
    return _read_setting(evaluation, name, given, _converter_of(arguments.named.get("cast", kind)))


def _typed_reader(convert: Callable[[Value], Value]) -> SpecialCall:
    def read(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
        if not arguments.positional:
            return None
        default = arguments.named.get("default", arguments.positional[1] if len(arguments.positional) > 1 else None)
        return _read_setting(evaluation, arguments.positional[0], default, convert)

    return read


def _read_database(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`env.db()`: the settings of a database, by its URL."""
    name = arguments.positional[0] if arguments.positional else known_word("DATABASE_URL")
    return MapValue((("url", _read_setting(evaluation, name, arguments.named.get("default"), _keep)),))


def _read_from_files(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`decouple.config("APPLY", default=False, cast=bool)`: a variable, an option of `settings.ini`, or one of `.env`."""
    name = text_of(arguments.positional[0]) if arguments.positional else None
    if name is None:
        return None
    convert = _converter_of(arguments.named.get("cast"))
    if text_of(known := evaluation.report.variable(known_word(name))):
        return convert(known)
    own = _read_option(evaluation, name) or read_variables(evaluation, find_environment_file(evaluation, _FILE)).get(name)
    return _read_setting(evaluation, known_word(name), arguments.named.get("default"), convert) if own is None else convert(own)


def _read_option(evaluation: Evaluation, name: str) -> Value | None:
    texts = evaluation.report.seen.read_alternatives(find_environment_file(evaluation, "settings.ini"))
    sections = parse_ini(texts[0].text) if len(texts) == 1 and texts[0].text else None
    options = (sections or {}).get("settings", {})
    return known_word(options[name.lower()]) if name.lower() in options else None


def _find_file(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    name = arguments.positional[0] if arguments.positional else arguments.named.get("filename", known_word(_FILE))
    return find_environment_file(evaluation, text_of(name) or _FILE)


def _read_all(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`dotenv_values(".env")`: the variables of a file, without setting them. Where the file is known, so is what becomes of each
    secret in it; that a file's code reads another one is its author's responsibility."""
    given = arguments.positional[0] if arguments.positional else arguments.named.get("dotenv_path", NULL)
    file = find_environment_file(evaluation, _FILE) if given is NULL else given
    found = read_variables(evaluation, file)
    if not found and not evaluation.report.is_trusted:
        evaluation.report.read(file)
    return MapValue(found.items()) if found else unknown_from("variables of a file", file)


def read_django_setting(evaluation: Evaluation, name: str) -> Value | None:
    """Returns a setting of a Django project (`django.conf.settings.DIGEST_TO`) from its module; None if it is not known."""
    setting = name.removeprefix(_DJANGO_SETTINGS)
    if setting == name or not setting.isupper():
        return None
    report = evaluation.report
    module = find_settings_module(report.code.args, report.openings.variables, report.seen)
    found = evaluation.load_module(module) if module else None
    return found.fields.get(setting) if isinstance(found, Instance) else None


# ---- classes whose fields are variables


def read_fields(evaluation: Evaluation, cls: ClassValue) -> dict[str, Value]:
    """Returns the fields that an object of a class takes from variables: those of pydantic's `BaseSettings`."""
    if not _is_settings(cls):
        return {}
    config = _settings_of(cls)
    prefix = text_of(config.get("env_prefix", NULL)) or ""
    given = config.get("env_file", NULL)
    files = given.items if isinstance(given, ListValue) else () if given is NULL else (given,)
    variables = {name.lower(): value for file in files for name, value in read_variables(evaluation, file).items()}
    found: dict[str, Value] = {}
    for name in cls.annotated:
        value = evaluation.report.variable(known_word(f"{prefix}{name}".upper()))
        if not text_of(value):
            value = variables.get(f"{prefix}{name}".lower(), value)
        if text_of(value) or evaluation.report.openings.likely.find_noted(value) is not None:
            found[name] = _convert_like(value, cls.fields.get(name))
        elif name not in cls.fields:
            found[name] = value
    return found


def _is_settings(cls: ClassValue, depth: int = _MAX_BASES) -> bool:
    for base in cls.bases if depth else ():
        if isinstance(base, Reference) and base.name in _SETTINGS_CLASSES:
            return True
        if isinstance(base, ClassValue) and _is_settings(base, depth - 1):
            return True
    return False


def _settings_of(cls: ClassValue) -> Mapping[str, Value]:
    """Returns where a class takes its fields from: `model_config = SettingsConfigDict(env_file=..)`, or `class Config`."""
    config = cls.fields.get("model_config", cls.fields.get("Config", NULL))
    if isinstance(config, ClassValue):
        return config.fields
    return {str(key): value for key, value in config.known_entries} if isinstance(config, MapValue) else {}


def _convert_like(value: Value, default: Value | None) -> Value:
    """Returns a variable's text as the type of a field's default."""
    kinds = {type(each.value) for each in list_alternatives(default or NULL) if isinstance(each, Constant)}
    if bool in kinds or (default is None and (text_of(value) or "").lower() in ("true", "false")):
        return read_truth(value)
    return read_number(value) if kinds & {int, float} else value


def _make_config(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return MapValue(arguments.named.items())


SETTINGS_CALLS: Mapping[str, SpecialCall] = {
    **dict.fromkeys(_ENV_TYPES, _make_or_call),
    **{f"{type_}.{name}": _typed_reader(read_truth) for type_ in _ENV_TYPES for name in _TRUTHS},
    **{f"{type_}.{name}": _typed_reader(read_number) for type_ in _ENV_TYPES for name in _NUMBERS},
    **{f"{type_}.{name}": _typed_reader(_keep) for type_ in _ENV_TYPES for name in _PLAIN},
    **{f"{type_}.{name}": _read_database for type_ in _ENV_TYPES for name in ("db", "dj_db_url")},
    **{f"{type_}.read_env": lambda _evaluation, _receiver, _arguments: Unknown("a number") for type_ in _ENV_TYPES},
    **{f"{type_}.dump": lambda _evaluation, _receiver, _arguments: unknown_of_kind(HoleKind.ENVIRONMENT) for type_ in _ENV_TYPES},
    "dj_database_url.config": _read_database,
    **dict.fromkeys(("decouple.config", "decouple.AutoConfig.config", "prettyconf.config"), _read_from_files),
    **dict.fromkeys(("dotenv.find_dotenv", "dotenv.main.find_dotenv"), _find_file),
    **dict.fromkeys(("dotenv.dotenv_values", "dotenv.main.dotenv_values"), _read_all),
    **dict.fromkeys(("pydantic_settings.SettingsConfigDict", "pydantic.ConfigDict"), _make_config),
}
