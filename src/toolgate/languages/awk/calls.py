"""awk's functions, and what its output, input and fields do."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping

from toolgate.languages.evaluation import nodes
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
    collect_sources,
    holds_environment,
    list_alternatives,
    text_of,
    unknown_from,
    word_of,
    words_of,
)
from toolgate.languages.scripting import texts
from toolgate.languages.scripting.library import pairs_of
from toolgate.languages.scripting.reading import line_of_input
from toolgate.languages.scripting.words import print_values, shell_line
from toolgate.model.word import Word, known_word, unknown_word

from .expressions import UNUSUAL_FIELDS

_STANDARD_STREAMS = ("/dev/stdout", "/dev/stderr", "-", "/dev/fd/1", "/dev/fd/2")
_NETWORK_FILE = re.compile(r"/inet[46]?/(?:tcp|udp)/[^/]*/([^/]*)(?:/(.*))?")
_PLAIN_COMMAND = re.compile(r"[\w./@%+=:-]+(?: +[\w./@%+=:-]+)*")
_LONGEST_INPUT = 20_000
_BLANKS = re.compile(r"[ \t\n]+")


def _first(arguments: Arguments) -> Value:
    return arguments.positional[0] if arguments.positional else known_word("")


# ---- output


def _print(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return print_values(evaluation, ListValue("array", arguments.positional))


def _print_to(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Evaluates `print data > target`, `print data | command`."""
    mode, target, data = arguments.positional
    for each in words_of(target):
        if (text_of(mode) or "").startswith("|"):
            if not _connect(evaluation, each, data):
                _feed_command(evaluation, each, data)
        elif each.text not in _STANDARD_STREAMS and not _connect(evaluation, each, data):
            evaluation.report.write(each, data, append=TRUE if text_of(mode) == ">>" else FALSE)
    return NULL


def _connect(evaluation: Evaluation, file: Word, *sent: Value) -> bool:
    """Opens the connection that gawk takes a file of the form `/inet/tcp/0/host/port` for. Returns whether it is one."""
    found = _NETWORK_FILE.match(file.head)
    if found is None:
        return False
    evaluation.called["inet"] = evaluation.called.get("inet", 0) + 1
    evaluation.report.connect(known_word(f"{found[1]}:{found[2]}") if file.text else file, *sent)
    return True


def _feed_command(evaluation: Evaluation, command: Word, data: Value) -> None:
    """Starts a command with everything that was printed to it so far as its input."""
    pipes = evaluation.evaluate(nodes.Name("open pipes"))
    if not isinstance(pipes, MapValue):
        pipes = evaluation.top.variables["open pipes"] = MapValue()
    before = pipes.entries.get(command.text, known_word("")) if command.text else known_word("")
    fed = word_of(evaluation.concatenate([before, data]))
    if not evaluation.is_certain or len(fed.head) > _LONGEST_INPUT:
        fed = fed if fed.text is None else word_of(data)
    evaluation.put_entry(pipes, command, fed)
    if _PLAIN_COMMAND.fullmatch(command.text or ""):
        argv = ListValue("array", map(known_word, (command.text or "").split()))
        evaluation.report.run(argv, FALSE, None, fed)
    elif command.text is not None and fed.text is not None:
        evaluation.report.shell(known_word(f"printf %s {shlex.quote(fed.text)} | {{ {command.text}\n}}", command.src | fed.src))
    else:
        shell_line(evaluation, command)


# ---- input


def _input_records(evaluation: Evaluation, _receiver: Value | None, _arguments: Arguments) -> Value | None:
    """Returns the records: each line of a known standard input, or an unknown one."""
    line = _line_of_input(evaluation)
    lines = list_alternatives(line)
    if all(isinstance(each, Word) and each.text is not None for each in lines):
        return ListValue("iterator", lines)
    return ListValue("iterator", (), line)


def _line_of_input(evaluation: Evaluation) -> Value:
    """Returns a record, which is a line unless RS says otherwise."""
    if text_of(evaluation.evaluate(nodes.Name("RS"))) != "\n":
        return evaluation.report.unknown_output("a record")
    return line_of_input(evaluation.report)


def _read_record(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Evaluates `getline`, `getline < file`, `command | getline`."""
    mode, source = arguments.positional
    found: list[Value] = []
    for each in words_of(source):
        if text_of(mode) == "":
            found.append(_line_of_input(evaluation))
        elif _connect(evaluation, each):
            found.append(evaluation.report.response())
        elif text_of(mode) == "|":
            found.append(shell_line(evaluation, each))
        elif each.text != "-":
            evaluation.report.read(each)
            content = content_of(evaluation, each)
            found.append(unknown_word("a line", collect_sources(content)))
    return evaluation.join_values(*found) if found else _line_of_input(evaluation)


def _include(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    evaluation.report.interpret_file(_first(arguments))
    return NULL


def _run_command(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    shell_line(evaluation, _first(arguments))
    return Unknown("a number")


# ---- fields


def _field(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns a field of the record, where blanks separate them."""
    record = evaluation.evaluate(nodes.Name("$0"))
    at = texts.plain_value(_first(arguments))
    found: list[Value] = []
    for each in words_of(record):
        parts = _fields_of(evaluation, each)
        if parts is None or not isinstance(at, int):
            held = evaluation.read_index(_assigned_fields(evaluation), _first(arguments))
            found += [unknown_word("a field", each.src), *([held] if text_of(held) != "" else [])]
        else:
            found.append(each if at == 0 else known_word(parts[at - 1] if at <= len(parts) else "", each.src))
    return evaluation.join_values(*found)


def _fields_of(evaluation: Evaluation, record: Word) -> list[str] | None:
    """Returns the fields of a known record; None where they are unknown."""
    separator = text_of(evaluation.evaluate(nodes.Name("FS")))
    if record.text is None or separator is None or evaluation.evaluate(nodes.Name(UNUSUAL_FIELDS)) is TRUE:
        return None
    return _split(record.text, separator)


def _split(whole: str, separator: str) -> list[str] | None:
    if separator == " ":
        return [part for part in _BLANKS.split(whole) if part]
    if len(separator) == 1 and separator != "\\":
        return whole.split(separator) if whole else []
    return None


def _assigned_fields(evaluation: Evaluation) -> MapValue:
    """Returns the values that were assigned to fields and are no longer parts of the record's text."""
    fields = evaluation.evaluate(nodes.Name("assigned fields"))
    if not isinstance(fields, MapValue):
        fields = evaluation.top.variables["assigned fields"] = MapValue()
    return fields


def _with_field(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns the record after an assignment to one of its fields. From then on the fields are no longer parts of its text."""
    record, place, value = arguments.positional
    at = texts.plain_value(place)
    if at == 0:
        return value
    found: list[Value] = []
    for each in words_of(record):
        parts = _fields_of(evaluation, each)
        if parts is None or not isinstance(at, int) or not 0 < at <= 200:
            found.append(unknown_from("a record", record, value))
            continue
        fields: list[Value] = [known_word(part) for part in (*parts, *[""] * (at - len(parts)))]
        fields[at - 1] = value
        gap = evaluation.evaluate(nodes.Name("OFS"))
        found.append(evaluation.concatenate([part for field in fields for part in (gap, field)][1:]))
    separator = text_of(evaluation.evaluate(nodes.Name("FS")))
    if separator is None or _split(text_of(value) or "", separator) != [text_of(value)]:
        evaluation.put_entry(_assigned_fields(evaluation), place, value)
        evaluation.store(nodes.Name(UNUSUAL_FIELDS), TRUE)
    return evaluation.join_values(*found)


def _with_field_count(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns the record after an assignment to NF."""
    return unknown_from("a record", *arguments.positional)


# ---- texts and arrays


def _substitute(count: int) -> SpecialCall:
    """Returns a handler for `sub` (1) and `gsub` (-1)."""

    def call(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
        pattern, new, target = arguments.positional
        matched, replacement = texts.plain_value(pattern), text_of(new)
        if replacement is None or "&" in replacement or "\\" in replacement:
            is_plain = isinstance(matched, str) and replacement is not None and "\\" not in replacement
            new = known_word(replacement.replace("&", str(matched))) if is_plain and replacement else unknown_word("a text")
        return texts.replace_text(count)(evaluation, target, Arguments((pattern, new)))

    return call


def _pattern_of(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns the regular expression that a text is where one is expected."""
    value = _first(arguments)
    return Instance("pattern", {"source": value}) if isinstance(value, Word) else value


def _split_text(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if len(arguments.positional) < 2:
        return Unknown("a number")
    text, array, *more = arguments.positional
    separator = more[0] if more else evaluation.evaluate(nodes.Name("FS"))
    _clear(evaluation, None, Arguments((array,)))
    plain, gap = text_of(text), texts.plain_value(separator)
    parts = None if plain is None or not isinstance(gap, str) else _split(plain, gap)
    for each in list_alternatives(array):
        if isinstance(each, MapValue) and parts is not None:
            for n, part in enumerate(parts[:1000]):
                evaluation.put_entry(each, known_word(str(n + 1)), known_word(part, word_of(text).src))
        elif isinstance(each, MapValue):
            evaluation.put_entry(each, Unknown("a number"), unknown_word("a part", word_of(text).src))
    return Unknown("a number") if parts is None else Constant(len(parts))


def _fill_array(at: int) -> SpecialCall:
    """Returns a handler for a function that stores parts of its first argument into an array, given at this place."""

    def call(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
        first = _first(arguments)
        parts = pairs_of(evaluation, first) if isinstance(first, MapValue) else ListValue("array", (), first)
        held = [one for pair in parts.items if isinstance(pair, ListValue) for one in pair.items]
        value = evaluation.join_values(*held, unknown_word("a part", collect_sources(first)))
        for array in arguments.positional[at : at + 1] or arguments.positional[:1]:
            for each in list_alternatives(array):
                if isinstance(each, MapValue):
                    evaluation.put_entry(each, Unknown("a number"), value)
        return Unknown("a number")

    return call


def _clear(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    for each in list_alternatives(_first(arguments)):
        if isinstance(each, MapValue):
            for key in list(each.entries):
                evaluation.journal.remove_key(each.entries, key)
    return NULL


def _keys_of(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if holds_environment(_first(arguments)):
        return ListValue("iterator", (), unknown_word("the name of a variable"))
    pairs = pairs_of(evaluation, _first(arguments))
    rest = None if pairs.rest is None else unknown_word("a key")
    return ListValue("iterator", [pair.items[0] for pair in _iter_pairs(pairs)], rest)


def _iter_pairs(pairs: ListValue) -> Iterator[ListValue]:
    yield from (each for each in pairs.items if isinstance(each, ListValue))


def _subscript(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns the key of an entry, always a text; SUBSEP separates several parts."""
    parts: list[Value] = []
    for each in arguments.positional:
        parts += [known_word("\x1c"), each] if parts else [each]
    return evaluation.concatenate(parts)


def _substring(text: str, start: int, length: int | None = None) -> str:
    begin, end = max(1, start), len(text) + 1 if length is None else start + length
    return text[begin - 1 : max(0, end - 1)]


def _format(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    template = text_of(_first(arguments))
    if template is not None and "%c" in template and not evaluation.report.is_trusted:
        evaluation.report.operation("text.decode")
    return texts.format_text(evaluation, None, arguments)


def _to_integer(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    value = _first(arguments)
    is_number = isinstance(value, Constant) and isinstance(value.value, int | float)
    return Constant(int(value.value)) if is_number else unknown_from("a number", value)  # type: ignore[union-attr, arg-type]


def _find_function(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns the function that a variable names (gawk's `@name()`)."""
    name = text_of(_first(arguments))
    if name is not None:
        return evaluation.evaluate(nodes.Name(name))
    if not evaluation.report.is_trusted:
        evaluation.report.opaque("which function is called is computed")
    return Unknown("a function")


CALLS: Mapping[str, SpecialCall] = {
    "print": _print,
    "print to": _print_to,
    "input records": _input_records,
    "read record": _read_record,
    "include": _include,
    "system": _run_command,
    "field": _field,
    "with field": _with_field,
    "with field count": _with_field_count,
    "sub": _substitute(1),
    "gsub": _substitute(-1),
    "gensub": lambda _evaluation, _receiver, arguments: unknown_from("a replaced text", *arguments.positional),
    "pattern of": _pattern_of,
    "split": _split_text,
    "patsplit": _fill_array(1),
    "asort": _fill_array(1),
    "asorti": _fill_array(1),
    "match": _fill_array(2),
    "clear": _clear,
    "keys of": _keys_of,
    "subscript": _subscript,
    "substr": texts.on_argument(texts.text_method(_substring)),
    "tolower": texts.on_argument(texts.text_method(str.lower, "same")),
    "toupper": texts.on_argument(texts.text_method(str.upper, "same")),
    "length": texts.on_argument(texts.length_of),
    "sprintf": _format,
    "int": _to_integer,
    "strtonum": _to_integer,
    "function named": _find_function,
    "record matches": lambda *_: Unknown("a test"),
    "unknown test": lambda *_: Unknown("a test"),
    "unknown number": lambda *_: Unknown("a number"),
}
