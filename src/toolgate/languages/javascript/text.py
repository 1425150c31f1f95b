"""Methods of text, and functions that make text."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from itertools import product
from urllib.parse import quote as quote_url
from urllib.parse import unquote

from toolgate.languages.evaluation.evaluation import Arguments, Evaluation
from toolgate.languages.evaluation.operators import put_together
from toolgate.languages.evaluation.table import Special
from toolgate.languages.evaluation.values import (
    ALTERNATIVES,
    NULL,
    Constant,
    Function,
    Instance,
    ListValue,
    Reference,
    Unknown,
    Value,
    alternatives,
    sources_of,
    text_of,
    unknown_from,
    word_of,
    words_of,
)
from toolgate.model.word import Word, joined, known, unknown

_LONGEST = 100_000
_TEXTS_OF = {None: "undefined", True: "true", False: "false"}


def as_word(value: Value) -> Value:
    """Returns a value as JavaScript converts it to text."""
    match value:
        case Constant(value=constant) if constant is None or isinstance(constant, bool):
            return known(_TEXTS_OF[constant])
        case Constant(value=float() as number) if number.is_integer():
            return known(str(int(number)))
        case ListValue() if value.rest is None:
            return joined([word_of(as_word(each)) for each in value.items], ",")
        case ListValue():
            return unknown("a list", sources_of(value))
        case _:
            return value


def _plain(value: Value) -> object:
    """Returns an argument as a Python value; `...` if it is unknown."""
    match value:
        case Constant(value=constant):
            return int(constant) if isinstance(constant, float) and constant.is_integer() else constant
        case Word() if value.text is not None:
            return value.text
        case _:
            return ...


Method = Callable[..., object]


def _slice(text: str, start: int = 0, end: int | None = None) -> str:
    return text[start:end]


def _substring(text: str, start: int = 0, end: int | None = None) -> str:
    low, high = sorted((max(0, start), len(text) if end is None else max(0, end)))
    return text[low:high]


def _substr(text: str, start: int = 0, length: int | None = None) -> str:
    begin = max(0, len(text) + start) if start < 0 else start
    return text[begin:] if length is None else text[begin : begin + length]


def _character(text: str, at: int = 0) -> str:
    return text[at] if -len(text) <= at < len(text) else ""


def _split(text: str, separator: str | None = None, limit: int | None = None) -> list[str]:
    parts = [text] if separator is None else text.split(separator) if separator else list(text)
    return parts[:limit]


def _pad(text: str, size: int, fill: str = " ", *, before: bool) -> str:
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
    "slice": _slice,
    "substring": _substring,
    "substr": _substr,
    "charAt": _character,
    "at": _character,
    "charCodeAt": lambda text, at=0: ord(text[at]),
    "codePointAt": lambda text, at=0: ord(text[at]),
    "split": _split,
    "padStart": lambda text, size, fill=" ": _pad(text, size, fill, before=True),
    "padEnd": lambda text, size, fill=" ": _pad(text, size, fill, before=False),
    "repeat": lambda text, count: text * count,
    "startsWith": lambda text, part, at=0: text.startswith(part, at),
    "endsWith": lambda text, part: text.endswith(part),
    "includes": lambda text, part, *_: part in text,
    "indexOf": lambda text, part, *_: text.find(part),
    "lastIndexOf": lambda text, part, *_: text.rfind(part),
    "replace": lambda text, old, new: text.replace(old, new, 1),
    "replaceAll": lambda text, old, new: text.replace(old, new),
}
_KEEPING = frozenset(("trim", "trimEnd", "trimStart", "toLowerCase", "toUpperCase", "padStart", "padEnd"))
_TESTS = frozenset(("startsWith", "endsWith", "includes"))


def _method(name: str, method: Method) -> Special:
    def call(evaluation: Evaluation, me: Value | None, given: Arguments) -> Value | None:
        if me is None or given.rest is not None:
            return None
        combinations = list(product(words_of(me), *(alternatives(each) for each in given.positional)))
        if len(combinations) > 4 * ALTERNATIVES:
            return unknown_from(f"text.{name}()", me, *given.positional)
        return evaluation.joined(*(one(evaluation, text, args) for text, *args in combinations))

    def one(evaluation: Evaluation, text: Value, args: list[Value]) -> Value:
        assert isinstance(text, Word)
        evaluation.work.spend(1 + len(text.head) // 256)
        if name.startswith("replace") and len(args) == 2:
            return _replace(evaluation, text, args, name)
        plain = [_plain(each) for each in args]
        src = sources_of(text, *args)
        is_long = len(text.head) > _LONGEST or any(isinstance(each, int) and each > _LONGEST for each in plain)
        if text.text is None or ... in plain or is_long:
            return _of_unknown(name, text, plain, src)
        try:
            return _as_value(method(text.text, *plain), src)
        except (TypeError, ValueError, IndexError):
            return unknown_from(f"text.{name}()", text, *args)

    return call


def _as_value(made: object, src: frozenset[int]) -> Value:
    if isinstance(made, str):
        return known(made, src)
    if isinstance(made, list):
        return ListValue(
            "array", [known(each, src) for each in made[:1000]], None if len(made) <= 1000 else unknown("a part", src)
        )
    return Constant(made)


def _of_unknown(name: str, text: Word, plain: list[object], src: frozenset[int]) -> Value:
    if name in _KEEPING:
        return text
    given = plain[0] if plain else None
    if name in _TESTS:
        if name == "startsWith" and isinstance(given, str) and (answer := text.starts(given)) is not None:
            return Constant(answer)
        return (
            Constant(True) if name == "endsWith" and isinstance(given, str) and text.tail.endswith(given) else Unknown("a test")
        )
    if name == "split":
        return ListValue("array", (), unknown(f"a part of {text.shown[:40]}", src))
    if name in ("indexOf", "lastIndexOf", "charCodeAt", "codePointAt"):
        return Unknown("a number", src=src)
    if name in ("slice", "substring") and len(plain) == 1 and isinstance(given, int) and 0 <= given <= len(text.head):
        return text.cut(given)
    return unknown(f"{text.shown[:40]}.{name}()", src)


def _replace(evaluation: Evaluation, text: Word, args: list[Value], name: str) -> Value:
    """Replaces a text by a text. The result of a function, or the match of a pattern, is unknown."""
    old, new = args
    src = sources_of(text, old, new)
    if isinstance(new, Function | Reference):
        made = evaluation.call(new, Arguments(rest=unknown("a match", src)))
        return unknown("a replaced text", sources_of(text, made))
    if isinstance(old, Word) and old.text and isinstance(new, Word | Constant):
        if text.text is not None and name == "replace":
            before, found, after = text.text.partition(old.text)
            return put_together((known(before, src), word_of(new), known(after, src))) if found else text
        if sum(part.count(old.text) for part in text.parts if isinstance(part, str)) <= 64:
            return text.substituted(old.text, word_of(new))
    if isinstance(old, Instance) and text.text is not None and isinstance(new, Word) and new.text is not None:
        source = text_of(old.fields.get("source")) or ""
        if re.fullmatch(r"\^?[\w /.:@\\-]+\$?", source) and (plain := re.sub(r"\\(\W)", r"\1", source.strip("^$"))):
            return known(text.text.replace(plain, new.text), src)
    return unknown("a replaced text", src)


def same_text(evaluation: Evaluation, me: Value | None, _given: Arguments) -> Value | None:
    return None if me is None else evaluation.joined(*(as_word(each) for each in alternatives(me)))


def as_text(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    return same_text(evaluation, given.positional[0], given) if given.positional else known("")


def concatenate(evaluation: Evaluation, me: Value | None, given: Arguments) -> Value | None:
    return None if me is None or given.rest is not None else evaluation.concatenate([me, *given.positional])


def join_texts(evaluation: Evaluation, me: Value | None, given: Arguments) -> Value | None:
    """`list.join(separator)`."""
    if me is None:
        return None
    gap = given.positional[0] if given.positional and given.positional[0] is not NULL else known(",")
    items, rest = evaluation.items_of(me)
    parts: list[Value] = []
    for n, each in enumerate(items):
        parts += [gap, each] if n else [each]
    if rest is not None:
        parts.append(unknown("more", sources_of(rest)))
    return evaluation.concatenate(parts) if parts else known("")


def raw(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """`String.raw`: texts and values in turn."""
    return evaluation.concatenate(interleave(evaluation, given)) if given.positional else None


def interleave(evaluation: Evaluation, given: Arguments) -> list[Value]:
    """Returns the texts of a template with the values between them, as passed to its tag."""
    texts, _ = evaluation.items_of(given.positional[0])
    values = [*given.positional[1:], *([given.rest] * max(0, len(texts) - len(given.positional)) if given.rest else ())]
    parts: list[Value] = []
    for n, text in enumerate(texts):
        parts.append(text)
        if n < len(values) and n < len(texts) - 1:
            parts.append(values[n])
    return parts


def quote_word(word: Word) -> Word:
    """Quotes a value as `$` of zx, execa and Bun do: always as one word."""
    if word.text is None:
        return word.whole()
    return known("'" + word.text.replace("'", "'\\''") + "'", word.src) if re.search(r"[^\w./:=@,+-]", word.text) else word


# ---- what is encoded


def decode(text: str, encoding: str) -> str | None:
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


def _decoded(evaluation: Evaluation, value: Value, encoding: str) -> Value:
    report = evaluation.report
    if not report.is_trusted:
        report.operation("text.decode")
    src = sources_of(value) | report.own
    text = text_of(value)
    made = decode(text, encoding) if text is not None else None
    return known(made, src) if made is not None else unknown("what is decoded", src)


def _from_base64(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    return _decoded(evaluation, given.positional[0], "base64") if given.positional else None


def make_buffer(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """`Buffer.from(text, encoding)`, `Buffer.from(bytes)`: the decoded text."""
    if not given.positional:
        return None
    value = given.positional[0]
    encoding = text_of(given.positional[1]) if len(given.positional) > 1 else ""
    if encoding and encoding.startswith(("base64", "hex")):
        return evaluation.each_of(value, lambda each: _decoded(evaluation, each, encoding))
    if isinstance(value, ListValue):
        return _from_codes(evaluation, None, Arguments(value.items, {}, value.rest))
    return value if isinstance(value, Word) else unknown_from("bytes", value)


def encode(evaluation: Evaluation, me: Value | None, given: Arguments) -> Value | None:
    """`buffer.toString(encoding)`; a text, a list or a number as text."""
    encoding = text_of(given.positional[0]) if given.positional else ""
    if encoding in ("base64", "hex", "base64url") and isinstance(me, Word):
        if me.text is None:
            return unknown(f"{me.shown[:40]} encoded", me.src)
        data = me.text.encode("utf-8", "replace")
        return known(data.hex() if encoding == "hex" else base64.b64encode(data).decode(), me.src)
    return same_text(evaluation, me, given)


def _from_codes(_evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    codes = [_plain(each) for each in given.positional]
    if given.rest is None and all(isinstance(code, int) and 0 <= code < 0x110000 for code in codes):
        return known("".join(chr(code) for code in codes if isinstance(code, int)))
    return unknown("characters", sources_of(*given.values()))


def _transform(change: Callable[[str], str]) -> Special:
    def call(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
        if not given.positional:
            return None
        words = words_of(given.positional[0])
        return evaluation.joined(*(known(change(each.text), each.src) if each.text is not None else each for each in words))

    return call


def _number(_evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    plain = _plain(given.positional[0]) if given.positional else None
    try:
        base = _plain(given.positional[1]) if len(given.positional) > 1 else 10
        return Constant(int(plain, base) if isinstance(plain, str) and isinstance(base, int) else int(plain))  # type: ignore[call-overload]
    except (TypeError, ValueError):
        return unknown_from("a number", *given.positional)


def _length(_evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    value = given.positional[0] if given.positional else None
    return Constant(len(value.text)) if isinstance(value, Word) and value.text is not None else Unknown("a number")


TEXT: Mapping[str, Special] = {
    **{f"str.{name}": _method(name, method) for name, method in _METHODS.items()},
    **dict.fromkeys(("str.toString", "?.toString", "list.toString", "number.toString", "object.toString"), encode),
    **dict.fromkeys(("str.valueOf", "str.normalize", "str.text", "str.toWellFormed", "?.toLocaleString"), same_text),
    "str.concat": concatenate,
    "list.join": join_texts,
    "String": as_text,
    "String.raw": raw,
    **dict.fromkeys(("String.fromCharCode", "String.fromCodePoint"), _from_codes),
    **dict.fromkeys(("Buffer.from", "Buffer"), make_buffer),
    "Buffer.byteLength": _length,
    "atob": _from_base64,
    "btoa": _transform(lambda text: base64.b64encode(text.encode()).decode()),
    **dict.fromkeys(("decodeURIComponent", "decodeURI", "querystring.unescape"), _transform(unquote)),
    **dict.fromkeys(("encodeURIComponent", "encodeURI"), _transform(lambda text: quote_url(text, safe="!'()*~"))),
    "url.fileURLToPath": _transform(lambda text: unquote(text.removeprefix("file://"))),
    "url.pathToFileURL": _transform(lambda text: f"file://{text}"),
    **dict.fromkeys(("Number", "parseInt", "parseFloat", "Number.parseInt", "BigInt"), _number),
}
