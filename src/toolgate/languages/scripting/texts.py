"""Text methods; the result is known where the text and the arguments are known."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable

from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.plain_patterns import LONGEST_TEXT, compile_pattern
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.text_methods import call_with_alternatives
from toolgate.languages.evaluation.values import (
    FALSE,
    NULL,
    TRUE,
    Constant,
    Instance,
    ListValue,
    Unknown,
    Value,
    collect_sources,
    text_of,
    unknown_from,
    word_of,
    words_of,
)
from toolgate.model.word import Word, encoded_word, known_word, unknown_word

_LONGEST = 100_000


def plain_value(value: Value) -> object:
    """Returns the plain value of an argument, or `...` if unknown. A pattern without metacharacters is its text."""
    if isinstance(value, Constant):
        return int(value.value) if isinstance(value.value, float) and value.value.is_integer() else value.value
    if isinstance(value, Instance) and value.type == "pattern":
        source = text_of(value.fields.get("source"))
        bare = re.sub(r"\\([^\w\s])", r"\1", source) if source is not None else None
        is_plain = source is not None and re.fullmatch(r"(?:[\w\s/:@,;=<>!\"'#%&~-]|\\[^\w\s])+", source) is not None
        return bare if is_plain else ...
    return value.text if isinstance(value, Word) and value.text is not None else ...


def text_method(method: Callable[..., object], unknown_gives: str = "text") -> SpecialCall:
    """Returns a handler for a text method.

    `unknown_gives` is the kind of an unknown result: `same`, `text`, `list`, `number`, `test`.
    """

    def call_plain(_evaluation: Evaluation, text: Word, arguments: list[Value]) -> Value:
        plain = [plain_value(each) for each in arguments]
        src = collect_sources(text, *arguments)
        is_long = len(text.head) > _LONGEST or any(isinstance(each, int) and abs(each) > _LONGEST for each in plain)
        if text.text is None or ... in plain or is_long:
            return _unknown_result(unknown_gives, text, src)
        try:
            return value_of_plain(method(text.text, *plain), src)
        except (TypeError, ValueError, IndexError):
            return unknown_from("a text", text, *arguments)

    return call_with_alternatives("a text", call_plain)


def _unknown_result(gives: str, text: Word, src: frozenset[int]) -> Value:
    match gives:
        case "same":
            return text
        case "list":
            return ListValue("array", (), encoded_word(f"a part of {text.display_text[:40]}", text, src))
        case "number":
            return Unknown("a number", src=src)
        case "test":
            return Unknown("a test")
        case _:
            return encoded_word(f"text out of {text.display_text[:40]}", text, src)


def value_of_plain(plain: object, src: frozenset[int]) -> Value:
    if isinstance(plain, bool):
        return TRUE if plain else FALSE
    if isinstance(plain, str):
        return known_word(plain, src)
    if isinstance(plain, list):
        items = [value_of_plain(each, src) for each in plain[:1000]]
        return ListValue("array", items, None if len(plain) <= 1000 else unknown_word("a part", src))
    return Constant(plain)


def on_argument(special: SpecialCall, at: int = 0) -> SpecialCall:
    """Turns a method into a function of one argument: `strtolower($text)`, `array_map($function, $list)`."""

    def call(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
        if at >= len(arguments.positional):
            return None if arguments.rest is None else special(evaluation, arguments.rest, arguments._replace(rest=None))
        others = (*arguments.positional[:at], *arguments.positional[at + 1 :])
        return special(evaluation, arguments.positional[at], arguments._replace(positional=others))

    return call


def join_items(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """Joins the items of a list into one text with a separator."""
    if receiver is None:
        return None
    gap = arguments.positional[0] if arguments.positional and arguments.positional[0] is not NULL else known_word("")
    items, rest = evaluation.items_of(receiver)
    parts: list[Value] = []
    for n, each in enumerate(items):
        parts += [gap, each] if n else [each]
    if rest is not None:
        parts.append(encoded_word("more", word_of(rest), collect_sources(rest)))
    return evaluation.concatenate(parts) if parts else known_word("")


def format_text(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Evaluates `sprintf("%s/%d", ..)`."""
    if not arguments.positional or arguments.rest is not None:
        return None
    template = text_of(arguments.positional[0])
    if template is None:
        return unknown_from("a text", *arguments.positional)
    values = list(arguments.positional[1:])
    if len(values) == 1 and isinstance(values[0], ListValue) and values[0].rest is None:
        values = list(values[0].items)
    parts: list[Value] = []
    at = 0
    for each in re.finditer(r"%(?:(%)|(?:(\d+)\$)?(-?[0-9.+ ]*)([a-zA-Z]))", template):
        parts.append(known_word(template[at : each.start()]))
        at = each.end()
        if each[1]:
            parts.append(known_word("%"))
            continue
        value = (
            values[int(each[2]) - 1] if each[2] and int(each[2]) <= len(values) else values.pop(0) if values else known_word("")
        )
        parts.append(_format_text(value, each[3], each[4]))
    return evaluation.concatenate([*parts, known_word(template[at:])])


def _format_text(value: Value, flags: str, kind: str) -> Value:
    if not flags and kind in "sdiv":
        return value
    plain = plain_value(value)
    try:
        if isinstance(plain, int) and kind in "dxXoc":
            return known_word(f"%{flags}{kind}" % plain)
        if isinstance(plain, str) and kind == "s":
            return known_word(f"%{flags}s" % plain)
    except (ValueError, TypeError):
        pass
    return unknown_word("a formatted value", collect_sources(value))


def replace_text(count: int) -> SpecialCall:
    """Returns a handler that replaces one text with another, `count` times or everywhere (-1)."""

    def call(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
        if receiver is None or len(arguments.positional) < 2:
            return None
        return evaluation.join_values(
            *(replace_in_text(evaluation, text, *arguments.positional[:2]) for text in words_of(receiver))
        )

    def replace_in_text(evaluation: Evaluation, text: Word, old: Value, new: Value) -> Value:
        looked_for = plain_value(old)
        src = collect_sources(text, old, new)
        if callable_results(evaluation, new, src):
            return unknown_word("a replaced text", src)
        if isinstance(looked_for, str) and looked_for and isinstance(new, Word | Constant):
            if text.text is not None and looked_for not in text.text:
                return text
            if text.text is not None and count == 1:
                before, _, after = text.text.partition(looked_for)
                return known_word(before, src) + word_of(new) + known_word(after, src)
            if count != 1 and sum(part.count(looked_for) for part in text.parts if isinstance(part, str)) <= 64:
                return text.replace_known(looked_for, word_of(new))
        replaced = _replace_by_pattern(text, old, text_of(new), count)
        return unknown_word("a replaced text", src) if replaced is None else known_word(replaced, src)

    return call


def _replace_by_pattern(text: Word, old: Value, new: str | None, count: int) -> str | None:
    """Returns a text in which a simple pattern is replaced; None if one of them is not known."""
    pattern = compile_value(old)
    if pattern is None or text.text is None or len(text.text) > LONGEST_TEXT or new is None or {"\\", "$"} & set(new):
        return None
    return pattern.sub(lambda _: new, text.text, max(count, 0))


def compile_value(value: Value) -> re.Pattern[str] | None:
    """Returns a pattern of code; None for other values, and for one that is not simple."""
    if not isinstance(value, Instance) or value.type != "pattern":
        return None
    return compile_pattern(
        (text_of(value.fields.get("source")) or "").replace("\\A", "^").replace("\\z", "$").replace("\\Z", "$")
    )


def split_by_pattern(special: SpecialCall) -> SpecialCall:
    """Returns a handler that splits a text by a pattern, if its first argument is a simple one."""

    def call(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
        pattern = compile_value(arguments.positional[0]) if arguments.positional else None
        text = receiver.text if isinstance(receiver, Word) else None
        if pattern is None or text is None or len(text) > LONGEST_TEXT or plain_value(arguments.positional[0]) is not ...:
            return special(evaluation, receiver, arguments)
        return value_of_plain([part or "" for part in pattern.split(text)], collect_sources(receiver))

    return call


def callable_results(evaluation: Evaluation, function: Value, src: frozenset[int]) -> bool:
    """Returns whether a value is a function; if so, calls it with an unknown match."""
    from toolgate.languages.evaluation.values import Function, Reference

    if not isinstance(function, Function | Reference):
        return False
    evaluation.run_possibly(lambda: evaluation.call(function, Arguments((unknown_word("a match", src),))))
    return True


def decode_text(change: Callable[[str], str]) -> SpecialCall:
    """Returns a handler that decodes a text; encoded text is reported because a reader of the code cannot read it."""

    def call(evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
        report = evaluation.report
        if not report.is_trusted:
            report.operation("text.decode")
        found: list[Value] = []
        for each in words_of(receiver) if receiver is not None else ():
            src = each.src | report.own_command
            try:
                found.append(
                    known_word(change(each.text), src) if each.text is not None else encoded_word("decoded data", each, src)
                )
            except ValueError:
                found.append(unknown_word("decoded data", src))
        return evaluation.join_values(*found) if found else None

    return call


def from_base64(text: str) -> str:
    bare = re.sub(r"[^\w+/-]", "", text).replace("-", "+").replace("_", "/")
    return base64.b64decode(bare + "=" * (-len(bare) % 4)).decode("utf-8", "replace")


def from_hex(text: str) -> str:
    return bytes.fromhex(text).decode("utf-8", "replace")


def to_number(_evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    plain = plain_value(receiver) if receiver is not None else None
    base = plain_value(arguments.positional[0]) if arguments.positional else 10
    try:
        if isinstance(plain, str):
            found = re.match(r"\s*[-+]?\w+", plain)
            return Constant(int(found[0], base if isinstance(base, int) else 10) if found else 0)
        return Constant(int(plain))  # type: ignore[call-overload]
    except (TypeError, ValueError):
        return unknown_from("a number", receiver)


def length_of(_evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    if isinstance(receiver, Word) and receiver.text is not None:
        return Constant(len(receiver.text))
    if isinstance(receiver, ListValue) and receiver.rest is None:
        return Constant(len(receiver.items))
    return Unknown("a number")


def as_text(evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    return None if receiver is None else evaluation.join_values(*words_of(receiver))


def character_of(_evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    """Returns the character with a given code point."""
    plain = plain_value(receiver) if receiver is not None else None
    if isinstance(plain, int) and 0 <= plain < 0x110000:
        return known_word(chr(plain))
    return unknown_word("a character", collect_sources(receiver))


def expand_set(text: str) -> str:
    out, at = "", 0
    while at < len(text):
        if at + 2 < len(text) and text[at + 1] == "-":
            out += "".join(chr(code) for code in range(ord(text[at]), min(ord(text[at + 2]), ord(text[at]) + 256) + 1))
            at += 3
        else:
            out += text[at]
            at += 1
    return out


def translate_text(text: str, old: str, new: str = "") -> str:
    """Evaluates `tr`: maps each character of one set to that of another."""
    source, target = expand_set(old), expand_set(new)
    if old.startswith("^"):
        raise ValueError(old)
    table = {char: target[min(n, len(target) - 1)] if target else "" for n, char in enumerate(source)}
    return "".join(table.get(char, char) for char in text)
