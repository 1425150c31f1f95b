"""Methods of Ruby strings."""

from __future__ import annotations

from collections.abc import Mapping

from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    NULL,
    Unknown,
    Value,
)
from toolgate.languages.scripting import texts
from toolgate.languages.scripting.texts import text_method
from toolgate.model.address import host_of


def with_block(special: SpecialCall) -> SpecialCall:
    """Wraps a handler to receive the block as its first argument."""

    def call(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
        named = dict(arguments.named)
        block = named.pop("block", None)
        return special(
            evaluation,
            receiver,
            Arguments(arguments.positional if block is None else (block, *arguments.positional), named, arguments.rest),
        )

    return call


def _slice(text: str, at: int, length: int = 1) -> str:
    return text[at : at + length]


TEXTS: Mapping[str, SpecialCall] = {
    **{
        name: text_method(method, "same")
        for names, method in {
            "strip": str.strip,
            "lstrip": str.lstrip,
            "rstrip": str.rstrip,
            "chomp strip!": lambda text, end="\n": text.removesuffix(end),
            "downcase": lambda text, *_: text.lower(),
            "upcase": lambda text, *_: text.upper(),
            "dup clone freeze itself to_s to_str to_sym encode force_encoding b scrub +@ -@ intern": lambda text, *_: text,
            "squeeze": lambda text, *_: text,
        }.items()
        for name in names.split()
    },
    **dict.fromkeys(("host", "hostname"), text_method(host_of)),
    "capitalize": text_method(lambda text, *_: text.capitalize()),
    "swapcase": text_method(lambda text, *_: text.swapcase()),
    "reverse": text_method(lambda text: text[::-1]),
    "chop": text_method(lambda text: text[:-1]),
    "chr": text_method(lambda text: text[:1]),
    "next": text_method(lambda text: text[:-1] + chr(ord(text[-1]) + 1)),
    "succ": text_method(lambda text: text[:-1] + chr(ord(text[-1]) + 1)),
    "delete_prefix": text_method(str.removeprefix),
    "delete_suffix": text_method(str.removesuffix),
    "delete": text_method(lambda text, *sets: texts.translate_text(text, "".join(sets))),
    "tr": text_method(texts.translate_text),
    "tr_s": text_method(texts.translate_text),
    "slice": text_method(_slice),
    "byteslice": text_method(_slice),
    "center": text_method(lambda text, size, fill=" ": text.center(size, fill)),
    "ljust": text_method(lambda text, size, fill=" ": text.ljust(size, fill)),
    "rjust": text_method(lambda text, size, fill=" ": text.rjust(size, fill)),
    "insert": text_method(lambda text, at, more: text[:at] + more + text[at:] if at >= 0 else text + more),
    "prepend": text_method(lambda text, *more: "".join(more) + text),
    "split": texts.split_by_pattern(
        text_method(lambda text, by=None, *_: text.split(by) if by else list(text) if by == "" else text.split(), "list")
    ),
    "lines": text_method(lambda text, *_: text.splitlines(keepends=True), "list"),
    "chars": text_method(list, "list"),
    "bytes": text_method(lambda text: list(text.encode()), "list"),
    "codepoints": text_method(lambda text: [ord(char) for char in text], "list"),
    "partition": text_method(lambda text, by: list(text.partition(by)), "list"),
    "rpartition": text_method(lambda text, by: list(text.rpartition(by)), "list"),
    "start_with?": text_method(lambda text, *parts: text.startswith(parts), "test"),
    "end_with?": text_method(lambda text, *parts: text.endswith(parts), "test"),
    "include?": text_method(lambda text, part: part in text, "test"),
    "empty?": text_method(lambda text: not text, "test"),
    "match?": lambda *_: Unknown("a test"),
    "index": text_method(lambda text, part, at=0: text.find(part, at), "number"),
    "rindex": text_method(lambda text, part: text.rfind(part), "number"),
    "count": text_method(lambda text, part: text.count(part), "number"),
    "ord": text_method(lambda text: ord(text[0]), "number"),
    "hex": text_method(lambda text: int(text, 16), "number"),
    "oct": text_method(lambda text: int(text, 8), "number"),
    **dict.fromkeys(("length", "size", "bytesize"), texts.length_of),
    **dict.fromkeys(("to_i", "to_f", "to_r"), texts.to_number),
    "sub": with_block(texts.replace_text(1)),
    "gsub": with_block(texts.replace_text(-1)),
    "concat": lambda evaluation, receiver, arguments: evaluation.concatenate(
        [each for each in (receiver, *arguments.positional) if each is not None]
    ),
    "%": lambda evaluation, receiver, arguments: texts.format_text(
        evaluation, None, Arguments((receiver or NULL, *arguments.positional))
    ),
}
