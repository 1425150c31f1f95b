"""Word splitting: turns the parts of a word into fields, split as the shell does, with globs as holes."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from toolgate.model.errors import LimitError
from toolgate.model.glob import WILDCARDS, find_wildcards
from toolgate.model.word import EMPTY, Hole, HoleKind, Word, glob_hole, known_word, unknown_word
from toolgate.shell.domain.state import Shell
from toolgate.shell.domain.values import MAX_SIZE, collect_sources, first_element, may_be_several, measure
from toolgate.shell.syntax.dialects import Dialect
from toolgate.shell.syntax.tree import Piece, Text

from .parameters import Item, MixedValue

_GLOBS = re.compile(r"[*+@!?]\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|" + WILDCARDS.pattern)


def parse_glob(text: str) -> Word:
    """Returns text with unquoted glob characters as holes that match what the shell would. A group may match anything: the
    letters of `*(D)` are file attributes in zsh."""
    if not any(char in text for char in "*?[("):
        return known_word(text)
    parts: list[str | Hole] = []
    at = 0
    for start, end in find_wildcards(text, _GLOBS):
        if start > at:
            parts.append(text[at:start])
        glob = text[start:end]
        like = "*" if glob.endswith(")") else "**" if glob.startswith("**") and text[end : end + 1] in ("", "/") else glob
        parts.append(glob_hole("*" if like.startswith("*") and like != "**" else _normalize_brackets(like), glob))
        at = end
    if at < len(text):
        parts.append(text[at:])
    return Word(tuple(parts))


def ignore_case(word: Word) -> Word:
    """Returns a glob that matches either case, as under `shopt -s nocaseglob`. A name without a wildcard is taken as it is."""
    if not any(isinstance(part, Hole) and part.kind is HoleKind.GLOB for part in word.parts):
        return word
    names: list[list[str | Hole]] = [[]]
    for part in word.parts:
        for character in part if isinstance(part, str) else (part,):
            if character == "/":
                names.append([])
            names[-1].append(character)
    return Word(tuple(part for name in names for part in _ignore_case_of_name(name)), word.splits, word.src)


def _ignore_case_of_name(name: list[str | Hole]) -> Iterator[str | Hole]:
    is_glob = any(isinstance(part, Hole) and part.kind is HoleKind.GLOB for part in name)
    for part in name:
        text = part if isinstance(part, str) else part.why
        if not is_glob or (isinstance(part, Hole) and (part.kind is not HoleKind.GLOB or not text.startswith("["))):
            yield part
        elif text.startswith("["):
            yield glob_hole("?", text)
        else:
            yield glob_hole(f"[{text.lower()}{text.upper()}]", text) if text.lower() != text.upper() else text


_QUALIFIER_CODE = re.compile(r"\((?:#q)?[^()]*?e([^\w\s()|])").finditer
_CLOSING_DELIMITERS = {"{": "}", "[": "]", "<": ">"}
_MAX_QUALIFIERS = 8  # groups of one word


def find_qualifier_code(text: str) -> str:
    """Returns the code in a zsh glob qualifier, which runs for every matching file: `*(e:code:)`."""
    if not text.endswith(")"):
        return ""
    for match in islice(_QUALIFIER_CODE(text), _MAX_QUALIFIERS):
        code, ends, _ = text[match.end() :].partition(_CLOSING_DELIMITERS.get(match[1], match[1]))
        if ends:
            return code
    return ""


def _normalize_brackets(glob: str) -> str:
    """Returns a glob that fnmatch reads as the shell does: `[!a]` for `[^a]`, and `?` for a class such as `[[:lower:]]`."""
    if glob.startswith("[") and any(opening in glob for opening in ("[:", "[.", "[=")):
        return "?"
    return "[!" + glob[2:] if glob.startswith("[^") else glob


Segment = tuple[Item, bool]  # the value, and whether it is protected from splitting and globbing


Choices = list[list[Segment]]


Fields = list[Word]


BLANKS = " \t\n"


def may_keep_empty_fields(choice: tuple[Segment, ...], separators: str | None, dialect: Dialect) -> bool:
    """Returns whether empty fields are kept: with more than blanks in IFS, bash keeps an empty `$1` of an unquoted `$*`, and
    zsh as `sh` the field after the last separator."""
    others = [char for char in separators or "" if char not in BLANKS]
    return bool(others) and any(not protected and _has_empty_fields(value, others, dialect) for value, protected in choice)


def _has_empty_fields(value: Item, separators: list[str], dialect: Dialect) -> bool:
    if isinstance(value, MixedValue):
        return any(not protected and _has_empty_fields(each, separators, dialect) for each, protected in value.parts)
    if isinstance(value, tuple) and EMPTY in value:
        return True
    words = value if isinstance(value, tuple) else (value,)
    return dialect.may_be_dash and any(word.tail.rstrip(BLANKS)[-1:] in separators for word in words)


def may_lose_empty_fields(choice: tuple[Segment, ...], separators: str | None, dialect: Dialect) -> bool:
    """Returns whether empty fields are lost: with more than blanks in IFS, dash merges the separator of two arguments with one
    at the start of the second."""
    others = [char for char in separators or "" if char not in BLANKS] if dialect.may_be_dash else ()
    several = [value for value, protected in choice if not protected and isinstance(value, tuple)] if others else ()
    return any(not word.parts or word.head[:1] in others for value in several for word in value[1:])


def list_separators(shell: Shell) -> list[str | None]:
    """Returns how unquoted values may be split: the characters of IFS, or None if they are unknown."""
    values = shell.variables.get("IFS")
    found: list[str | None] = [BLANKS]
    if values is not None:
        found = list(dict.fromkeys(first_element(value).text for value in values)) if len(values) <= 4 else [None]
    return list(dict.fromkeys((*found, ""))) if shell.frame.dialect.may_be_zsh else found


class FieldBuilder:
    """Assembles the parts of one word and splits it as the shell would."""

    def __init__(self, separators: str | None, *, alone: bool, empties: bool) -> None:
        self._separators = separators
        self._empties = empties
        self._alone = alone
        self._fields: Fields = []
        self._current: Word | None = None

    def add_value(self, value: Item, *, protected: bool) -> None:
        if isinstance(value, MixedValue):
            for each, is_protected in value.parts:
                self.add_value(each, protected=is_protected)
            return
        values = value if isinstance(value, tuple) else (value,)
        if (
            not self._alone and isinstance(value, tuple) and any(map(may_be_several, values))
        ):  # adjacent text may join any of them
            values = (unknown_word("elements of an array", collect_sources(values), splits=True),)
        for n, word in enumerate(values):
            if n:
                self._end_field()
            if protected or (self._empties and word == EMPTY and n + 1 < len(values)):
                self._extend_field(word)
            else:
                self._split_value(word)

    def finish_fields(self) -> Fields:
        self._end_field()
        if sum(measure(word) for word in self._fields) > MAX_SIZE:
            raise LimitError("a text grows beyond what the gate follows")
        return self._fields

    def _extend_field(self, value: Word) -> None:
        self._current = value if self._current is None else self._current + value

    def _end_field(self) -> None:
        if self._current is not None:
            self._fields.append(self._current)
        self._current = None

    def _split_value(self, value: Word) -> None:
        for part in value.parts:
            if isinstance(part, Hole):
                has_marks = bool((self._separators or "").strip(BLANKS))
                is_cut = part.like == "?**" and has_marks  # a field may be empty
                is_name = part.kind is HoleKind.TEMPORARY_FOLDER  # `mktemp -d` prints a name without blanks
                splits = self._separators is None or has_marks or not is_name
                self._extend_field(Word((part._replace(like="**") if is_cut else part,), splits=splits, src=value.src))
            elif self._separators is None:
                self._extend_field(Word((Hole("**", "a text cut in an unknown way"),), splits=True, src=value.src))
            else:
                before = ""
                for text, ends in split_fields(part, self._separators):
                    if text:
                        self._extend_field(Word(parse_glob(text).parts, src=value.src))
                    if "field" in (ends, before if self._empties else "") and self._current is None:
                        self._current = Word((), src=value.src)
                    if ends:
                        self._end_field()
                    before = ends


def split_fields(text: str, separators: str) -> Iterator[tuple[str, str]]:
    """Splits a text at the characters of IFS: yields each piece and its terminator. A blank ends a field that has begun; any
    other character ends one even if it is empty."""
    if not separators:
        yield text, ""
        return
    at = 0
    for match in _compile_delimiters(separators).finditer(text):
        yield text[at : match.start()], "field" if match[1] is not None else "blank"
        at = match.end()
    yield text[at:], ""


@lru_cache(64)
def _compile_delimiters(separators: str) -> re.Pattern[str]:
    blanks = re.escape("".join(char for char in separators if char in BLANKS))
    others = re.escape("".join(char for char in separators if char not in BLANKS))
    if not others:
        return re.compile(f"[{blanks}]+(()(?!))?")
    if not blanks:
        return re.compile(f"([{others}])")
    return re.compile(f"[{blanks}]*([{others}])[{blanks}]*|[{blanks}]+")


_GROUP_OPENING = re.compile(r"[*+@!?]\([^()]*$")


def find_split_glob(pieces: tuple[Piece, ...]) -> tuple[int, int, int, int, str] | None:
    """Finds a glob that begins in one piece and ends in another: `[$x]`, `["a"b]`, `@("a"|b)`. Returns both pieces, the
    positions in their texts, and a matching pattern."""
    for n, piece in enumerate(pieces):
        if type(piece) is not Text or piece.quoted:
            continue
        group = _GROUP_OPENING.search(piece.value)
        opened = group.start() if group is not None else piece.value.rfind("[")
        mark, like = (")", "*") if group is not None else ("]", "?")
        if opened < 0 or mark in piece.value[opened:]:
            continue
        for end in range(n + 1, len(pieces)):
            last = pieces[end]
            if type(last) is Text and not last.quoted and mark in last.value:
                return n, opened, end, last.value.index(mark) + 1, like
        return None
    return None
