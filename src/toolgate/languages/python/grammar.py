"""Parses Python text to a tree (tree-sitter-python): current syntax, under any interpreter."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_COMMAND_LINE = re.compile(rb"^[ \t]*(?:%%?[a-zA-Z]|[!?]|[\w, \t]*=[ \t]*[!%](?=[a-zA-Z]))[^\n]*", re.MULTILINE)
_CODING = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")


@lru_cache(1)
def _parser() -> Parser:
    import tree_sitter_python
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_python.language()))


def parse_source(data: bytes) -> Node:
    """Returns the tree of some text. Raises ImportError if the grammar is not installed."""
    return _parser().parse(data).root_node


def blank_command_lines(data: bytes) -> tuple[bytes, list[str]]:
    """Returns the text with a notebook's command lines blanked, all offsets unchanged, and the commands for the shell."""
    lines: list[str] = []

    def blank_line(match: re.Match[bytes]) -> bytes:
        text = match[0].decode("utf-8", "replace").strip()
        _, mark, command = text.partition("!")
        if mark:
            lines.append(command.lstrip("!"))
        elif shell := re.match(r"%%?(?:sx|system|bash|sh)\b(.*)", text):
            lines.append(shell[1])
        return b" " * len(match[0])

    return _COMMAND_LINE.sub(blank_line, data), [line for line in lines if line.strip()]


def declared_encoding(text: str) -> str:
    """Returns the encoding declared in the first two lines of a file; empty for the default."""
    for line in text.split("\n", 2)[:2]:
        if found := _CODING.match(line):
            name = found[1].lower().replace("_", "-")
            return "" if name in ("utf-8", "utf8", "ascii", "us-ascii", "utf-8-unix", "utf-8-sig") else name
        if line.strip() and not line.lstrip().startswith("#"):
            return ""
    return ""


def node_types() -> list[str]:
    """Returns the named kinds of node in the grammar."""
    language = _parser().language
    assert language is not None
    found = (
        language.node_kind_for_id(number) for number in range(language.node_kind_count) if language.node_kind_is_named(number)
    )
    return sorted({kind for kind in found if kind})
