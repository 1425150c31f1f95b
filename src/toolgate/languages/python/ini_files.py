"""Settings that Python reads with configparser: `cfg.read("app.ini")`, `cfg.getboolean("gc", "apply", fallback=False)`,
`cfg["db"]["url"]`."""

from __future__ import annotations

import configparser
from collections.abc import Callable, Mapping

from toolgate.languages.evaluation.default_values import find_known_text
from toolgate.languages.evaluation.library_files import report_named_file
from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.shared_results import content_of
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    FALSE,
    NULL,
    TRUE,
    Constant,
    Instance,
    ListValue,
    MapValue,
    Unknown,
    Value,
    list_alternatives,
    text_of,
    unknown_from,
    words_of,
)
from toolgate.model.word import Word, known_word

from .files import read_file

PARSER, SECTION = "configparser.ConfigParser", "configparser.SectionProxy"
_PARSERS = (
    PARSER,
    "configparser.RawConfigParser",
    "configparser.SafeConfigParser",
    "ConfigParser.ConfigParser",
    "SafeConfigParser",
)
_MAX_LENGTH = 64_000
_STEP_LENGTH = 16
"""Characters of a document that cost one step."""
_STATES = configparser.ConfigParser.BOOLEAN_STATES


def parse_ini(text: str) -> dict[str, dict[str, str]] | None:
    """Returns the sections of a document of Windows' format, each with the options of the default section; None if it is none."""
    parser = configparser.ConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
        return {section: _read_options(parser, section) for section in (*parser.sections(), parser.default_section)}
    except (configparser.Error, ValueError, RecursionError):
        return None


def _read_options(parser: configparser.ConfigParser, section: str) -> dict[str, str]:
    if section == parser.default_section:
        return {name: value or "" for name, value in parser.defaults().items()}
    try:
        found = parser.items(section)
    except (configparser.InterpolationError, ValueError):
        found = parser.items(section, raw=True)
    return {name: value or "" for name, value in found}


# ---- reading


def _make_parser(_evaluation: Evaluation, _receiver: Value | None, _arguments: Arguments) -> Value | None:
    return Instance(PARSER, {"sections": MapValue()})


def _add_sections(evaluation: Evaluation, parser: Value | None, content: Value | None) -> None:
    """Adds the sections of a text to a parser; any sections for one that is not known."""
    held = _sections_of(parser)
    if held is None or not isinstance(parser, Instance):
        return
    known = text_of(content) or ""
    is_known = text_of(content) is not None and len(known) <= _MAX_LENGTH
    src = content.src if isinstance(content, Word) else frozenset[int]()
    evaluation.work.spend_steps(len(known) // _STEP_LENGTH if is_known else 0)
    found = parse_ini(known) if is_known else None
    entries: dict[object, Value] = dict(held.entries)
    for section, options in (found or {}).items():
        earlier = entries.get(section)
        own: dict[object, Value] = dict(earlier.entries) if isinstance(earlier, MapValue) else {}
        own.update((name, known_word(value, src)) for name, value in options.items())
        entries[section] = MapValue(own.items())
    rest = None if found is not None else unknown_from("a section of settings", content)
    evaluation.journal.put_field(parser, "sections", MapValue(entries.items(), rest))


def _read_files(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`cfg.read(["base.ini", "local.ini"])`: files that do not exist are left out."""
    given = arguments.positional[0] if arguments.positional else arguments.named.get("filenames", Unknown("files"))
    files = list(given.items) if isinstance(given, ListValue) and given.rest is None else [given]
    report_named_file(evaluation.report, "read", Arguments(tuple(files)))
    for file in files:
        path = find_known_text(file)
        texts = evaluation.report.seen.read_alternatives(path) if path is not None else ()
        if texts or path is None:
            _add_sections(evaluation, receiver, content_of(evaluation, file))
    return ListValue("list", files)


def _read_open_file(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    content = read_file(evaluation, arguments.positional[0], Arguments()) if arguments.positional else None
    _add_sections(evaluation, receiver, content)
    return NULL


def _read_text(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    _add_sections(evaluation, receiver, arguments.positional[0] if arguments.positional else None)
    return NULL


# ---- options


def _sections_of(parser: Value | None) -> MapValue | None:
    held = parser.fields.get("sections") if isinstance(parser, Instance) else None
    return held if isinstance(held, MapValue) else None


def find_section(evaluation: Evaluation, parser: Instance, name: Value) -> Value | None:
    """Returns a section of a parser, or an option of a section: `cfg["db"]`, `section["url"]`."""
    if parser.type == SECTION:
        return _find_option(evaluation, parser, name, None)
    held = _sections_of(parser)
    found = None if held is None else evaluation.read_index(held, name)
    sections = list_alternatives(found or NULL)
    options = [each if isinstance(each, MapValue) else MapValue((), Unknown("an option")) for each in sections]
    return evaluation.join_values(*(Instance(SECTION, {"options": each}) for each in options))


def _find_option(evaluation: Evaluation, section: Value, name: Value, fallback: Value | None) -> Value:
    """Returns an option of a section, whose names count in small letters."""
    found: list[Value] = []
    for each in list_alternatives(section):
        options = each.fields.get("options") if isinstance(each, Instance) else None
        keys = [known_word(word.text.lower()) for word in words_of(name) if word.text is not None]
        if not isinstance(options, MapValue) or not keys:
            found.append(unknown_from("an option", section))
            continue
        for key in keys:
            is_missing = options.rest is None and key.text not in options.entries
            found.append(fallback if is_missing and fallback is not None else evaluation.read_index(options, key))
    return evaluation.join_values(*found)


def _option_reader(convert: Callable[[Value], Value]) -> SpecialCall:
    """Returns the call that reads an option of a section, or of a parser, and converts its text."""

    def read_option(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
        given = list(arguments.positional)
        if not isinstance(receiver, Instance):
            return None
        section: Value | None = receiver
        if receiver.type == PARSER:
            section = find_section(evaluation, receiver, given.pop(0)) if given else None
        if section is None or not given:
            return None
        fallback = arguments.named.get("fallback", given[1] if receiver.type == SECTION and len(given) > 1 else None)
        return evaluation.map_alternatives(_find_option(evaluation, section, given[0], fallback), convert)

    return read_option


def _keep(value: Value) -> Value:
    return value


def read_truth(value: Value) -> Value:
    """Returns the truth value that a text of settings spells: `yes`, `on`, `1`."""
    state = _STATES.get((text_of(value) or "").strip().lower())
    return value if isinstance(value, Constant) else Unknown("a truth value") if state is None else TRUE if state else FALSE


def read_number(value: Value) -> Value:
    text = text_of(value)
    try:
        return value if text is None else Constant(int(text) if text.strip().lstrip("+-").isdecimal() else float(text))
    except ValueError:
        return Unknown("a number")


def _list_sections(_evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    held = _sections_of(receiver)
    if held is None:
        return None
    names = [known_word(str(name)) for name, _ in held.known_entries if name != "DEFAULT"]
    return ListValue("list", names, None if held.rest is None else Unknown("a section"))


def _has_section(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    held = _sections_of(receiver)
    name = text_of(arguments.positional[0]) if arguments.positional else None
    return None if held is None or held.rest is not None or name is None else TRUE if name in held.entries else FALSE


def _list_items(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`cfg.items("aliases")`, `cfg["aliases"].items()`."""
    if not isinstance(receiver, Instance):
        return None
    if receiver.type == PARSER and not arguments.positional:
        return None
    section = find_section(evaluation, receiver, arguments.positional[0]) if receiver.type == PARSER else receiver
    options = section.fields.get("options") if isinstance(section, Instance) else None
    if not isinstance(options, MapValue):
        return None
    pairs = [ListValue("tuple", (known_word(str(name)), value)) for name, value in options.known_entries]
    return ListValue("list", pairs, None if options.rest is None else Unknown("an option"))


_READERS: Mapping[str, SpecialCall] = {
    "get": _option_reader(_keep),
    "getboolean": _option_reader(read_truth),
    "getint": _option_reader(read_number),
    "getfloat": _option_reader(read_number),
    "items": _list_items,
}
INI_CALLS: Mapping[str, SpecialCall] = {
    **dict.fromkeys(_PARSERS, _make_parser),
    f"{PARSER}.read": _read_files,
    **dict.fromkeys((f"{PARSER}.read_file", f"{PARSER}.readfp"), _read_open_file),
    f"{PARSER}.read_string": _read_text,
    f"{PARSER}.sections": _list_sections,
    f"{PARSER}.has_section": _has_section,
    **{f"{type_}.{name}": call for type_ in (PARSER, SECTION) for name, call in _READERS.items()},
}
