"""Parses JavaScript and TypeScript text (tree-sitter), by the first grammar that supports all of it."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from toolgate.languages.evaluation.escapes import Escapes

from .unsupported_syntax import remove_unsupported_syntax

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_GRAMMARS = (
    ("tree_sitter_javascript", "language"),
    ("tree_sitter_typescript", "language_typescript"),
    ("tree_sitter_typescript", "language_tsx"),
)
_TYPESCRIPT_SUFFIXES = (".ts", ".mts", ".cts")


def parse_source(data: bytes, file: str = "") -> Node:
    """Returns the tree of some text; if no grammar parses all of it, the first grammar's. Raises ImportError if the grammars
    are not installed."""
    order = (_GRAMMARS[1], _GRAMMARS[2], _GRAMMARS[0]) if file.endswith(_TYPESCRIPT_SUFFIXES) else _GRAMMARS
    first: Node | None = None
    for module, language in order:
        root = _parse(data, module, language)
        if not root.has_error:
            return root
        first = root if first is None else first
    assert first is not None
    return first


def _parse(data: bytes, module: str, language: str) -> Node:
    """Returns the tree of some text, without the parts of TypeScript that the grammar does not support."""
    parser = _parser(module, language)
    root = parser.parse(data).root_node
    remaining = remove_unsupported_syntax(root, data)
    return root if remaining is None else parser.parse(remaining).root_node


@lru_cache(3)
def _parser(module: str, language: str) -> Parser:
    from tree_sitter import Language, Parser

    return Parser(Language(getattr(import_module(module), language)()))


def node_types() -> list[str]:
    """Returns the named kinds of node in JavaScript's grammar."""
    language = _parser(*_GRAMMARS[0]).language
    assert language is not None
    kinds = (language.node_kind_for_id(n) for n in range(language.node_kind_count) if language.node_kind_is_named(n))
    return sorted({kind for kind in kinds if kind})


ESCAPES = Escapes(
    {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": "", "\r": ""},
    re.compile(r"x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}"),
    re.compile(r"[0-3]?[0-7]{1,2}"),
)


def parse_number(text: str) -> int | float | None:
    """Parses `0o777`, `0x1ff`, `511n`, `1_000`, `1.5e3`; None for other text."""
    try:
        bare = text.rstrip("n").replace("_", "")
        if re.fullmatch(r"0[0-7]+", bare):
            return int(bare, 8)
        return int(bare, 0) if re.fullmatch(r"0[xXoObB]\w+|\d+", bare) else float(bare)
    except ValueError:
        return None
