"""Methods of text, and functions that make text."""

from __future__ import annotations

import re
from collections.abc import Mapping

from toolgate.languages.evaluation.expressions import Expressions
from toolgate.languages.evaluation.leaf_texts import shown_words
from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.operators import LARGE_LENGTH, LARGE_TEXT
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.text_methods import call_with_alternatives
from toolgate.languages.evaluation.values import (
    Constant,
    ListValue,
    Unknown,
    Value,
    collect_sources,
    list_alternatives,
    text_of,
    unknown_from,
    word_of,
    words_of,
)
from toolgate.model.word import Hole, Word, encoded_word, known_word, unknown_word

_KEEPING_METHODS = frozenset(
    ("strip", "lstrip", "rstrip", "lower", "upper", "casefold", "title", "swapcase", "expandtabs", "zfill")
)
"""Methods that leave a partly known text unchanged."""
_TEST_METHODS = frozenset(
    ("startswith", "endswith", "isdigit", "isalpha", "isalnum", "isupper", "islower", "isspace", "isidentifier")
)
_LIST_METHODS = frozenset(("split", "rsplit", "splitlines", "partition", "rpartition"))
_OTHER_METHODS = frozenset(
    ("replace", "removeprefix", "removesuffix", "capitalize", "center", "ljust", "rjust", "count", "find", "index", "rfind")
)


def _to_plain(value: Value) -> object:
    """Returns an argument as a Python value; `...` if it is unknown."""
    match value:
        case Constant(value=constant):
            return constant
        case Word() if value.text is not None:
            return value.text
        case ListValue(kind="tuple") if value.rest is None:
            items = tuple(_to_plain(each) for each in value.items)
            return items if ... not in items else ...
        case _:
            return ...


def _make_method(name: str) -> SpecialCall:
    method = getattr(str, name)

    def call_one(_evaluation: Evaluation, text: Word, args: list[Value]) -> Value:
        plain = [_to_plain(each) for each in args]
        src = collect_sources(text, *args)
        if text.text is not None and _may_be_long(name, text.text, plain):
            return unknown_word(f"{text.text[:40]}.{name}()", src)
        if text.text is None or ... in plain:
            return _apply_to_unknown(name, text, args, plain, src)
        try:
            made = method(text.text, *plain)
        except Exception:  # noqa: BLE001  (whatever the text's own call would raise)
            return Unknown("nothing, for it fails")
        if isinstance(made, str):
            return known_word(made, src)
        if isinstance(made, list | tuple):
            return ListValue("tuple" if isinstance(made, tuple) else "list", [known_word(each, src) for each in made])
        return Constant(made)

    return call_with_alternatives(f"text.{name}()", call_one)


_MAX_TEXT = 100_000
_MAX_SUBSTITUTIONS = 64
"""Maximum parts of a partly known text that are replaced one by one."""


def _may_be_long(name: str, text: str, plain: list[object]) -> bool:
    """Returns whether a method's result would be too long to read."""
    if name == "replace" and len(plain) >= 2:
        return len(text) + text.count(str(plain[0])) * len(str(plain[1])) > _MAX_TEXT
    if name in ("split", "rsplit", "splitlines") and len(text) > _MAX_TEXT // 10:
        return True
    return len(text) > _MAX_TEXT or any(isinstance(each, int) and each > _MAX_TEXT for each in plain)


def _apply_to_unknown(name: str, text: Word, args: list[Value], plain: list[object], src: frozenset[int]) -> Value:
    if name in _KEEPING_METHODS:
        return text
    if name in _TEST_METHODS:
        return _test_unknown(name, text, plain)
    if name == "replace" and len(plain) == 2 and isinstance(plain[0], str) and plain[0]:
        if sum(part.count(plain[0]) for part in text.parts if isinstance(part, str)) > _MAX_SUBSTITUTIONS:
            return unknown_word(f"{text.display_text[:40]}.replace()", src)
        if any(isinstance(part, str) for part in text.parts):
            return text.replace_known(plain[0], word_of(args[1]))
        why = f"{text.display_text[:40]}.replace()"
        return unknown_word(why, src) if "*" in str(plain[1]) else encoded_word(why, text, src)  # asterisks mask a secret
    if name == "removeprefix" and isinstance(plain[0] if plain else None, str) and text.head.startswith(str(plain[0])):
        return text.drop_first(len(str(plain[0])))
    if name in ("split", "splitlines") and plain[:1] != ["/"]:
        return ListValue("list", (), unknown_word(f"a part of {text.display_text[:40]}", src))
    if name in _LIST_METHODS:
        return ListValue("list", (), unknown_word(f"a part of {text.display_text[:40]}", src))
    if name in ("count", "find", "index", "rfind"):
        return Unknown("a number", src=src)
    return unknown_word(f"{text.display_text[:40]}.{name}()", src)


def _test_unknown(name: str, text: Word, plain: list[object]) -> Value:
    argument = plain[0] if plain else None
    if name == "startswith" and isinstance(argument, str):
        answer = text.starts_with(argument)
        return Unknown("a test") if answer is None else Constant(answer)
    if name == "endswith" and isinstance(argument, str) and text.tail.endswith(argument):
        return Constant(True)
    return Unknown("a test")


def join_texts(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    if receiver is None or not arguments.positional:
        return None
    items, rest = evaluation.items_of(arguments.positional[0])
    parts: list[Value] = []
    for n, each in enumerate(items):
        parts += [receiver, each] if n else [each]
    if rest is not None:
        parts.append(encoded_word("more", word_of(rest), collect_sources(rest)))
    assert isinstance(evaluation, Expressions)
    return evaluation.concatenate(parts) if parts else known_word("")


_FIELD = re.compile(r"\{\{|\}\}|\{(\w*)(?:[^{}]*)\}")


def format_text(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    text = word_of(receiver).text if receiver is not None else None
    if text is None:
        return unknown_from("a formatted text", receiver, *arguments.all_values())
    parts: list[Value] = []
    at = number = 0
    for match in _FIELD.finditer(text):
        parts.append(known_word(text[at : match.start()]))
        at = match.end()
        if match[1] is None:
            parts.append(known_word(match[0][0]))
            continue
        key = match[1]
        if not key:
            key, number = str(number), number + 1
        if key.isdigit():
            parts.append(arguments.positional[int(key)] if int(key) < len(arguments.positional) else Unknown(key))
        else:
            parts.append(arguments.named.get(key, arguments.rest or Unknown(key)))
    assert isinstance(evaluation, Expressions)
    return evaluation.concatenate([*parts, known_word(text[at:])])


_PERCENT = re.compile(r"%(?:\((\w+)\))?[-+ #0]*(?:\d+|\*)?(?:\.\d+)?([a-zA-Z%])")


def format_percent(evaluation: Evaluation, text: Word, value: Value) -> Value:
    """`"%s" % value`."""
    if text.text is None:
        return unknown_from("a formatted text", text, value)
    items = list(value.items) if isinstance(value, ListValue) and value.kind == "tuple" else [value]
    parts: list[Value] = []
    at = 0
    for match in _PERCENT.finditer(text.text):
        parts.append(known_word(text.text[at : match.start()], text.src))
        at = match.end()
        if match[2] == "%":
            parts.append(known_word("%"))
        elif match[1]:
            assert isinstance(evaluation, Expressions)
            parts.append(evaluation.read_index(value, known_word(match[1])))
        else:
            parts.append(items.pop(0) if items else unknown_from("a value", value))
    assert isinstance(evaluation, Expressions)
    return evaluation.concatenate([*parts, known_word(text.text[at:], text.src)])


def as_text(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return evaluation.join_values(*shown_words(arguments.positional[0])) if arguments.positional else known_word("")


def represent_value(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if not arguments.positional:
        return None
    found: list[Value] = []
    for value in list_alternatives(arguments.positional[0]):
        for each in shown_words(value):
            is_text = isinstance(value, Word) or (each.text is None and not isinstance(value, Constant))
            if each.text is not None and is_text:
                found.append(known_word(repr(each.text), each.src))
            else:
                found.append(known_word("'") + each + known_word("'") if is_text else each)
    return evaluation.join_values(*found)


def format_value(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if not arguments.positional:
        return None
    value = arguments.positional[0]
    style = word_of(arguments.positional[1]).text if len(arguments.positional) > 1 else ""
    if isinstance(value, Constant) and style is not None and len(style) < 8 and not re.search(r"\d{3}", style):
        try:
            return known_word(format(value.value, style))
        except (ValueError, TypeError):
            return unknown_word("a formatted value")
    if isinstance(value, Unknown) and style and style[-1:] in "dxobXf":
        return Word((Hole("*", "a number"),), False, value.src)
    return evaluation.join_values(*words_of(value))


def quote_word(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`shlex.quote`: known text is quoted for the shell; unknown text becomes one word."""
    import shlex

    found = []
    for each in words_of(arguments.positional[0]) if arguments.positional else ():
        found.append(
            known_word(shlex.quote(each.text), each.src) if each.text is not None else known_word("'") + each + known_word("'")
        )
    return evaluation.join_values(*found)


def split_words(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`shlex.split`."""
    import shlex

    if not arguments.positional:
        return None
    found: list[Value] = []
    for each in words_of(arguments.positional[0]):
        try:
            if each.text is None:
                raise ValueError
            found.append(ListValue("list", [known_word(part, each.src) for part in shlex.split(each.text)]))
        except ValueError:
            first = each.head.split(" ", 1)[0] if " " in each.head else ""
            rest = Unknown("the words of a text", src=each.src)
            found.append(ListValue("list", [known_word(first, each.src)] if first else [], rest))
    return evaluation.join_values(*found)


def make_character(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    value = arguments.positional[0] if arguments.positional else None
    if isinstance(value, Constant) and isinstance(value.value, int) and 0 <= value.value < 0x110000:
        return known_word(chr(value.value))
    return unknown_word("a character")


def as_bytes(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    value = arguments.positional[0] if arguments.positional else None
    if isinstance(value, Word):
        return value
    if isinstance(value, ListValue) and value.rest is None and all(isinstance(each, Constant) for each in value.items):
        try:
            return known_word(bytes(each.value for each in value.items if isinstance(each, Constant)).decode("latin-1"))  # type: ignore[misc]
        except (ValueError, TypeError):
            pass
    if isinstance(value, Constant) and isinstance(value.value, int) and value.value >= LARGE_LENGTH:
        return LARGE_TEXT
    return unknown_word("bytes", collect_sources(value))


def make_number(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    plain = [_to_plain(each) for each in arguments.positional]
    try:
        return Constant(int(*plain)) if ... not in plain else unknown_from("a number", *arguments.positional)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        return unknown_from("a number", *arguments.positional)


def return_text(_evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    return receiver


def encode_digits(_evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    """`bytes.hex()`."""
    if not isinstance(receiver, Word):
        return None
    if receiver.text is None:
        return encoded_word("hexadecimal digits", receiver, receiver.src)
    return known_word(receiver.text.encode("utf-8", "replace").hex(), receiver.src)


def replace_matches(
    evaluation: Evaluation,
    pattern: Value | None,
    replacement: Value | None,
    text: Value | None = None,
    count: Value | None = None,
    flags: Value | None = None,
) -> Value:
    """`re.sub`: known for patterns that match one text only."""
    matched, changed = text_of(pattern) or "", text_of(replacement)
    if text is None or changed is None or "\\" in changed or count is not None or flags is not None or not _is_literal(matched):
        return unknown_from("re.sub", pattern, replacement, text)
    arguments = Arguments((known_word(_ESCAPED.sub(r"\1", matched)), known_word(changed)))
    return _make_method("replace")(evaluation, text, arguments) or unknown_from("re.sub", text)


_is_literal = re.compile(r"(?:[^\\.^$*+?{}\[\]|()]|\\[^\w\s])+").fullmatch
_ESCAPED = re.compile(r"\\(.)")


TEXT_CALLS: Mapping[str, SpecialCall] = {
    **{f"str.{name}": _make_method(name) for name in (*_KEEPING_METHODS, *_TEST_METHODS, *_LIST_METHODS, *_OTHER_METHODS)},
    "str.join": join_texts,
    "str.format": format_text,
    "str.decode": return_text,
    "str.encode": return_text,
    "str.hex": encode_digits,
    "?.decode": return_text,
    "str": as_text,
    "os.fspath": as_text,
    "os.fsdecode": as_text,
    "os.fsencode": as_text,
    "repr": represent_value,
    "ascii": represent_value,
    "format": format_value,
    "shlex.quote": quote_word,
    "pipes.quote": quote_word,
    "shlex.split": split_words,
    "chr": make_character,
    "bytes": as_bytes,
    "bytearray": as_bytes,
    "int": make_number,
    "textwrap.dedent": lambda _evaluation, _receiver, arguments: arguments.positional[0] if arguments.positional else None,
}
