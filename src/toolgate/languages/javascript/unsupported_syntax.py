"""TypeScript that the grammar does not support, removed before the text is parsed again: type arguments of a tagged template
(``sql<Row[]>`SELECT 1` ``), and modifiers that are newer than the grammar (`accessor`, `import defer`).

Types and these modifiers have no effect when the code runs. Each is replaced by spaces, so every position stays the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

_MODIFIERS = frozenset((b"accessor", b"const", b"defer", b"source"))
"""GROWS: modifiers that the grammar reads as an error."""
_TYPED_TEMPLATE = re.compile(rb">\s{0,80}`")
_TYPE_ARGUMENTS = re.compile(rb"[^()`]{1,600}")
_LONGEST_TYPE = 600
_LONGEST_TEXT = 200_000
_BEFORE_TYPE_ARGUMENTS = re.compile(rb"[\w$)\]]")


class Extent(NamedTuple):
    """The bytes of a text from `start` to `end`."""

    start: int
    end: int


def remove_unsupported_syntax(root: Node, data: bytes) -> bytes | None:
    """Returns a text without the parts that the grammar does not support; None if its tree has no such part."""
    has_typed_template = _TYPED_TEMPLATE.search(data) is not None
    if not (root.has_error or has_typed_template) or len(data) > _LONGEST_TEXT:
        return None
    extents = [each for node in _walk(root) for each in _list_unsupported(node, data)]
    if not extents:
        return None
    remaining = bytearray(data)
    for start, end in extents:
        remaining[start:end] = re.sub(rb"[^\n]", b" ", data[start:end])
    return bytes(remaining)


def _walk(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.children


def _list_unsupported(node: Node, data: bytes) -> Iterator[Extent]:
    if node.type == "template_string":
        found = _find_type_arguments(data, node.start_byte)
        if found is not None:
            yield found
    elif node.type == "ERROR":
        name = node.parent.child_by_field_name("name") if node.parent is not None else None
        if name is not None and name.text == b"accessor":
            yield Extent(name.start_byte, name.end_byte)
        elif _MODIFIERS.issuperset(data[node.start_byte : node.end_byte].split()):
            yield Extent(node.start_byte, node.end_byte)


def _find_type_arguments(data: bytes, end: int) -> Extent | None:
    """Returns the type arguments that end where a template begins. They stand directly behind a name, a call or an index, and
    hold no call of their own."""
    before = data[max(0, end - _LONGEST_TYPE) : end].rstrip()
    if not before.endswith(b">"):
        return None
    close = max(0, end - _LONGEST_TYPE) + len(before)
    depth = 0
    for at in range(len(before) - 1, 0, -1):
        char = before[at : at + 1]
        if char == b">" and before[at - 1 : at] != b"=":
            depth += 1
        elif char == b"<":
            depth -= 1
        if not depth:
            is_type = _BEFORE_TYPE_ARGUMENTS.match(before[at - 1 : at]) and _TYPE_ARGUMENTS.fullmatch(before[at:])
            return Extent(close - len(before) + at, close) if is_type else None
    return None
