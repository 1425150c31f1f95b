"""Exports the audit log as CSV (RFC 4180) for spreadsheets; no cell is a formula, whatever an agent wrote."""

import csv
from collections.abc import Iterable
from typing import TextIO

from .fields import RecordLine, describe_effect, describe_stakes, make_visible, number_of, objects_of

TEXTS = (
    "time",
    "id",
    "host",
    "session",
    "agent",
    "role",
    "tool",
    "tool_use_id",
    "operation",
    "judged",
    "verdict",
    "reason",
    "policy",
    "outcome",
    "gate",
    "undo",
    "failure",
)
COLUMNS = (*TEXTS, "rules", "effects", "stakes", "microseconds")
_FORMULA = (
    "=",
    "+",
    "-",
    "@",
    "\N{FULLWIDTH EQUALS SIGN}",
    "\N{FULLWIDTH PLUS SIGN}",
    "\N{FULLWIDTH HYPHEN-MINUS}",
    "\N{FULLWIDTH COMMERCIAL AT}",
)
"""Prefixes that make a spreadsheet evaluate a cell. Tabs and line breaks have the same effect and are escaped before."""


def write_csv(lines: Iterable[RecordLine], file: TextIO) -> int:
    """Writes a heading and a row for each readable record, and returns the number of records."""
    writer = csv.writer(file, quoting=csv.QUOTE_ALL)
    writer.writerow(COLUMNS)
    count = 0
    for line in lines:
        if line:
            writer.writerow(_cells(line))
            count += 1
    return count


def _cells(line: RecordLine) -> list[str]:
    rules = "; ".join(f"{each.get('verdict', '')} {each.get('rule', '')}" for each in objects_of(line, "rules"))
    effects = "; ".join(map(describe_effect, objects_of(line, "effects")))
    cells = [*(make_visible(line.get(name, "")) for name in TEXTS), make_visible(rules), effects, describe_stakes(line)]
    return [*map(escape_formula, cells), str(number_of(line, "microseconds"))]


def escape_formula(text: str) -> str:
    """Returns the text, with a leading apostrophe if a spreadsheet would evaluate it."""
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text
