"""JSON that Python writes: texts of known values, and notebooks made with nbformat."""

from __future__ import annotations

from collections.abc import Mapping

from toolgate.languages.evaluation.leaf_texts import text_with_variables
from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.plain_values import render_json
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import FALSE, NULL, Constant, ListValue, MapValue, Unknown, Value
from toolgate.model.word import Word, known_word

from .files import print_into


class NotebookNode(MapValue):
    """A map whose entries are its attributes, too."""

    __slots__ = ()


def _find_argument(arguments: Arguments, position: int, *names: str) -> Value | None:
    named = (arguments.named[name] for name in names if name in arguments.named)
    return arguments.positional[position] if len(arguments.positional) > position else next(named, None)


def _render(value: Value | None) -> tuple[Word, bool]:
    """Returns a value's JSON, and whether it is known."""
    text = render_json(value) if value is not None else None
    if text is None:
        return text_with_variables("a text", value if value is not None else NULL), False
    return known_word(text), True


def _dump_text(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return _render(_find_argument(arguments, 0, "obj"))[0]


def _dump_into(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`json.dump(value, file)`, `nbformat.write(notebook, file)`; the latter opens the file that a path names."""
    text, is_known = _render(_find_argument(arguments, 0, "obj", "nb"))
    file = _find_argument(arguments, 1, "fp")
    if isinstance(file, Word):
        evaluation.report.write(file, text, FALSE)
    elif file is not None:
        print_into(evaluation, file, text, is_whole=is_known)
    return NULL


def _make_notebook(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    entries: dict[str, Value] = {"cells": ListValue("list"), "metadata": NotebookNode(), "nbformat": Constant(4)}
    return NotebookNode({**entries, **arguments.named}.items())


def _cell_maker(kind: str) -> SpecialCall:
    def make_cell(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
        source = _find_argument(arguments, 0, "source") or known_word("")
        return NotebookNode((("cell_type", known_word(kind)), ("metadata", NotebookNode()), ("source", source)))

    return make_cell


JSON_CALLS: Mapping[str, SpecialCall] = {
    "json.dumps": _dump_text,
    **dict.fromkeys(("json.dump", "nbformat.write"), _dump_into),
    "nbformat.v4.new_notebook": _make_notebook,
    "nbformat.v4.new_code_cell": _cell_maker("code"),
    "nbformat.v4.new_markdown_cell": _cell_maker("markdown"),
    "nbformat.v4.new_raw_cell": _cell_maker("raw"),
    "nbformat.from_dict": lambda _evaluation, _receiver, arguments: _find_argument(arguments, 0, "dct") or Unknown("a notebook"),
}
