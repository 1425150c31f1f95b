"""Lines and rows of a known text: what code gets that goes through a file line by line, or through a table."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from toolgate.model.word import Word, known_word

from .values import NULL, ListValue, MapValue, Value, text_of

if TYPE_CHECKING:
    from .shared_state import Evaluation

_MOST_LINES = 40
_LONGEST = 16_000


def list_lines(content: Value | None) -> list[Word]:
    """Returns the lines of a text that are not blank, without their ends; none if it is not known, or has many."""
    text = text_of(content)
    if text is None or len(text) > _LONGEST:
        return []
    src = content.src if isinstance(content, Word) else frozenset[int]()
    lines = [known_word(line, src) for line in text.splitlines() if line.strip()]
    return lines if len(lines) <= _MOST_LINES else []


def join_lines(evaluation: Evaluation, content: Value) -> Value:
    """Returns a line of a text: any of them if they are known, otherwise the text itself."""

    def join(each: Value) -> Value:
        lines = list_lines(each)
        return evaluation.join_values(*lines) if lines else each

    return evaluation.map_alternatives(content, join)


def read_rows(content: Value | None, kind: str, *, is_named: bool = False) -> ListValue | None:
    """Returns the rows of a table, as lists of this kind; with `is_named` as maps by the names of the first row. None if the text
    is not known."""
    lines = list_lines(content)
    src = lines[0].src if lines else frozenset[int]()
    rows = [[known_word(cell, src) for cell in row] for row in csv.reader([line.text or "" for line in lines])]
    if not rows:
        return None
    if not is_named:
        return ListValue(kind, [ListValue(kind, row) for row in rows])
    names = [cell.text or "" for cell in rows[0]]
    return ListValue(kind, [MapValue(zip(names, row, strict=False)) for row in rows[1:]])


def split_lines(evaluation: Evaluation, content: Value | None = None) -> ListValue:
    """Returns the lines of a text as a list; what is not known is any number of them."""
    lines = list_lines(content)
    rest = None if lines or content is None else evaluation.join_values(content)
    return ListValue("array", lines, rest)


def any_line(evaluation: Evaluation, content: Value | None = None) -> Value:
    """Returns a line of a text that is read one line after another."""
    return NULL if content is None else join_lines(evaluation, content)
