"""Reads structured documents written by people: YAML with limited nesting, JSON with comments."""

import json
import re
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from yaml import MappingNode, ScalarNode, SequenceNode

    Node = ScalarNode | SequenceNode | MappingNode


class InvalidDocument(Exception):
    """The text is not a document of its format. `line` counts from 1, if the parser reports it."""

    def __init__(self, cause: str, line: int | None = None) -> None:
        super().__init__(cause if line is None else f"{cause} (line {line})")


def compose_yaml(text: str) -> "Node | None":
    """Returns the node tree of a YAML document; None for an empty text.

    Raises InvalidDocument for text that does not parse, and for brackets nested deeper than `MAX_NESTING`: the parser's cost
    grows with the square of their depth.
    """
    import yaml  # imported only if there is a document

    if _is_nested_too_deep(text):
        raise InvalidDocument("it is nested too deep")
    try:
        node: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, ValueError) as problem:
        mark = getattr(problem, "problem_mark", None)
        raise InvalidDocument("it is not YAML", mark.line + 1 if mark else None) from None
    except RecursionError:
        raise InvalidDocument("it is nested too deep") from None
    return cast("Node | None", node)


def read_yaml(text: str) -> Any:
    """Returns a YAML document as texts, lists and tables; scalars are not converted. An alias is the same value, not a copy,
    and None within itself. Raises InvalidDocument as `compose_yaml` does."""
    return _to_plain_value(compose_yaml(text), {})


def _to_plain_value(node: "Node | None", converted: dict[int, Any]) -> Any:
    if node is None or node.id == "scalar":
        return None if node is None else node.value
    if id(node) not in converted:
        converted[id(node)] = None
        if node.id == "sequence":
            converted[id(node)] = [_to_plain_value(each, converted) for each in node.value]
        else:
            converted[id(node)] = {
                key.value: _to_plain_value(value, converted) for key, value in node.value if key.id == "scalar"
            }
    return converted[id(node)]


def read_json_with_comments(text: str) -> Any:
    """Reads JSON with comments and trailing commas, as editors and Deno do. Raises InvalidDocument."""
    try:
        return json.loads(_remove_comments(text))
    except (ValueError, RecursionError):
        raise InvalidDocument("it does not parse as JSON") from None


def read_leading_json(text: str) -> Any:
    """Reads the value at the start of a text, and its texts with control characters in them, as editors do. Raises
    InvalidDocument."""
    try:
        return json.JSONDecoder(strict=False).raw_decode(_remove_comments(text).strip())[0]
    except (ValueError, RecursionError):
        raise InvalidDocument("it does not parse as JSON") from None


def _remove_comments(text: str) -> str:
    return _LAST_COMMA.sub(_keep_string, _COMMENT.sub(_keep_string, text))


def _keep_string(match: re.Match[str]) -> str:
    return match[1] or ""


_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')


def _is_nested_too_deep(text: str) -> bool:
    """Returns whether more than `MAX_NESTING` brackets are open at one point, those in strings and comments included."""
    if text.count("[") + text.count("{") <= MAX_NESTING:
        return False
    depth = 0
    for character in text:
        if character in "[{":
            depth += 1
            if depth > MAX_NESTING:
                return True
        elif character in "]}" and depth:
            depth -= 1
    return False


MAX_NESTING = 200
