"""Lowers Ruby strings: escapes, heredocs and interpolation."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, Any

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.escapes import Escapes
from toolgate.languages.scripting.lowering import TreeLowering, put_together, text

if TYPE_CHECKING:
    from tree_sitter import Node

_ESCAPES = Escapes(
    {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "a": "\a", "e": "\x1b", "s": " ", "\n": ""},
    re.compile(r"x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}"),
    re.compile(r"[0-7]{1,3}"),
)


class StringLowering(TreeLowering):
    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._heredocs: dict[int, Node] = {}
        """The body of each heredoc, by the position of its opening."""

    def find_heredocs(self, root: Node) -> None:
        beginnings: list[Node] = []
        bodies: list[Node] = []
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if node.type == "heredoc_beginning":
                beginnings.append(node)
            elif node.type == "heredoc_body":
                bodies.append(node)
            waiting += reversed(node.named_children)
        bodies.sort(key=lambda node: node.start_byte)
        beginnings.sort(key=lambda node: node.start_byte)
        self._heredocs = {one.start_byte: body for one, body in zip(beginnings, bodies, strict=False)}

    def string(self, node: Node) -> nodes.Expression:
        """Lowers a string with interpolation; in single quotes only `\\\\` and `\\'` are escapes."""
        is_plain = self.text(node)[:1] == "'" or self.text(node)[:2] == "%q"
        return put_together(self._parts(node, is_plain=is_plain))

    def _parts(self, node: Node, *, is_plain: bool = False) -> list[nodes.Expression]:
        found: list[nodes.Expression] = []
        for each in node.named_children:
            match each.type:
                case "interpolation":
                    found.append(self.inner(each) if self.children(each) else text(""))
                case "escape_sequence":
                    found.append(text(_ESCAPES.decode(self.text(each), self.text(each)[1:])))
                case "heredoc_end":
                    pass
                case _:
                    raw = self.text(each)
                    found.append(text(re.sub(r"\\([\\'])", r"\1", raw) if is_plain else raw))
        return _merge_parts(found)

    def heredoc(self, node: Node) -> nodes.Expression:
        body = self._heredocs.get(node.start_byte)
        if body is None:
            return text("")
        parts = self._parts(body)
        only: Any = parts[0] if len(parts) == 1 else None
        if type(only) is nodes.Literal and (value := getattr(only.value, "text", None)) is not None:
            value = value[1:] if value.startswith("\n") else value
            return text(textwrap.dedent(value) if "~" in self.text(node)[:3] else value)
        return put_together(parts)

    def string_words(self, node: Node) -> nodes.Expression:
        """Lowers an array of words (`%w[a b]`, `%i[a b]`)."""
        return nodes.Collection("array", tuple(put_together(self._parts(each)) for each in self.children(node)))

    def symbol(self, node: Node) -> nodes.Expression:
        return text(self.text(node).strip(":\"'"))


def _merge_parts(parts: list[Any]) -> list[nodes.Expression]:
    """Returns the parts with adjacent literal texts merged."""
    found: list[Any] = []
    for each in parts:
        last = found[-1] if found else None
        before = getattr(last.value, "text", None) if type(last) is nodes.Literal else None
        after = getattr(each.value, "text", None) if type(each) is nodes.Literal else None
        if before is not None and after is not None:
            found[-1] = text(before + after)
        else:
            found.append(each)
    return found
