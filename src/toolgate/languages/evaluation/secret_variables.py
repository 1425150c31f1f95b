"""Tests that pick the variables with a secret's name: what they let through of the environment is its secrets.

`{k: v for k, v in os.environ.items() if "TOKEN" in k}`, `Object.entries(process.env).filter(([k]) => /secret/i.test(k))`
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolgate.model.word import HoleKind, Word

from . import nodes
from .shared_state import Evaluation
from .values import Function, Instance, ListValue, Unknown, Value, holds_environment, list_alternatives, unknown_of_kind

_names_secret = re.compile(r"(?i)token|secret|passw|credential|private_?key|api_?key|(?<![a-z])keys?(?![a-z])").search
_NEGATIONS = ("not in", "!=", "!==", "is not", "not")


def narrow_variables(evaluation: Evaluation, test: nodes.Expression) -> None:
    """Narrows the names and values of variables in the current scope, where a test that holds is about a secret's name."""
    names = [each for each in _iter_parts(test) if isinstance(each, nodes.Name)]
    if not any(_is_variable_name(evaluation, each) for each in names) or not _picks_secrets(evaluation, test):
        return
    for name, value in list(evaluation.frame.variables.items()):
        if (narrowed := _narrow(value)) is not value:
            evaluation.store(nodes.Name(name), narrowed)


def narrow_item(evaluation: Evaluation, function: Value | None, item: Value) -> Value:
    """Returns an item of a list that a function has let through."""
    last = function.body[-1] if isinstance(function, Function) and function.body else None
    test = last.value if isinstance(last, nodes.Return) else None
    return _narrow(item) if test is not None and _picks_secrets(evaluation, test) else item


def _picks_secrets(evaluation: Evaluation, test: nodes.Expression) -> bool:
    """Returns whether a test compares something to a secret's name, and negates nothing."""
    parts = list(_iter_parts(test))
    if any(isinstance(each, nodes.Unary | nodes.Comparison) and each.operator in _NEGATIONS for each in parts):
        return False
    texts = [text for each in parts if isinstance(each, nodes.Literal) for text in _iter_texts(each.value)]
    lists = [each for each in parts if isinstance(each, nodes.Name)]
    texts += [text for each in lists for value in _list_values(evaluation, each) for text in _iter_texts(value)]
    return any(map(_names_secret, texts))


def _is_variable_name(evaluation: Evaluation, name: nodes.Name) -> bool:
    found = _list_values(evaluation, name)
    return any(_narrow(each) is not each for each in found)


def _list_values(evaluation: Evaluation, name: nodes.Name) -> tuple[Value, ...]:
    frame = evaluation.frame
    while name.name not in frame.variables and frame.parent is not None:
        frame = frame.parent
    found = frame.variables.get(name.name)
    return () if found is None else list_alternatives(found)


def _narrow(value: Value) -> Value:
    if isinstance(value, ListValue) and value.rest is None:
        items = [_narrow(each) for each in value.items]
        return ListValue(value.kind, items) if any(a is not b for a, b in zip(items, value.items, strict=True)) else value
    if isinstance(value, Unknown) and value.kind is HoleKind.VARIABLE_NAME:
        return unknown_of_kind(HoleKind.SECRET_NAME)
    is_value = isinstance(value, Word | Unknown) and holds_environment(value)
    return unknown_of_kind(HoleKind.SECRET) if is_value else value


def _iter_parts(node: object) -> Iterator[nodes.Expression]:
    """Yields an expression and those within it."""
    if isinstance(node, tuple):
        if type(node) is not tuple and not isinstance(node, Word):
            yield node  # type: ignore[misc]
        if not isinstance(node, nodes.Literal | Word):
            for each in node:
                yield from _iter_parts(each)


def _iter_texts(value: Value) -> Iterator[str]:
    if isinstance(value, Word) and value.text is not None:
        yield value.text
    elif isinstance(value, ListValue):
        for each in value.items[:64]:
            yield from _iter_texts(each)
    elif isinstance(value, Instance) and (source := value.fields.get("source")) is not None:
        yield from _iter_texts(source)
