"""Lowers Perl strings, patterns and heredocs with their interpolated values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.escapes import Escapes
from toolgate.languages.evaluation.values import Instance
from toolgate.languages.scripting import grammars
from toolgate.languages.scripting.lowering import NOTHING, TreeLowering, call, put_together, text, value_of

if TYPE_CHECKING:
    from tree_sitter import Node

_ESCAPES = Escapes(
    {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "e": "\x1b", "f": "\f", "b": "\b", "0": "\0"},
    re.compile(r"x([0-9A-Fa-f]{1,2})|x\{([0-9A-Fa-f]{1,6})\}"),
    re.compile(r"[0-7]{2,3}"),
)
_DIGITS = re.compile(rb"\\(?:x[0-9A-Fa-f]{1,2}|[0-7]{1,3})")
_CODE = re.compile(r"\(\?\??\{(.*?)\}\)", re.DOTALL)
"""Code embedded in a pattern."""
TOPIC = nodes.Name("$_")


def parse(data: bytes) -> Node:
    return grammars.parse(data, "tree_sitter_perl")


def _start_of(node: Node) -> int:
    """Returns the start of a text's content; the grammar omits leading blanks, so it follows the delimiter."""
    before = node.prev_sibling
    return before.end_byte if before is not None and not before.is_named else node.start_byte


class StringLowering(TreeLowering):
    comments = frozenset(("comment", "pod"))

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._heredocs: dict[int, Node] = {}

    def find_heredocs(self, root: Node) -> None:
        found: dict[str, list[Node]] = {"heredoc_token": [], "heredoc_content": []}
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if node.type in found:
                found[node.type].append(node)
            waiting += node.named_children
        tokens, bodies = (sorted(each, key=lambda node: node.start_byte) for each in found.values())
        self._heredocs = {token.start_byte: body for token, body in zip(tokens, bodies, strict=False)}

    def lower_code(self, code: str) -> nodes.Expression:
        """Lowers code embedded in a pattern or a replacement."""
        data = code.encode()
        return value_of(nodes.Sequence(type(self)(data).program(parse(data))))

    # ---- parts of texts

    def parts(self, node: Node | None, *, keeps_escapes: bool = False) -> list[nodes.Expression]:
        """Returns the literal and interpolated parts between the delimiters."""
        if node is None:
            return []
        found: list[nodes.Expression] = []
        plain = ""
        at = _start_of(node)
        if node.type == "heredoc_content":
            at = self._data.rfind(b"\n", 0, node.start_byte) + 1
        for each in node.named_children:
            plain += self._data[at : each.start_byte].decode("utf-8", "replace")
            at = each.end_byte
            if each.type in ("escape_sequence", "escaped_delimiter"):
                digits = _DIGITS.match(self._data, each.start_byte)  # the grammar leaves the digits in the text
                at = max(at, digits.end()) if digits is not None else at
                raw = self._data[each.start_byte : at].decode("utf-8", "replace")
                plain += raw if keeps_escapes else _ESCAPES.decode(raw, raw[1:])
                continue
            if each.type == "heredoc_end":
                continue
            if plain:
                found.append(text(plain))
                plain = ""
            is_list = each.type in ("array", "slice_expression", "array_deref_expression")
            found.append(call("joined", self.expression(each)) if is_list else self.expression(each))
        end = node.end_byte
        if node.type == "heredoc_content":
            last = next((each for each in node.named_children if each.type == "heredoc_end"), None)
            end = end if last is None else last.start_byte
            end = max(at, end)
        plain += self._data[at:end].decode("utf-8", "replace")
        return [*found, text(plain)] if plain or not found else found

    def _content(self, node: Node) -> nodes.Expression:
        content = node.child_by_field_name("content")
        return self._blank_text(node) if content is None else put_together(self.parts(content))

    def _blank_text(self, node: Node) -> nodes.Expression:
        """Returns the text between the delimiters, which the grammar omits if it is only blanks."""
        if node.child_count < 2:
            return text("")
        opening, closing = node.children[-2:]
        return text(self._data[opening.end_byte : closing.start_byte].decode("utf-8", "replace"))

    def lower_interpolation(self, node: Node) -> nodes.Expression:
        return self._content(node)

    def plain(self, node: Node) -> nodes.Expression:
        content = node.child_by_field_name("content")
        if content is None:
            return self._blank_text(node)
        raw = self._data[_start_of(content) : content.end_byte].decode("utf-8", "replace")
        return text(re.sub(r"\\([\\'])", r"\1", raw))

    def command(self, node: Node) -> nodes.Expression:
        return call("`", self._content(node))

    def heredoc(self, node: Node) -> nodes.Expression:
        body = self._heredocs.get(node.start_byte)
        if body is None:
            return text("")
        if "'" in self.text(node):
            raw = self.text(body)
            return text(raw[: raw.rstrip().rfind("\n") + 1])
        return put_together(self.parts(body))

    # ---- patterns

    def _pattern_parts(self, node: Node) -> list[nodes.Expression]:
        content = node.child_by_field_name("content")
        found = self.parts(content, keeps_escapes=True)
        return [*found, *(self.lower_code(match[1]) for match in _CODE.finditer(self.text(content)))]

    def _modifiers(self, node: Node) -> str:
        return self.text(node.child_by_field_name("modifiers"))

    def match(self, node: Node, target: nodes.Expression = TOPIC) -> nodes.Expression:
        return call("matches", target, *self._pattern_parts(node))

    def pattern(self, node: Node) -> nodes.Expression:
        """Lowers `qr/../` or the pattern argument of `split`."""
        parts: list[Any] = self._pattern_parts(node)
        if len(parts) == 1 and type(parts[0]) is nodes.Literal:
            return nodes.Literal(Instance("pattern", {"source": parts[0].value}))
        return call("matches", *parts)

    def substitution(self, node: Node, target: nodes.Expression = TOPIC) -> nodes.Expression:
        """Lowers `s/pattern/replacement/`; with `e` the replacement is code, with `r` the original is unchanged."""
        modifiers = self._modifiers(node)
        replacement = node.child_by_field_name("replacement") or next(
            (each for each in node.named_children if each.type == "replacement"), None
        )
        new = put_together(self.parts(replacement))
        if "e" in modifiers:
            new = self.lower_code(self.text(replacement))
            new = call("evaluate text", new) if "ee" in modifiers else new
            new = call("replacement", new)
        made = call("substituted", target, self.pattern(node), new, text(modifiers))
        return made if "r" in modifiers or target is NOTHING else nodes.AssignmentExpression(target, made)

    def transliteration(self, node: Node, target: nodes.Expression = TOPIC) -> nodes.Expression:
        old = self.text(node.child_by_field_name("content"))
        new = next((self.text(each) for each in node.named_children if each.type == "replacement"), "")
        modifiers = self.text(next((each for each in node.named_children if each.type.endswith("modifiers")), None))
        made = call("transliterated", target, text(old), text(new), text(modifiers))
        return made if "r" in modifiers else nodes.AssignmentExpression(target, made)
