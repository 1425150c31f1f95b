"""Narrowing by tests of a name or a path: `strings.HasSuffix(name, ".tmp")`, `filepath.Ext(path) == ".tmp"`,
`d.Name() == "node_modules"`."""

from __future__ import annotations

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.journal import Frame
from toolgate.languages.evaluation.shared_state import Evaluation
from toolgate.languages.evaluation.values import Instance, Value, text_of
from toolgate.model.word import Word

_PARTS = frozenset(("filepath.Base", "path.Base", "strings.ToLower", "filepath.Ext", "path.Ext", "string"))
_FORMS = {"strings.HasSuffix": "*{}", "strings.HasPrefix": "{}*", "strings.Contains": "*{}*"}


def find_narrowing(evaluation: Evaluation, test: nodes.Expression) -> tuple[nodes.Expression, list[str]] | None:
    """Returns the expression that a test is about, and globs that its last part matches if the test is true."""
    if isinstance(test, nodes.Comparison) and test.operator == "==":
        return _narrow_by_text(evaluation, test.left, test.right) or _narrow_by_text(evaluation, test.right, test.left)
    if isinstance(test, nodes.Call) and len(test.arguments) == 2:
        first, second = (each.value for each in test.arguments)
        name = _dotted_name(test.function)
        if name in _FORMS:
            return _narrow(evaluation, first, second, _FORMS[name])
        if name in ("filepath.Match", "path.Match"):
            return _narrow(evaluation, second, first, "{}")
    return None


def _narrow_by_text(
    evaluation: Evaluation, left: nodes.Expression, right: nodes.Expression
) -> tuple[nodes.Expression, list[str]] | None:
    is_suffix = isinstance(left, nodes.Call) and _dotted_name(left.function) in ("filepath.Ext", "path.Ext")
    return _narrow(evaluation, left, right, "*{}" if is_suffix else "{}")


def _narrow(
    evaluation: Evaluation, tested: nodes.Expression, wanted: nodes.Expression, form: str
) -> tuple[nodes.Expression, list[str]] | None:
    if not isinstance(wanted, nodes.Literal | nodes.Name):
        return None
    wanted_text, place = text_of(evaluation.evaluate(wanted)), _find_place(evaluation, tested)
    return (place, [form.format(wanted_text)]) if wanted_text and "/" not in wanted_text and place is not None else None


def _find_place(evaluation: Evaluation, tested: nodes.Expression) -> nodes.Expression | None:
    """Returns the name whose value, or whose last part, is tested. `d.Name()` is the last part of the path beside `d`."""
    match tested:
        case nodes.Name():
            return tested
        case nodes.Call(function=nodes.Attribute(owner=nodes.Name() as owner, name="Name"), arguments=()):
            entry = evaluation.evaluate(owner)
            path = entry.fields.get("path") if isinstance(entry, Instance) else None
            return _find_variable(evaluation, path) or owner
        case nodes.Call(arguments=(argument,)) if _dotted_name(tested.function) in _PARTS:
            return _find_place(evaluation, argument.value)
        case _:
            return None


def _find_variable(evaluation: Evaluation, value: Value | None) -> nodes.Name | None:
    frame: Frame | None = evaluation.frame if isinstance(value, Word) else None
    while frame is not None:
        for name, held in frame.variables.items():
            if held is value:
                return nodes.Name(name)
        frame = frame.parent
    return None


def _dotted_name(node: nodes.Expression) -> str:
    if isinstance(node, nodes.Attribute):
        return f"{_dotted_name(node.owner)}.{node.name}"
    return node.name if isinstance(node, nodes.Name) else ""
