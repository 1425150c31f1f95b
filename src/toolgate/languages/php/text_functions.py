"""PHP's text functions."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from urllib.parse import quote, unquote

from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    Instance,
    ListValue,
    MapValue,
    Value,
    text_of,
    unknown_from,
)
from toolgate.languages.scripting import texts
from toolgate.languages.scripting.texts import text_method
from toolgate.model.word import known_word

from . import arrays

# ---- texts


def join_values(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Evaluates `implode($between, $array)`, with the arguments in either order."""
    if not arguments.positional:
        return None
    found = sorted(arguments.positional[:2], key=lambda each: not isinstance(each, ListValue | MapValue))
    if not isinstance(found[0], ListValue | MapValue):
        found.reverse()
    return texts.join_items(evaluation, arrays.values_of(evaluation, found[0]), Arguments(tuple(found[1:])))


def replace_texts(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Evaluates `str_replace($old, $new, $text)`; lists are applied pairwise in order."""
    if len(arguments.positional) < 3:
        return None
    old, new, subject = arguments.positional[:3]
    olds = list(old.items) if isinstance(old, ListValue) and old.rest is None else [old]
    news = list(new.items) if isinstance(new, ListValue) and new.rest is None else [new] * len(olds)
    made: Value | None = subject
    for one, other in zip(olds, [*news, *[known_word("")] * len(olds)], strict=False):
        made = texts.replace_text(-1)(evaluation, made, Arguments((one, other)))
    return made


def replace_pattern(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Evaluates `preg_replace` and `preg_replace_callback`; a pattern without metacharacters is a literal text."""
    if len(arguments.positional) < 3:
        return None
    pattern, new, subject = arguments.positional[:3]
    source = text_of(pattern)
    if source and len(source) > 2 and source[0] == source[-1]:
        pattern = Instance("pattern", {"source": known_word(source[1:-1])})
    made = texts.replace_text(-1)(evaluation, subject, Arguments((pattern, new)))
    if source and "e" in source.rpartition(source[0])[2]:
        evaluation.report.opaque("what a pattern finds is run as code")
    return made


def call_with_match(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if len(arguments.positional) < 3:
        return None
    match = ListValue("array", (), unknown_from("a match", arguments.positional[2]))
    result: list[Value] = []
    evaluation.run_possibly(lambda: result.append(evaluation.call(arguments.positional[1], Arguments((match,)))))
    return unknown_from("a replaced text", arguments.positional[2], *result)


def translate_text(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Evaluates `strtr($text, $from, $to)` and `strtr($text, $pairs)`."""
    if len(arguments.positional) == 2 and isinstance(arguments.positional[1], MapValue):
        made: Value | None = arguments.positional[0]
        for key, value in arguments.positional[1].known_entries:
            made = texts.replace_text(-1)(evaluation, made, Arguments((known_word(str(key)), value)))
        return made
    return text_method(lambda text, old, new: text.translate({ord(a): b for a, b in zip(old, new, strict=False)}))(
        evaluation,
        arguments.positional[0] if arguments.positional else arguments.rest,
        arguments._replace(positional=arguments.positional[1:]),
    )


def _cut_substring(text: str, start: int, length: int | None = None) -> str:
    begin = max(0, len(text) + start) if start < 0 else start
    rest = text[begin:]
    return rest if length is None else rest[:length]


def split_text(by: str, text: str, limit: int | None = None) -> list[str]:
    return text.split(by) if limit is None or limit < 1 else text.split(by, limit - 1)


def _trim_text(strip: Callable[..., str]) -> SpecialCall:
    return text_method(lambda text, chars=" \t\n\r\0\x0b": strip(text, chars), "same")


TEXTS: Mapping[str, SpecialCall] = {
    "trim": _trim_text(str.strip),
    "ltrim": _trim_text(str.lstrip),
    "rtrim": _trim_text(str.rstrip),
    "chop": _trim_text(str.rstrip),
    "strtolower": text_method(str.lower, "same"),
    "mb_strtolower": text_method(str.lower, "same"),
    "strtoupper": text_method(str.upper, "same"),
    "mb_strtoupper": text_method(str.upper, "same"),
    "ucfirst": text_method(lambda text: text[:1].upper() + text[1:]),
    "lcfirst": text_method(lambda text: text[:1].lower() + text[1:]),
    "ucwords": text_method(lambda text, *_: text.title()),
    "strrev": text_method(lambda text: text[::-1]),
    "substr": text_method(_cut_substring),
    "mb_substr": text_method(_cut_substring),
    "str_repeat": text_method(lambda text, count: text * count),
    "str_pad": text_method(lambda text, size, fill=" ", side=1: text.rjust(size, fill) if side == 0 else text.ljust(size, fill)),
    "str_split": text_method(lambda text, size=1: [text[n : n + size] for n in range(0, len(text), size)], "list"),
    "mb_str_split": text_method(lambda text, size=1: [text[n : n + size] for n in range(0, len(text), size)], "list"),
    "strstr": text_method(lambda text, part, before=False: text.partition(part)[0] if before else part + text.partition(part)[2]),
    "strrchr": text_method(lambda text, part: part[0] + text.rpartition(part[0])[2]),
    "strpos": text_method(lambda text, part, *_: text.find(part) if part in text else False, "number"),
    "stripos": text_method(lambda text, part, *_: text.lower().find(part.lower()), "number"),
    "strrpos": text_method(lambda text, part: text.rfind(part), "number"),
    "str_contains": text_method(lambda text, part: part in text, "test"),
    "str_starts_with": text_method(lambda text, part: text.startswith(part), "test"),
    "str_ends_with": text_method(lambda text, part: text.endswith(part), "test"),
    "ord": text_method(lambda text: ord(text[0]), "number"),
    "hexdec": text_method(lambda text: int(text, 16), "number"),
    "octdec": text_method(lambda text: int(text, 8), "number"),
    "str_word_count": text_method(lambda text, *_: len(text.split()), "number"),
    "nl2br": text_method(lambda text: text.replace("\n", "<br />\n"), "same"),
    "htmlspecialchars": text_method(lambda text, *_: text, "same"),
    "addslashes": text_method(lambda text: text.replace("\\", "\\\\").replace("'", "\\'").replace('"', '\\"')),
    "stripslashes": text_method(lambda text: text.replace("\\", "")),
    "escapeshellarg": text_method(lambda text: "'" + text.replace("'", "'\\''") + "'"),
    "escapeshellcmd": text_method(lambda text: text, "same"),
    "rawurlencode": text_method(quote),
    "urlencode": text_method(quote),
    "urldecode": text_method(unquote),
    "rawurldecode": text_method(unquote),
    "base64_encode": text_method(lambda text: base64.b64encode(text.encode()).decode()),
}
