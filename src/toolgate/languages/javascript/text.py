"""Methods of text, and functions that make text."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from urllib.parse import quote as quote_url
from urllib.parse import unquote

from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.operators import concatenate_words
from toolgate.languages.evaluation.plain_patterns import LONGEST_TEXT, compile_pattern
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.text_methods import call_with_alternatives
from toolgate.languages.evaluation.values import (
    NULL,
    Constant,
    Function,
    Instance,
    ListValue,
    Reference,
    Unknown,
    Value,
    collect_sources,
    list_alternatives,
    text_of,
    unknown_from,
    word_of,
    words_of,
)
from toolgate.languages.scripting.texts import join_items
from toolgate.model.word import Word, encoded_word, join_words, known_word, part_word, unknown_word

_MAX_TEXT = 100_000
_CONSTANT_TEXTS = {None: "undefined", True: "true", False: "false"}


def as_word(value: Value) -> Value:
    """Returns a value as JavaScript converts it to text."""
    match value:
        case Constant(value=constant) if constant is None or isinstance(constant, bool):
            return known_word(_CONSTANT_TEXTS[constant])
        case Constant(value=float() as number) if number.is_integer():
            return known_word(str(int(number)))
        case ListValue() if value.rest is None:
            return join_words([word_of(as_word(each)) for each in value.items], ",")
        case ListValue():
            return unknown_word("a list", collect_sources(value))
        case _:
            return value


def _to_plain(value: Value) -> object:
    """Returns an argument as a Python value; `...` if it is unknown."""
    match value:
        case Constant(value=constant):
            return int(constant) if isinstance(constant, float) and constant.is_integer() else constant
        case Word() if value.text is not None:
            return value.text
        case _:
            return ...


Method = Callable[..., object]


def _slice_text(text: str, start: int = 0, end: int | None = None) -> str:
    return text[start:end]


def _take_substring(text: str, start: int = 0, end: int | None = None) -> str:
    low, high = sorted((max(0, start), len(text) if end is None else max(0, end)))
    return text[low:high]


def _take_substr(text: str, start: int = 0, length: int | None = None) -> str:
    begin = max(0, len(text) + start) if start < 0 else start
    return text[begin:] if length is None else text[begin : begin + length]


def _character_at(text: str, at: int = 0) -> str:
    return text[at] if -len(text) <= at < len(text) else ""


def _split_text(text: str, separator: str | None = None, limit: int | None = None) -> list[str]:
    parts = [text] if separator is None else text.split(separator) if separator else list(text)
    return parts[:limit]


def _pad_text(text: str, size: int, fill: str = " ", *, before: bool) -> str:
    missing = max(0, size - len(text))
    made = (fill * (missing // len(fill) + 1))[:missing] if fill else ""
    return made + text if before else text + made


_METHODS: dict[str, Method] = {
    "trim": str.strip,
    "trimEnd": str.rstrip,
    "trimStart": str.lstrip,
    "toLowerCase": str.lower,
    "toUpperCase": str.upper,
    "toLocaleLowerCase": lambda text, *_: text.lower(),
    "toLocaleUpperCase": lambda text, *_: text.upper(),
    "slice": _slice_text,
    "substring": _take_substring,
    "substr": _take_substr,
    "charAt": _character_at,
    "at": _character_at,
    "charCodeAt": lambda text, at=0: ord(text[at]),
    "codePointAt": lambda text, at=0: ord(text[at]),
    "split": _split_text,
    "padStart": lambda text, size, fill=" ": _pad_text(text, size, fill, before=True),
    "padEnd": lambda text, size, fill=" ": _pad_text(text, size, fill, before=False),
    "repeat": lambda text, count: text * count,
    "startsWith": lambda text, part, at=0: text.startswith(part, at),
    "endsWith": lambda text, part: text.endswith(part),
    "includes": lambda text, part, *_: part in text,
    "indexOf": lambda text, part, *_: text.find(part),
    "lastIndexOf": lambda text, part, *_: text.rfind(part),
    "replace": lambda text, old, new: text.replace(old, new, 1),
    "replaceAll": lambda text, old, new: text.replace(old, new),
}
_KEEPING_METHODS = frozenset(("trim", "trimEnd", "trimStart", "toLowerCase", "toUpperCase", "padStart", "padEnd"))
_TEST_METHODS = frozenset(("startsWith", "endsWith", "includes"))


def _make_method(name: str, method: Method) -> SpecialCall:
    def call_one(evaluation: Evaluation, text: Word, args: list[Value]) -> Value:
        if name.startswith("replace") and len(args) == 2:
            return _replace_text(evaluation, text, args, name)
        if name == "split" and len(args) == 1 and isinstance(args[0], Instance):
            return _split_by_pattern(text, args[0])
        plain = [_to_plain(each) for each in args]
        src = collect_sources(text, *args)
        is_long = len(text.head) > _MAX_TEXT or any(isinstance(each, int) and each > _MAX_TEXT for each in plain)
        if text.text is None or ... in plain or is_long:
            return _apply_to_unknown(name, text, plain, src)
        try:
            return _as_value(method(text.text, *plain), src)
        except (TypeError, ValueError, IndexError):
            return unknown_from(f"text.{name}()", text, *args)

    return call_with_alternatives(f"text.{name}()", call_one)


def _as_value(plain: object, src: frozenset[int]) -> Value:
    if isinstance(plain, str):
        return known_word(plain, src)
    if isinstance(plain, list):
        return ListValue(
            "array", [known_word(each, src) for each in plain[:1000]], None if len(plain) <= 1000 else unknown_word("a part", src)
        )
    return Constant(plain)


def _apply_to_unknown(name: str, text: Word, plain: list[object], src: frozenset[int]) -> Value:
    if name in _KEEPING_METHODS:
        return text
    argument = plain[0] if plain else None
    if name in _TEST_METHODS:
        if name == "startsWith" and isinstance(argument, str) and (answer := text.starts_with(argument)) is not None:
            return Constant(answer)
        return (
            Constant(True)
            if name == "endsWith" and isinstance(argument, str) and text.tail.endswith(argument)
            else Unknown("a test")
        )
    if name == "split":
        return ListValue("array", (), encoded_word(f"a part of {text.display_text[:40]}", text, src))
    if name in ("indexOf", "lastIndexOf", "charCodeAt", "codePointAt"):
        return Unknown("a number", src=src)
    if name in ("slice", "substring") and len(plain) == 1 and isinstance(argument, int) and 0 <= argument <= len(text.head):
        return text.drop_first(argument)
    if name in ("slice", "substring", "substr") and len(plain) == 2:
        return part_word(f"{text.display_text[:40]}.{name}()", text, 0 if name == "substr" else argument, plain[1], src)
    return encoded_word(f"{text.display_text[:40]}.{name}()", text, src)


def _replace_text(evaluation: Evaluation, text: Word, args: list[Value], name: str) -> Value:
    """Replaces a text by a text. The result of a function, or the match of a pattern, is unknown."""
    old, new = args
    src = collect_sources(text, old, new)
    if isinstance(new, Function | Reference):
        made = evaluation.call(new, Arguments(rest=unknown_word("a match", src)))
        return unknown_word("a replaced text", collect_sources(text, made))
    if isinstance(old, Word) and old.text and isinstance(new, Word | Constant):
        if text.text is not None and name == "replace":
            before, found, after = text.text.partition(old.text)
            return concatenate_words((known_word(before, src), word_of(new), known_word(after, src))) if found else text
        if sum(part.count(old.text) for part in text.parts if isinstance(part, str)) <= 64:
            return text.replace_known(old.text, word_of(new))
    pattern = _compile_pattern(old)
    if isinstance(old, Instance) and pattern is not None and text.text is not None and len(text.text) <= LONGEST_TEXT:
        if isinstance(new, Word) and new.text is not None and "$" not in new.text:
            count = 0 if name == "replaceAll" or "g" in (text_of(old.fields.get("flags")) or "") else 1
            return known_word(pattern.sub(lambda _: new.text or "", text.text, count), src)
        if pattern.search(text.text) is None:
            return text
    return encoded_word("a replaced text", text, src)


def _compile_pattern(value: Value) -> re.Pattern[str] | None:
    """Returns the pattern of a regular expression; None if it is not simple."""
    if not isinstance(value, Instance) or value.type != "RegExp":
        return None
    return compile_pattern(text_of(value.fields.get("source")) or "", text_of(value.fields.get("flags")) or "")


def _split_by_pattern(text: Word, separator: Instance) -> Value:
    pattern = _compile_pattern(separator)
    if pattern is None or text.text is None or len(text.text) > LONGEST_TEXT:
        return _apply_to_unknown("split", text, [], collect_sources(text, separator))
    return _as_value(pattern.split(text.text), text.src)


def return_text(evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    return None if receiver is None else evaluation.join_values(*(as_word(each) for each in list_alternatives(receiver)))


def as_text(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return return_text(evaluation, arguments.positional[0], arguments) if arguments.positional else known_word("")


def concatenate_texts(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    return None if receiver is None or arguments.rest is not None else evaluation.concatenate([receiver, *arguments.positional])


def join_texts(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`list.join(separator)`."""
    gap = arguments.positional[:1] if arguments.positional and arguments.positional[0] is not NULL else (known_word(","),)
    return join_items(evaluation, receiver, Arguments(tuple(gap)))


def join_raw_template(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`String.raw`: texts and values in turn."""
    return evaluation.concatenate(interleave_template(evaluation, arguments)) if arguments.positional else None


def interleave_template(evaluation: Evaluation, arguments: Arguments) -> list[Value]:
    """Returns the texts of a template with the values between them, as passed to its tag."""
    texts, _ = evaluation.items_of(arguments.positional[0])
    values = [
        *arguments.positional[1:],
        *([arguments.rest] * max(0, len(texts) - len(arguments.positional)) if arguments.rest else ()),
    ]
    parts: list[Value] = []
    for n, text in enumerate(texts):
        parts.append(text)
        if n < len(values) and n < len(texts) - 1:
            parts.append(values[n])
    return parts


def quote_word(word: Word) -> Word:
    """Quotes a value as `$` of zx, execa and Bun do: always as one word."""
    if word.text is None:
        return word.as_single_word()
    return known_word("'" + word.text.replace("'", "'\\''") + "'", word.src) if re.search(r"[^\w./:=@,+-]", word.text) else word


# ---- what is encoded


def decode_text(text: str, encoding: str) -> str | None:
    """Decodes a text; None if it is not valid in this encoding."""
    try:
        if encoding.startswith("base64"):
            bare = re.sub(r"[^\w+/-]", "", text).replace("-", "+").replace("_", "/")
            return base64.b64decode(bare + "=" * (-len(bare) % 4)).decode("utf-8", "replace")
        if encoding == "hex":
            return bytes.fromhex(text).decode("utf-8", "replace")
    except ValueError:
        return None
    return text


def _decode_value(evaluation: Evaluation, value: Value, encoding: str) -> Value:
    report = evaluation.report
    if not report.is_trusted:
        report.operation("text.decode")
    src = collect_sources(value) | report.own_command
    text = text_of(value)
    made = decode_text(text, encoding) if text is not None else None
    return known_word(made, src) if made is not None else unknown_word("decoded data", src)


def _from_base64(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return _decode_value(evaluation, arguments.positional[0], "base64") if arguments.positional else None


def make_buffer(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`Buffer.from(text, encoding)`, `Buffer.from(bytes)`: the decoded text."""
    if not arguments.positional:
        return None
    value = arguments.positional[0]
    encoding = text_of(arguments.positional[1]) if len(arguments.positional) > 1 else ""
    if encoding and encoding.startswith(("base64", "hex")):
        return evaluation.map_alternatives(value, lambda each: _decode_value(evaluation, each, encoding))
    if isinstance(value, ListValue):
        return _from_codes(evaluation, None, Arguments(value.items, {}, value.rest))
    return value if isinstance(value, Word) else unknown_from("bytes", value)


def encode_text(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`buffer.toString(encoding)`; a text, a list or a number as text."""
    encoding = text_of(arguments.positional[0]) if arguments.positional else ""
    if encoding in ("base64", "hex", "base64url") and isinstance(receiver, Word):
        if receiver.text is None:
            return encoded_word(f"{receiver.display_text[:40]} encoded", receiver, receiver.src)
        data = receiver.text.encode("utf-8", "replace")
        return known_word(data.hex() if encoding == "hex" else base64.b64encode(data).decode(), receiver.src)
    return return_text(evaluation, receiver, arguments)


def _from_codes(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    codes = [_to_plain(each) for each in arguments.positional]
    if arguments.rest is None and all(isinstance(code, int) and 0 <= code < 0x110000 for code in codes):
        return known_word("".join(chr(code) for code in codes if isinstance(code, int)))
    return unknown_word("characters", collect_sources(*arguments.all_values()))


def _make_transform(change: Callable[[str], str]) -> SpecialCall:
    def call_transform(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
        if not arguments.positional:
            return None
        words = words_of(arguments.positional[0])
        return evaluation.join_values(
            *(known_word(change(each.text), each.src) if each.text is not None else each for each in words)
        )

    return call_transform


def _parse_number(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    plain = _to_plain(arguments.positional[0]) if arguments.positional else None
    try:
        base = _to_plain(arguments.positional[1]) if len(arguments.positional) > 1 else 10
        return Constant(int(plain, base) if isinstance(plain, str) and isinstance(base, int) else int(plain))  # type: ignore[call-overload]
    except (TypeError, ValueError):
        return unknown_from("a number", *arguments.positional)


def _count_bytes(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    value = arguments.positional[0] if arguments.positional else None
    return Constant(len(value.text)) if isinstance(value, Word) and value.text is not None else Unknown("a number")


TEXT_CALLS: Mapping[str, SpecialCall] = {
    **{f"str.{name}": _make_method(name, method) for name, method in _METHODS.items()},
    **dict.fromkeys(("str.toString", "?.toString", "list.toString", "number.toString", "object.toString"), encode_text),
    **dict.fromkeys(("str.valueOf", "str.normalize", "str.text", "str.toWellFormed", "?.toLocaleString"), return_text),
    "str.concat": concatenate_texts,
    "list.join": join_texts,
    "String": as_text,
    "String.raw": join_raw_template,
    **dict.fromkeys(("String.fromCharCode", "String.fromCodePoint"), _from_codes),
    **dict.fromkeys(("Buffer.from", "Buffer"), make_buffer),
    "Buffer.byteLength": _count_bytes,
    "atob": _from_base64,
    "btoa": _make_transform(lambda text: base64.b64encode(text.encode()).decode()),
    **dict.fromkeys(("decodeURIComponent", "decodeURI", "querystring.unescape"), _make_transform(unquote)),
    **dict.fromkeys(("encodeURIComponent", "encodeURI"), _make_transform(lambda text: quote_url(text, safe="!'()*~"))),
    "url.fileURLToPath": _make_transform(lambda text: unquote(text.removeprefix("file://"))),
    "url.pathToFileURL": _make_transform(lambda text: f"file://{text}"),
    **dict.fromkeys(("Number", "parseInt", "parseFloat", "Number.parseInt", "BigInt"), _parse_number),
}
