"""JavaScript and TypeScript text -> a tree (tree-sitter), its nodes of interest by kind, and which scope a place is in."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query

_GRAMMARS = (
    ("tree_sitter_javascript", "language"),
    ("tree_sitter_typescript", "language_typescript"),
    ("tree_sitter_typescript", "language_tsx"),
)
FUNCTIONS = (
    *("function_declaration", "generator_function_declaration", "function_expression", "generator_function"),
    *("arrow_function", "method_definition"),
)
_SCOPES = (*FUNCTIONS, "program", "statement_block", "for_in_statement", "for_statement", "catch_clause", "class_body")
_KINDS = {
    "call": ("call_expression", "new_expression"),
    "declared": ("variable_declarator",),
    "var": ("variable_declaration",),
    "pair": ("pair",),
    "with": ("with_statement",),
    "assigned": ("assignment_expression", "augmented_assignment_expression"),
    "imported": ("import_statement",),
    "looped": ("for_in_statement", "while_statement", "for_statement"),
    "function": FUNCTIONS,
    "returned": ("return_statement",),
    "scope": _SCOPES,
}


@dataclass(frozen=True, slots=True)
class Tree:
    data: bytes
    root: Node
    found: dict[str, list[Node]]

    def of(self, kind: str) -> list[Node]:
        return self.found.get(kind, [])

    def shown(self, node: Node) -> str:
        """How it begins: the text of a whole node is a copy of it, and nodes lie within nodes."""
        return self.data[node.start_byte : min(node.end_byte, node.start_byte + 60)].decode("utf-8", "replace")


def parse(text: str) -> Tree:
    """The first grammar that reads all of it; where none does, what the first made of it: `root.has_error`. ImportError where
    the grammars are not installed."""
    data = text.encode("utf-8", "replace")
    best: tuple[Node, Query] | None = None
    for module, language in _GRAMMARS:
        parser, query = _parser(module, language)
        root = parser.parse(data).root_node
        if not root.has_error:
            best = root, query
            break
        best = best or (root, query)
    assert best is not None
    from tree_sitter import QueryCursor

    found = QueryCursor(best[1]).captures(best[0])
    return Tree(data, best[0], {kind: sorted(nodes, key=lambda node: node.start_byte) for kind, nodes in found.items()})


@lru_cache(3)
def _parser(module: str, language: str) -> tuple[Parser, Query]:
    from tree_sitter import Language, Parser, Query

    grammar = Language(getattr(import_module(module), language)())
    patterns = [f"({node}) @{kind}" for kind, nodes in _KINDS.items() for node in nodes]
    return Parser(grammar), Query(grammar, "\n".join(patterns))


class Scopes:
    """Which scope stands around a place: by where they begin and end."""

    def __init__(self, nodes: list[Node]) -> None:
        self._nodes = sorted(nodes, key=lambda node: (node.start_byte, -node.end_byte))
        self._starts = [node.start_byte for node in self._nodes]
        self._around: list[int] = []
        stack: list[int] = []
        for n, node in enumerate(self._nodes):
            while stack and self._nodes[stack[-1]].end_byte <= node.start_byte:
                stack.pop()
            self._around.append(stack[-1] if stack else -1)
            stack.append(n)

    def at(self, byte: int) -> int:
        """The innermost scope, as a number; 0 is the whole program."""
        n = bisect_right(self._starts, byte) - 1
        while n > 0 and self._nodes[n].end_byte <= byte:
            n = self._around[n]
        return max(n, 0)

    def outside(self, scope: int) -> int:
        return self._around[scope] if scope > 0 else -1

    def of_function(self, scope: int) -> int:
        """Where a `var` in this scope stands."""
        while scope > 0 and self._nodes[scope].type not in FUNCTIONS:
            scope = self._around[scope]
        return max(scope, 0)

    def function_at(self, byte: int) -> Node:
        return self._nodes[self.of_function(self.at(byte))]


def text(node: Node | None) -> str:
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


def inner(node: Node) -> list[Node]:
    """Its parts without comments."""
    return [child for child in node.named_children if child.type != "comment"]


_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": "", "\r": ""}
_NUMBERED = re.compile(r"x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}")
_OCTAL = re.compile(r"[0-3]?[0-7]{1,2}")


def unescaped(escape: str) -> str:
    """`\\n`, `\\x41`, `\\u{1f600}`, `\\101` -> what it stands for."""
    body = escape[1:]
    if numbered := _NUMBERED.fullmatch(body):
        code = int(next(group for group in numbered.groups() if group), 16)
        return chr(code) if code < 0x110000 else ""
    if body not in _PLAIN and _OCTAL.fullmatch(body):
        return chr(int(body, 8))
    return _PLAIN.get(body, body)
