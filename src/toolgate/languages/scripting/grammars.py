"""Parsers by the module of their grammar; raises ImportError if it is not installed."""

from __future__ import annotations

import warnings
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser


@lru_cache(8)
def _parser(module: str, function: str) -> Parser:
    from tree_sitter import Language, Parser

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # some grammars still return their address as a number
        return Parser(Language(getattr(import_module(module), function)()))


def parse(data: bytes, module: str, function: str = "language") -> Node:
    return _parser(module, function).parse(data).root_node


def node_types(module: str, function: str = "language") -> list[str]:
    """Returns the named node kinds of a grammar."""
    language = _parser(module, function).language
    assert language is not None
    kinds = (language.node_kind_for_id(n) for n in range(language.node_kind_count) if language.node_kind_is_named(n))
    return sorted({kind for kind in kinds if kind})
