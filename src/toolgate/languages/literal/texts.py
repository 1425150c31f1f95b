"""Literal texts in code of many languages: patterns that match them, and names replaced by them."""

import re
from collections.abc import Mapping
from functools import lru_cache

TEXT = r'"(?:[^"\\\n]|\\.){0,300}+"'
IS_DECLARED = r"(?!\s*,\s*\w+\s*:=)(?!\s*(?::=|<-|[-+*/.|]?=(?![=>~])|:\s*[&\w]))"
_PIECE = re.compile(rf"{TEXT}|[()\[\]{{}}]")
_IS_TEXT = re.compile(TEXT)


def write_out(constants: Mapping[str, str], text: str) -> str:
    """Writes constants out where code refers to them, or a text does: `"${name}/x"`, `"$name/x"`, `"#{name}/x"`."""
    name = f"({'|'.join(map(re.escape, constants))})"
    in_code = re.compile(rf"{TEXT}|(?<![\w.-]){name}(?![\w-]){IS_DECLARED}")
    in_text = re.compile(rf"[$#]?\{{\s*{name}\s*\}}|\${name}(?!\w)|\\\({name}\)")

    def write_value(match: re.Match[str]) -> str:
        value = constants[match[1] or match[2] or match[3]]
        return value[value.index('"') + 1 : value.rindex('"')] if len(_IS_TEXT.findall(value)) == 1 else match[0]

    return in_code.sub(lambda match: constants[match[1]] if match[1] else in_text.sub(write_value, match[0]), text)


def write_name(pattern: re.Pattern[str], value: str, text: str) -> str:
    """Writes a value out where a pattern finds its name. `pattern`: matches whole texts as well, which stay as they are."""
    return pattern.sub(lambda match: match[0] if match[0].startswith('"') else value, text)


def find_closing(text: str, opening: int) -> int:
    """Returns where the bracket at `opening` is closed: the position after it, or the end of the text."""
    return _match_brackets(text).get(opening, len(text))


def find_opening(text: str, end: int) -> int | None:
    """Returns where the bracket that is closed before `end` was opened."""
    return _match_openings(text).get(end)


def find_unmatched(text: str, start: int, end: int) -> int:
    """Returns the position of the first bracket in a span that closes one opened before it, or the span's end."""
    depth = 0
    for piece in _PIECE.finditer(text, start, end):
        depth += 1 if piece[0] in "([{" else -1 if piece[0] in ")]}" else 0
        if depth < 0:
            return piece.start()
    return end


def find_end_of_body(text: str, head: re.Match[str]) -> int:
    """Returns where the loop's body ends: its braces, the bracket around the loop, or the last line indented deeper than it."""
    after = re.compile(r"\s*").match(text, head.end())
    start = after.end() if after else head.end()
    if text[start : start + 1] == "{":
        return find_closing(text, start)
    line = text.rfind("\n", 0, head.start()) + 1
    indentation = len(text[line:]) - len(text[line:].lstrip(" \t"))
    deeper = re.compile(rf"[^\n]*(?:\n(?:[ \t]{{{indentation + 1},}}[^\n]*|[ \t]*(?=\n)))*").match(text, head.end())
    end = deeper.end() if deeper else len(text)
    return find_unmatched(text, head.end(), end)


@lru_cache(2)
def _match_openings(text: str) -> dict[int, int]:
    return {end: opening for opening, end in _match_brackets(text).items()}


@lru_cache(2)
def _match_brackets(text: str) -> dict[int, int]:
    ends: dict[int, int] = {}
    waiting: list[int] = []
    for piece in _PIECE.finditer(text):
        if piece[0] in "([{":
            waiting.append(piece.start())
        elif waiting and piece[0] in ")]}":
            ends[waiting.pop()] = piece.end()
    return ends


def split_arguments(text: str, opening: int) -> list[str]:
    """Returns the source of the arguments in the bracket at `opening`."""
    parts: list[str] = []
    depth, start = 0, opening + 1
    for piece in _SPLITS.finditer(text, opening):
        depth += 1 if piece[0] in "([{" else -1 if piece[0] in ")]}" else 0
        if (depth == 1 and piece[0] == ",") or depth == 0:
            parts.append(text[start : piece.start()].strip())
            start = piece.end()
        if depth == 0:
            break
    return parts


_SPLITS = re.compile(rf"{TEXT}|[()\[\]{{}},]")


class ReplacedSource:
    """Code in which some spans are replaced, from left to right. Source that a replacement leaves out still counts: it is kept at
    the end, as a call in it would be made."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._done: list[str] = []
        self._left_out: list[str] = []
        self._at = 0

    def is_replaced(self, position: int) -> bool:
        """Returns whether a position lies in a span that is replaced."""
        return position < self._at

    def replace(self, start: int, end: int, source: str, kept_from: int) -> None:
        """Replaces a span, unless it overlaps one that is replaced; keeps what begins at `kept_from` in it."""
        if not self.is_replaced(start):
            self._done += self._text[self._at : start], source
            self._at = end
            if any(mark in self._text[kept_from:end].removeprefix("(") for mark in "(`"):
                self._left_out.append(self._text[kept_from:end])

    def join(self) -> str:
        """Returns the code."""
        left_out = "".join(f"\n;\n{source}" for source in self._left_out)
        return "".join((*self._done, self._text[self._at :], left_out))
