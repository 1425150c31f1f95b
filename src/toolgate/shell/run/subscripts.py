"""Subscripts of arrays, as far as they are literal: `a[@]`, `a[*]`, `a[1]`."""

import re

from toolgate.shell.syntax.tree import Parameter, ShellWord, Text


def is_whole_array(piece: Parameter) -> bool:
    """Returns whether this is `${a[@]}` or `${a[*]}`."""
    return piece.subscript is not None and _literal_text(piece.subscript) in ("@", "*")


def joins_elements(piece: Parameter) -> bool:
    """Returns whether this is one word (`"$*"`, `"${a[*]}"`) and not several (`"$@"`, `"${a[@]}"`)."""
    return piece.name == "*" or (piece.subscript is not None and _literal_text(piece.subscript) == "*")


def parse_index(subscript: ShellWord) -> int | None:
    """Returns the number that a subscript literally is."""
    text = _literal_text(subscript)
    return int(text) if text and re.fullmatch(r"-?[0-9]{1,6}", text) else None


def _literal_text(word: ShellWord) -> str | None:
    pieces = word.pieces
    if not pieces:
        return ""
    return pieces[0].value if len(pieces) == 1 and isinstance(pieces[0], Text) else None
