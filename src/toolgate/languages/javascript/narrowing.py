"""Narrowing by tests of a name or a path: `name.endsWith(".tmp")`, `path.extname(name) === ".tmp"`, `/\\.tmp$/.test(name)`."""

from __future__ import annotations

import re

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.shared_state import Evaluation
from toolgate.languages.evaluation.values import Instance, ListValue, list_alternatives, text_of
from toolgate.model.word import Word

_SUFFIX = re.compile(r"(?P<any>\.\*|\.\+)?(?P<text>(?:[\w-]|\\[.\-_])+)\$")
_PREFIX = re.compile(r"\^(?P<text>(?:[\w-]|\\[.\-_])+)")


def find_narrowing(evaluation: Evaluation, test: nodes.Expression) -> tuple[nodes.Expression, list[str]] | None:
    """Returns the expression that a test is about, and globs that its last part matches if the test is true."""
    if isinstance(test, nodes.Call):
        return _narrow_by_call(evaluation, test)
    if not isinstance(test, nodes.Comparison) or test.operator != "==":
        return None
    return _narrow_by_equality(evaluation, test.left, test.right) or _narrow_by_equality(evaluation, test.right, test.left)


def _narrow_by_equality(
    evaluation: Evaluation, left: nodes.Expression, right: nodes.Expression
) -> tuple[nodes.Expression, list[str]] | None:
    place = _find_narrowed_place(left)
    texts = _known_texts(evaluation, right) if place is not None and isinstance(right, nodes.Literal | nodes.Name) else []
    return (place, [("*" if _is_suffix(left) else "") + text for text in texts]) if place is not None and texts else None


def _narrow_by_call(evaluation: Evaluation, test: nodes.Call) -> tuple[nodes.Expression, list[str]] | None:
    if not isinstance(test.function, nodes.Attribute) or len(test.arguments) != 1:
        return None
    name, owner, argument = test.function.name, test.function.owner, test.arguments[0].value
    if name in ("endsWith", "startsWith"):
        place = _find_narrowed_place(owner)
        globs = [f"*{text}" if name == "endsWith" else f"{text}*" for text in _known_texts(evaluation, argument)]
        return (place, globs) if place is not None and globs else None
    if (
        name == "includes"
        and isinstance(owner, nodes.Collection | nodes.Name)
        and (place := _find_narrowed_place(argument)) is not None
    ):
        globs = [("*" if _is_suffix(argument) else "") + text for text in _known_texts(evaluation, owner)]
        return (place, globs) if globs else None
    if name == "test" and isinstance(owner, nodes.Literal) and isinstance(owner.value, Instance):
        place, glob = _find_narrowed_place(argument), _glob_from_regex(text_of(owner.value.fields.get("source")) or "")
        return (place, [glob]) if place is not None and glob else None
    return None


def _glob_from_regex(source: str) -> str | None:
    """Returns a glob for regular expressions that only test a text's prefix or suffix."""
    if (ends := _SUFFIX.fullmatch(source)) is not None:
        return "*" + ends["text"].replace("\\", "")
    begins = _PREFIX.fullmatch(source)
    return begins["text"].replace("\\", "") + "*" if begins is not None else None


def _is_suffix(node: nodes.Expression) -> bool:
    """Returns whether this is only the end of a name."""
    if isinstance(node, nodes.Call) and isinstance(node.function, nodes.Attribute):
        return node.function.name in ("extname", "slice") or (
            node.function.name == "toLowerCase" and _is_suffix(node.function.owner)
        )
    return False


def _find_narrowed_place(node: nodes.Expression) -> nodes.Expression | None:
    """Returns the name whose value, or whose last part, this is."""
    if isinstance(node, nodes.Name):
        return node
    if isinstance(node, nodes.Attribute) and node.name == "name":
        return _find_narrowed_place(node.owner)
    if not isinstance(node, nodes.Call) or not isinstance(node.function, nodes.Attribute):
        return None
    name, owner = node.function.name, node.function.owner
    if name in ("toLowerCase", "trim", "slice"):
        return _find_narrowed_place(owner)
    return _find_narrowed_place(node.arguments[0].value) if name in ("basename", "extname") and node.arguments else None


def _known_texts(evaluation: Evaluation, node: nodes.Expression) -> list[str]:
    found: list[str] = []
    for value in list_alternatives(evaluation.evaluate(node)):
        items = list(value.items) if isinstance(value, ListValue) and value.rest is None else [value]
        for each in items:
            if not isinstance(each, Word) or not each.text:
                return []
            found.append(each.text)
    return found
