"""Go's functions of texts: of the packages `strings`, `strconv`, `fmt`, `bytes` and the encodings."""

from __future__ import annotations

import re
from collections.abc import Mapping

from toolgate.languages.evaluation.leaf_texts import text_with_variables
from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    Instance,
    ListValue,
    Unknown,
    Value,
    holds_environment,
    list_alternatives,
    text_of,
    unknown_from,
    word_of,
)
from toolgate.languages.scripting import texts
from toolgate.languages.scripting.texts import on_argument, text_method
from toolgate.model.word import HoleKind, Word, known_word, word_of_kind

from .streams import content_of_stream, pour


def _join(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if not arguments.positional:
        return None
    parts, gap = arguments.positional[0], Arguments(arguments.positional[1:2])
    if holds_environment(parts, 1):
        return word_of_kind(HoleKind.ENVIRONMENT, evaluation.report.own_command)
    return texts.join_items(evaluation, parts, gap)


def _format(evaluation: Evaluation, arguments: Arguments) -> Value:
    """Returns a text that `fmt` makes of a template and values."""
    if not arguments.positional:
        return known_word("")
    if any(holds_environment(each, 1) for each in arguments.all_values()):
        return word_of_kind(HoleKind.ENVIRONMENT, evaluation.report.own_command)
    form = text_of(arguments.positional[0])
    if form is None or arguments.rest is not None:
        return unknown_from("a text", *arguments.all_values())
    plain = re.sub(r"%[+#]?v", "%s", form).replace("%q", '"%s"')
    values = [word_of(each) if isinstance(each, ListValue) else each for each in arguments.positional[1:]]
    return texts.format_text(evaluation, None, Arguments((known_word(plain), *values))) or Unknown("a text")


def format_values(evaluation: Evaluation, form: Value | None, values: Value | None) -> Value:
    """Returns what `fmt.Printf` prints, as a list of the values that it prints."""
    items, rest = evaluation.items_of(values) if values is not None else ([], None)
    return ListValue("array", (_format(evaluation, Arguments((form or known_word(""), *items), {}, rest)), *items), rest)


def _sprintf(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return _format(evaluation, arguments)


def _put_together(evaluation: Evaluation, values: tuple[Value, ...], rest: Value | None, gap: str, end: str) -> Value:
    if any(holds_environment(each, 1) for each in (*values, *(() if rest is None else (rest,)))):
        return word_of_kind(HoleKind.ENVIRONMENT, evaluation.report.own_command)
    parts: list[Value] = []
    for n, each in enumerate(values):
        parts += [known_word(gap), each] if n and gap else [each]
    if rest is not None:
        parts.append(rest)
    return evaluation.concatenate([*parts, known_word(end)])


def _sprint(gap: str, end: str) -> SpecialCall:
    def call(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
        return _put_together(evaluation, arguments.positional, arguments.rest, gap, end)

    return call


def _fprint(gap: str, end: str) -> SpecialCall:
    """Returns a handler for `fmt.Fprint(stream, values..)`."""

    def call(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
        stream, *values = arguments.positional or (Unknown("a stream"),)
        return pour(evaluation, stream, _put_together(evaluation, tuple(values), arguments.rest, gap, end))

    return call


def _fprintf(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    stream, *values = arguments.positional or (Unknown("a stream"),)
    return pour(evaluation, stream, _format(evaluation, arguments._replace(positional=tuple(values))))


def _cut(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`before, after, found := strings.Cut(text, separator)`."""
    held, gap = (arguments.positional[0], text_of(arguments.positional[1])) if len(arguments.positional) > 1 else (None, None)
    if isinstance(held, Word) and held.text is not None and gap:
        before, _, after = held.text.partition(gap)
        return ListValue("values", (known_word(before, held.src), known_word(after, held.src), Unknown("a test")))
    part = unknown_from("a part of a text", held)
    return ListValue("values", (part, part, Unknown("a test")))


def _replacer(count: int) -> SpecialCall:
    def call(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
        if len(arguments.positional) < 3:
            return None
        return texts.replace_text(count)(evaluation, arguments.positional[0], Arguments(arguments.positional[1:3]))

    return call


def _split_path(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`folder, name := filepath.Split(path)`."""
    from toolgate.languages.evaluation.path_words import folder_of, last_part_of

    path = arguments.positional[0] if arguments.positional else None
    return ListValue("values", (folder_of(evaluation, path), last_part_of(evaluation, path)))


def _encode_values(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Encodes a value: the encoding of the environment, or of a secret, is still that."""
    values = [content_of_stream(evaluation, each) for each in arguments.positional]
    if any(holds_environment(each, 2) for each in values):
        return word_of_kind(HoleKind.ENVIRONMENT)
    return text_with_variables("encoded data", values[0]) if values else Unknown("encoded data")


def _encode_to_stream(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`json.NewEncoder(stream).Encode(value)`."""
    inner = receiver.fields.get("inner") if isinstance(receiver, Instance) else None
    return pour(evaluation, inner, _encode_values(evaluation, None, arguments))


def _is_part(test: str) -> SpecialCall:
    def call(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
        held, part = (
            (arguments.positional[0], text_of(arguments.positional[1])) if len(arguments.positional) > 1 else (None, None)
        )
        if part is None or held is None:
            return Unknown("a test")
        answers = {
            getattr(each.text, test)(part) if isinstance(each, Word) and each.text is not None else None
            for each in list_alternatives(held)
        }
        return text_truth(answers.pop()) if len(answers) == 1 else Unknown("a test")

    return call


def text_truth(answer: bool | None) -> Value:
    return Unknown("a test") if answer is None else texts.value_of_plain(answer, frozenset())


def _method(method: object, gives: str = "text") -> SpecialCall:
    return on_argument(text_method(method, gives))  # type: ignore[arg-type]


_STRINGS: Mapping[str, SpecialCall] = {
    **dict.fromkeys(("ToLower",), _method(str.lower, "same")),
    **dict.fromkeys(("ToUpper", "Title"), _method(str.upper, "same")),
    "TrimSpace": _method(str.strip, "same"),
    "TrimSuffix": _method(str.removesuffix, "same"),
    "TrimPrefix": _method(str.removeprefix, "same"),
    "Trim": _method(str.strip, "same"),
    "TrimLeft": _method(str.lstrip, "same"),
    "TrimRight": _method(str.rstrip, "same"),
    "Repeat": _method(lambda text, count: text * count),
    "Split": _method(lambda text, gap: text.split(gap) if gap else list(text), "list"),
    "SplitN": _method(lambda text, gap, count: text.split(gap, count - 1) if count > 0 else text.split(gap), "list"),
    "Fields": _method(str.split, "list"),
    "Replace": _replacer(-1),
    "ReplaceAll": _replacer(-1),
    "Join": _join,
    "Cut": _cut,
    "HasPrefix": _is_part("startswith"),
    "HasSuffix": _is_part("endswith"),
    "Contains": _is_part("__contains__"),
    **dict.fromkeys(("Index", "LastIndex", "Count", "IndexByte"), lambda *_: Unknown("a number")),
    **dict.fromkeys(("EqualFold", "ContainsAny", "ContainsRune"), lambda *_: Unknown("a test")),
}

CALLS: Mapping[str, SpecialCall] = {
    **{f"strings.{name}": special for name, special in _STRINGS.items()},
    **{f"bytes.{name}": special for name, special in _STRINGS.items()},
    "fmt.Sprintf": _sprintf,
    "fmt.Sprint": _sprint("", ""),
    "fmt.Sprintln": _sprint(" ", "\n"),
    "fmt.Fprintf": _fprintf,
    "fmt.Fprint": _fprint("", ""),
    "fmt.Fprintln": _fprint(" ", "\n"),
    **dict.fromkeys(("strconv.Itoa", "strconv.FormatInt"), on_argument(texts.as_text)),
    "strconv.Quote": _method(lambda text: f'"{text}"'),
    **dict.fromkeys(("filepath.Split", "path.Split"), _split_path),
    **dict.fromkeys(
        ("json.Marshal", "json.MarshalIndent", "xml.Marshal", "yaml.Marshal", "toml.Marshal", "gob.Encode", "proto.Marshal"),
        _encode_values,
    ),
    **dict.fromkeys(
        (
            *("base64.StdEncoding.EncodeToString", "base64.URLEncoding.EncodeToString", "base64.RawURLEncoding.EncodeToString"),
            *("base64.RawStdEncoding.EncodeToString", "hex.EncodeToString", "url.QueryEscape", "url.PathEscape"),
        ),
        _encode_values,
    ),
    "json.Encoder.Encode": _encode_to_stream,
    **dict.fromkeys(
        (
            *("base64.StdEncoding.DecodeString", "base64.URLEncoding.DecodeString", "base64.RawStdEncoding.DecodeString"),
            "base64.RawURLEncoding.DecodeString",
        ),
        on_argument(texts.decode_text(texts.from_base64)),
    ),
    "hex.DecodeString": on_argument(texts.decode_text(texts.from_hex)),
}
