"""Perl's text and pattern functions."""

from __future__ import annotations

import re
from collections.abc import Mapping

from toolgate.languages.evaluation import lists
from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    NULL,
    Constant,
    ListValue,
    Unknown,
    Value,
    collect_sources,
    join_all,
    list_alternatives,
    text_of,
    unknown_from,
)
from toolgate.languages.scripting import texts
from toolgate.languages.scripting.texts import text_method
from toolgate.model.word import Word, known_word, unknown_word

from . import list_functions

# ---- texts


def match_anything(_evaluation: Evaluation, _receiver: Value | None, _arguments: Arguments) -> Value | None:
    return Unknown("a test")


def substitute_pattern(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    text, pattern, new, modifiers = arguments.positional
    count = -1 if "g" in (text_of(modifiers) or "") else 1
    return texts.replace_text(count)(evaluation, text, Arguments((pattern, new)))


def transliterate(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    text, old, new, modifiers = arguments.positional
    flags = text_of(modifiers) or ""
    if set(flags) - {"r"}:
        return unknown_word("a changed text", collect_sources(text))
    new = new if text_of(new) else old
    return text_method(texts.translate_text)(evaluation, text, Arguments((old, new)))


def split_text(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Evaluates `split /,/, $text`."""
    if len(arguments.positional) < 2:
        return ListValue("list", (), unknown_word("a part", collect_sources(*arguments.all_values())))
    pattern, text = arguments.positional[:2]
    method = text_method(lambda value, by: value.split() if by == " " else list(value) if by == "" else value.split(by), "list")
    made = texts.split_by_pattern(method)(evaluation, text, Arguments((pattern,)))
    return (
        list_functions.as_list(made)
        if isinstance(made, ListValue)
        else ListValue("list", (), unknown_word("a part", collect_sources(text)))
    )


def join_list(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if not arguments.positional:
        return None
    gap, *items = arguments.positional
    return texts.join_items(evaluation, ListValue("list", items, arguments.rest), Arguments((gap,)))


def interpolate_list(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Interpolates an array into a text, its items joined by blanks."""
    return texts.join_items(evaluation, arguments.positional[0], Arguments((known_word(" "),)))


def repeat_value(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    value, count = arguments.positional
    if isinstance(value, ListValue):
        return evaluation.apply_operator("*", value, count)
    return text_method(lambda text, times: text * times)(evaluation, value, Arguments((count,)))


def make_range(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    low, high = (texts.plain_value(each) for each in arguments.positional)
    if isinstance(low, int) and isinstance(high, int) and high - low < 1000:
        return ListValue("list", [Constant(n) for n in range(low, high + 1)])
    if isinstance(low, str) and isinstance(high, str) and len(low) == len(high) == 1:
        return ListValue("list", [known_word(chr(n)) for n in range(ord(low), ord(high) + 1)])
    return ListValue("list", (), unknown_from("an item", *arguments.positional))


def reverse_values(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Reverses a list, or the characters of a single text."""
    if (
        len(arguments.positional) == 1
        and arguments.rest is None
        and any(isinstance(each, Word) for each in list_alternatives(arguments.positional[0]))
    ):
        return evaluation.map_alternatives(arguments.positional[0], _reversed_or_not)
    return list_functions.as_list(lists.reverse_copy(evaluation, list_functions.list_of_arguments(arguments), Arguments()))


def _reversed_or_not(value: Value) -> Value:
    if not isinstance(value, Word):
        return value
    if value.text is None:
        return unknown_word("a text", value.src)
    return join_all((value, known_word(value.text[::-1], value.src))) or value


def pack_values(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    how = texts.plain_value(arguments.positional[0]) if arguments.positional else ...
    plain = [texts.plain_value(each) for each in arguments.positional[1:]]
    if isinstance(how, str) and how[:1] in "cCUW" and all(isinstance(each, int) for each in plain) and arguments.rest is None:
        return evaluation.concatenate(
            [texts.character_of(evaluation, each, Arguments()) or NULL for each in arguments.positional[1:]]
        )
    if isinstance(how, str) and how[:1] in "aA" and len(plain) == 1:
        return arguments.positional[1]
    change = texts.from_hex if isinstance(how, str) and how.startswith("H") else refuse_to_decode
    return texts.decode_text(change)(evaluation, arguments.positional[1] if plain else unknown_word("bytes"), Arguments())


def unpack_value(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    value = arguments.positional[1] if arguments.positional[1:] else unknown_word("bytes")
    return texts.decode_text(refuse_to_decode)(evaluation, value, Arguments())


def refuse_to_decode(text: str) -> str:
    raise ValueError(text)


def _cut_substring(text: str, start: int, length: int | None = None, *_: object) -> str:
    begin = max(0, len(text) + start) if start < 0 else start
    rest = text[begin:]
    return rest if length is None else rest[:length]


def number_in_digits(base: int) -> SpecialCall:
    """Returns a handler for `hex` or `oct`; unknown digits are reported as encoded text."""
    known_digits = text_method(lambda text: int(text, 16 if text[:2].lower() == "0x" else base), "number")

    def call(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
        if (receiver is None or text_of(receiver) is None) and not evaluation.report.is_trusted:
            evaluation.report.operation("text.decode")
        return known_digits(evaluation, receiver, arguments)

    return call


TEXTS: Mapping[str, SpecialCall] = {
    "lc": text_method(str.lower, "same"),
    "uc": text_method(str.upper, "same"),
    "lcfirst": text_method(lambda text: text[:1].lower() + text[1:]),
    "ucfirst": text_method(lambda text: text[:1].upper() + text[1:]),
    "chomp": text_method(lambda text: text.removesuffix("\n"), "same"),
    "chop": text_method(lambda text: text[:-1]),
    "substr": text_method(_cut_substring),
    "quotemeta": text_method(lambda text: re.sub(r"(\W)", r"\\\1", text)),
    "ord": text_method(lambda text: ord(text[0]), "number"),
}
