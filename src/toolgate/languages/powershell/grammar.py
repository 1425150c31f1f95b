"""The syntax tree of a PowerShell text, and the arguments of its commands."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from toolgate.model.word import Maybe, Word


@lru_cache(1)
def _parser() -> Any:
    import tree_sitter
    import tree_sitter_powershell

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_powershell.language()))


_BARE_WORD = r"[\w.*?~:/\\][\w.*?~:/\\-]*"
_SIZE = re.compile(r"(?<=\d)[KMGTP]B\b", re.IGNORECASE)
_QUOTED = r"'(?:[^']|'')*'|\"(?:[^\"`]|`.|\"\")*\"|`.|#.*"
_BARE_LIST = re.compile(rf"(?P<quoted>{_QUOTED})|(?<![^\s,(]){_BARE_WORD}(?:\s*,\s*{_BARE_WORD})+")


def parse_tree(text: str) -> Any:
    """Returns the root. The grammar supports neither a size after an operator (`$n/1KB`) nor lists of bare words (`rm bin, obj`):
    the unit is dropped, and the words are quoted. Raises ImportError."""
    root = _parse(text)
    for reading in (_SIZE.sub("", text), _quote_lists(text), _quote_lists(_SIZE.sub("", text))):
        if not root.has_error:
            break
        again = _parse(reading) if reading != text else root
        root = root if again.has_error else again
    return root


def _parse(text: str) -> Any:
    return _parser().parse(text.encode("utf-8", "replace")).root_node


def _quote_lists(text: str) -> str:
    def quote(found: re.Match[str]) -> str:
        return found[0] if found["quoted"] else re.sub(_BARE_WORD, r"'\g<0>'", found[0])

    return text if _HERE_STRING.search(text) else _BARE_LIST.sub(quote, text)


_HERE_STRING = re.compile(r"@['\"]\s*\n")


def iter_nodes(node: Any, kind: str) -> Iterator[Any]:
    """Yields the nodes of a kind, in the order of the text."""
    if node.type == kind:
        yield node
    for child in node.children:
        yield from iter_nodes(child, kind)


def list_elements(node: Any) -> list[Any]:
    """Returns parameters, arguments and redirections, without separators."""
    found = next((child for child in node.children if child.type == "command_elements"), None)
    return [child for child in found.children if child.type not in ("command_argument_sep", " ")] if found is not None else []


def is_attached(element: Any) -> bool:
    """Returns whether an argument follows its parameter's colon: `-WhatIf:$false`."""
    before = element.prev_sibling
    return before is not None and before.type == "command_argument_sep" and before.text.strip() == b":"


def list_members(element: Any) -> list[Any]:
    """Returns the members of `a, b`; otherwise the element itself."""
    inner = [child for child in element.children if child.is_named]
    return inner if element.type == "array_literal_expression" and len(inner) > 1 else [element]


@dataclass(frozen=True, slots=True)
class CmdletArguments:
    """A cmdlet's arguments: positional ones, each with its members, and named ones by their possibly abbreviated names."""

    positions: tuple[tuple[Word, ...], ...]
    named: tuple[tuple[str, Word], ...]

    @property
    def words(self) -> tuple[Word, ...]:
        """The positional arguments; of a list, its first member."""
        return tuple(position[0] for position in self.positions)

    def get_all(self, *names: str) -> list[Word]:
        return [word for begun, word in self.named if word.parts and any(name.startswith(begun) for name in names)]

    def get_value(self, *names: str) -> Word | None:
        return next(iter(self.get_all(*names)), None)

    def has_flag(self, name: str) -> Maybe:
        return any(name.startswith(begun) and value.text not in _OFF for begun, value in self.named)


_OFF = ("$false", "False", "0")
