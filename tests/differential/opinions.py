"""Names of the commands in a text according to two other parsers of bash."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from tree_sitter import Language, Node, Parser

UNKNOWN = "*"
"""A name that is not plain text."""

_DECLARING = ("declaration_command", "unset_command")


@lru_cache(1)
def _parser() -> Parser:
    import tree_sitter_bash

    return Parser(Language(tree_sitter_bash.language()))


def tree_sitter_names(text: str) -> list[str] | None:
    """Returns None if the parser finds an error in the text."""
    root = _parser().parse(text.encode()).root_node
    return None if root.has_error else sorted(_names(root))


def _names(node: Node) -> Iterator[str]:
    if node.type == "command_name":
        yield _literal_name(node.named_children[0]) if node.named_children else _text(node)
    elif node.type in _DECLARING:
        yield _text(node.children[0])
    elif node.type == "test_command" and node.children[0].type == "[":
        yield "["
    for child in node.children:
        yield from _names(child)


def _text(node: Node) -> str:
    return (node.text or b"").decode()


def _literal_name(node: Node) -> str:
    match node.type:
        case "word":
            text = _text(node)
            return UNKNOWN if text.startswith("~") else text.replace("\\", "")
        case "raw_string":
            return _text(node)[1:-1]
        case "string" if all(child.type in ('"', "string_content") for child in node.children):
            return _text(node)[1:-1]
        case "concatenation":
            parts = [_literal_name(child) for child in node.named_children]
            return UNKNOWN if UNKNOWN in parts else "".join(parts)
        case _:
            return UNKNOWN


def shfmt_names(text: str) -> list[str] | None:
    """Returns None if the parser refuses the text."""
    program = shutil.which("shfmt", path=str(Path(sys.executable).parent)) or "shfmt"
    result = subprocess.run([program, "-tojson", "-ln", "bash"], input=text, capture_output=True, text=True, check=False)
    return sorted(_iter_names(json.loads(result.stdout))) if result.returncode == 0 else None


def _iter_names(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for each in node:
            yield from _iter_names(each)
        return
    if not isinstance(node, dict):
        return
    if node.get("Type") == "CallExpr" and node.get("Args"):
        yield _literal_word(node["Args"][0]["Parts"])
    elif node.get("Type") == "DeclClause":
        yield node["Variant"]["Value"]
    elif node.get("Type") == "LetClause":
        yield "let"
    for value in node.values():
        yield from _iter_names(value)


def _literal_word(parts: list[dict[str, Any]]) -> str:
    text = ""
    for part in parts:
        match part["Type"]:
            case "Lit":
                text += part["Value"].replace("\\", "")
                if part["Value"].startswith("~"):
                    return UNKNOWN
            case "SglQuoted" if "Dollar" not in part:
                text += part["Value"]
            case "DblQuoted":
                text += _literal_word(part.get("Parts", []))
            case _:
                return UNKNOWN
    return UNKNOWN if UNKNOWN in text else text
