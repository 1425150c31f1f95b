"""Parameter operators on known text: what `#`, `%`, `/`, `^`, `,`, `:` and `@` make of it."""

import re

from toolgate.model.word import Hole, Word
from toolgate.shell.syntax.tree import Parameter

from . import patterns

_MAX_MATCH_STEPS = 4_100_000


def parse_number(text: str | None) -> int | None:
    return int(text) if text is not None and re.fullmatch(r"\s*-?[0-9]{1,6}\s*", text) else None


def strip_known_prefix(value: Word, pattern: str) -> Word | None:
    """Strips a known prefix from a partly known word: `${p#/proc/}` and `${p##*/}` of `/proc/[0-9]*`."""
    if value.head.startswith(pattern) and not set("*?[\\") & set(pattern):
        return value.drop_first(len(pattern))
    if pattern != "*/":
        return None
    holds_no_slash = (isinstance(part, Hole) and "**" not in part.like and "/" not in part.like for part in value.parts[1:])
    return value.drop_first(value.head.rfind("/") + 1) if all(holds_no_slash) else None


def strip_known_suffix(value: Word, pattern: str) -> Word | None:
    """Strips a known suffix from a partly known word: `${p%.gz}`, and `${p%/*}` of a path whose last name is known."""
    at = -1
    if pattern and not set("*?[\\") & set(pattern):
        at = len(value.tail) - len(pattern) if value.tail.endswith(pattern) else -1
    elif len(pattern) == 2 and pattern[1] == "*" and pattern[0] not in "*?[\\":
        at = value.tail.rfind(pattern[0])
    return None if at < 0 else Word((*value.parts[:-1], *((value.tail[:at],) if at else ())), value.splits, value.src)


def is_cheap_pattern(pattern: str, length: int) -> bool:
    """Returns whether a pattern has no character classes and no `@(a|b)`, and is quick to match: each star tries every
    position."""
    quick = (length + 1) ** (pattern.count("*") + 1) <= _MAX_MATCH_STEPS
    return quick and "[:" not in patterns.spell_out_classes(pattern) and re.search(r"[@?*+!]\(", pattern) is None


def apply_operator(text: str, pattern: str, replacement: str | None, word: str | None, piece: Parameter) -> str | None:
    """Returns the new text, or None if it is not computed."""
    operator = piece.operator
    if operator in ("#", "##"):
        return patterns.strip_prefix(text, pattern, longest=operator == "##")
    if operator in ("%", "%%"):
        return patterns.strip_suffix(text, pattern, longest=operator == "%%")
    if operator in ("/", "//", "/#", "/%"):
        return None if replacement is None or "&" in replacement else _replace_pattern(text, pattern, replacement, operator)
    if operator == ":":
        return _take_substring(text, parse_number(word), parse_number(replacement), counted=piece.replacement is not None)
    if pattern:
        return None
    changes = {"^^": text.upper, "@U": text.upper, ",,": text.lower, "@L": text.lower}
    if operator in changes:
        return changes[operator]()
    if operator in ("^", "@u"):
        return text[:1].upper() + text[1:]
    return text[:1].lower() + text[1:] if operator == "," else None


def _replace_pattern(text: str, pattern: str, replacement: str, operator: str) -> str:
    if not pattern:
        return replacement + text if operator == "/#" else text + replacement if operator == "/%" else text
    expression = patterns.compile_pattern(pattern).pattern
    if operator == "/#":
        expression = f"\\A(?:{expression})"
    elif operator == "/%":
        expression = f"(?:{expression})\\Z"
    return re.sub(f"(?s:{expression})", lambda _: replacement, text, count=0 if operator == "//" else 1)


def _take_substring(text: str, offset: int | None, count: int | None, *, counted: bool) -> str | None:
    if offset is None or (counted and count is None):
        return None
    if offset < 0 and -offset > len(text):
        return ""
    rest = text[offset:] if offset < 0 or offset <= len(text) else ""
    return rest if not counted or count is None else rest[:count]
