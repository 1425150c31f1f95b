"""Queries that print rows of a database."""

import re

SELECTED_ROWS = re.compile(
    r"\bselect\s+(?!(?:count|sum|avg|min|max|version|now|exists)\s*\(|\d)[^;]*?\bfrom\b|\bcopy\b[^;]*?\bto\s+stdout\b",
    re.IGNORECASE | re.DOTALL,
)
"""A query whose output is rows, and no count or other figure."""
