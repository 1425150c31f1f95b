"""Lines that programs print of files by a format, and the fields of such lines: `find -printf '%T@ %p\n' | cut -d' ' -f2-`.

A path stays known through both, as far as it was known before.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from toolgate.model.word import EMPTY, Hole, HoleKind, Word, is_glob, is_search_result, join_words, known_word

PROPERTY = Word((Hole("*", "a property of a file", kind=HoleKind.SEARCH_RESULT),))
"""A size, a time, an owner: a text without blanks."""
_MAX_LINES = 16


def known_lines(text: Word) -> list[Word]:
    """Returns the lines of a text in which no unknown part may span lines: a single line, or the output of a search. Otherwise
    none."""
    lines = [line for line in text.split_lines() if line.parts]
    found = not any(_is_unknown(part) for line in lines for part in line.parts)
    return lines if len(lines) == 1 or (len(lines) <= _MAX_LINES and found and text.text is None) else []


def fill_format(text: str, directive: re.Pattern[str], values: Mapping[str, Word]) -> Word | None:
    """Returns the line that a format makes of a file; None if one of its directives has no value. `directive`: matches `%p`, with
    its letter as the last group."""
    made, at = EMPTY, 0
    for found in directive.finditer(text):
        value = values.get(found[found.lastindex or 0])
        if value is None:
            return None
        made = made + known_word(text[at : found.start()]) + value
        at = found.end()
    return made + known_word(text[at:]) if "%" not in directive.sub("", text) else None


def select_fields(line: Word, selection: str, separator: str | None) -> Word | None:
    """Returns fields of a line, as `cut -f` numbers them; None if they are not known: a path may hold blanks, so nothing is known
    of what follows one. `separator`: None for blanks, of which several count as one."""
    fields = _split_fields(line, separator)
    if separator == "/" or any(map(_is_open, fields[:-1])) or any(map(_is_unknown, line.parts)):
        return None
    if len(fields) == 1:
        return line  # as it is, without a separator
    numbers: list[int] = []
    for part in selection.split(","):
        if (found := _RANGE(part)) is None or part == "-":
            return None
        first = int(found[1] or 1)
        last = int(found[3] or len(fields)) if found[2] else first
        numbers += range(first, min(last, len(fields)) + 1)
    chosen = [fields[number - 1] for number in sorted(set(numbers)) if 0 < number <= len(fields)]
    return join_words(chosen, " " if separator is None else separator).from_commands(line.src) if chosen else None


def select_last_field(line: Word, separator: str | None) -> Word | None:
    """Returns the last field of a line; None if it is not known."""
    fields = _split_fields(line, separator)
    return None if separator == "/" or not fields or any(map(_is_unknown, line.parts)) else fields[-1].from_commands(line.src)


def pass_lines(text: Word, end: str = "\n") -> Word | None:
    """Returns what a program prints that passes some of the lines of a search: any of them; None for other texts."""
    lines = [_drop_some(line) for line in known_lines(text)] if text.text is None else []
    return join_words(lines, end) + known_word(end) if lines else None


def _drop_some(line: Word) -> Word:
    """Returns a line of a search of which only some pass."""
    parts = (
        part._replace(kind=HoleKind.SEARCH_RESULT) if isinstance(part, Hole) and is_search_result(part) else part
        for part in line.parts
    )
    return Word(tuple(parts), line.splits, line.src)


def change_found_path(value: Word, operator: str, pattern: str, replacement: str | None) -> Word | None:
    """Returns a path of a search or a glob without a suffix (`${f%.*}`), or with a text replaced (`${f/old/new}`): what is known
    before its unknown part stays. None if that may change, too."""
    if not value.head or not pattern or not all(isinstance(part, str) or _is_found(part) for part in value.parts):
        return None
    if operator in ("/", "//"):
        return _replace_in_path(value, operator, pattern, replacement or "&")
    begins_later = pattern[0] not in "*?[\\" and not any(pattern[0] in part for part in value.parts if isinstance(part, str))
    return _widen_unknown(value) if operator in ("%", "%%") and begins_later else None


def _is_found(part: Hole) -> bool:
    return is_search_result(part) or is_glob(part)


def _replace_in_path(value: Word, operator: str, pattern: str, replacement: str) -> Word | None:
    if set("*?[\\&") & set(pattern + replacement):
        return None
    if pattern not in value.head:
        widened = _widen_unknown(value)
        return None if "/" in replacement else Word(widened.parts[:2], value.splits, value.src)
    changed = known_word(value.head.replace(pattern, replacement, 1), value.src)
    return changed + value.drop_first(len(value.head)) if operator == "/" else None


def _widen_unknown(value: Word) -> Word:
    """Returns a path whose unknown parts may be any others in the same place."""
    parts = (part if isinstance(part, str) else part._replace(like="?**" if "**" in part.like else "?*") for part in value.parts)
    return Word(tuple(parts), value.splits, value.src)


def join_known_lines(lines: Sequence[Word | None]) -> Word | None:
    """Returns lines as a program prints them; None if there are none, or one of them is not known."""
    known = [line for line in lines if line is not None]
    return join_words(known, "\n") + known_word("\n") if known and len(known) == len(lines) else None


def _is_open(field: Word) -> bool:
    """Returns whether a field has a part that may hold a separator."""
    return any(isinstance(part, Hole) and "**" in part.like for part in field.parts)


def _is_unknown(part: str | Hole) -> bool:
    return isinstance(part, Hole) and not is_search_result(part) and not is_glob(part)


_RANGE = re.compile(r"(\d{0,4})(-?)(\d{0,4})").fullmatch


def split_columns(line: Word, count: int) -> list[Word] | None:
    """Returns what `read` assigns to this many variables; None if it is not known. The last one gets the rest."""
    fields = _split_fields(line, None)
    if any(map(_is_open, fields[:-1])) or any(map(_is_unknown, line.parts)) or not fields:
        return None
    rest = join_words(fields[count - 1 :], " ").from_commands(line.src)
    return [*fields[: count - 1], rest, *[EMPTY] * count][:count]


def _split_fields(line: Word, separator: str | None) -> list[Word]:
    fields: list[list[str | Hole]] = [[]]
    for part in line.parts:
        pieces: Iterable[str | Hole] = (part,)
        if isinstance(part, str):
            split = re.split(r"[ \t]+", part) if separator is None else part.split(separator)
            for piece in split[:-1]:
                fields[-1].append(piece)
                fields.append([])
            pieces = split[-1:]
        fields[-1] += pieces
    words = [Word(tuple(piece for piece in field if piece != ""), False, line.src) for field in fields]
    return words if separator is not None or not words or words[0].parts else words[1:]
