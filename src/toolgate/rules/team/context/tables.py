"""Parses Markdown tables."""

import re
from collections.abc import Iterator, Mapping

MAX_LINE_LENGTH = 2_000
"""Characters of a line: nobody writes longer ones, and parsing them would take long."""


def iter_table_rows(text: str) -> Iterator[Mapping[str, str]]:
    """Yields the rows of all Markdown tables, by the headings of their columns in lower case."""
    headings: list[str] | None = None
    before: list[str] | None = None
    for line in text.splitlines():
        stripped = line.strip()
        if "|" not in stripped or len(stripped) > MAX_LINE_LENGTH:
            headings = before = None
            continue
        cells = [strip_cell_markup(cell) for cell in stripped.strip("|").split("|")]
        if all(set(cell) <= set("-: ") for cell in cells):
            headings = [cell.lower() for cell in before or ()]
        elif headings:
            yield dict(zip(headings, cells, strict=False))
        before = cells


def strip_cell_markup(cell: str) -> str:
    """Removes Markdown links, bold and code marks."""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", cell).replace("**", "").replace("`", "").strip()
