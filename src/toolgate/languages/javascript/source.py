"""Lowers JavaScript text to the evaluator's nodes."""

from __future__ import annotations

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.shared_state import Evaluation
from toolgate.languages.evaluation.source_units import SourceUnit
from toolgate.model.unread_code import opaque_for_unread

from .grammar import parse_source
from .lowering import Lowering

MAX_TEXT = 800_000
REMEDY = (
    "its grammars, tree_sitter_javascript and tree_sitter_typescript, are not installed"
    " (pip install tree-sitter-javascript tree-sitter-typescript)"
)


class SourceError(ValueError):
    """The text cannot be read at all."""


def lower_text(text: str, evaluation: Evaluation) -> nodes.Block:
    """Lowers some text. Parts that do not parse are reported as Opaque, and the rest is read."""
    if len(text) > MAX_TEXT:
        raise SourceError(f"it is longer than {MAX_TEXT:,} characters")
    data = text.encode("utf-8", "replace")
    report = evaluation.report
    assert isinstance(report.unit, SourceUnit)
    file = report.unit.file
    try:
        tree = parse_source(data, file)
        lowering = Lowering(data)
        block = lowering.lower_program(tree)
    except ImportError:
        raise SourceError(REMEDY) from None
    except RecursionError:
        raise SourceError("it is nested deeper than the gate follows") from None
    if tree.has_error:
        report.add_effect(
            opaque_for_unread(file or "this JavaScript", "it does not parse as JavaScript or TypeScript", report.origin)
        )
    report.work.spend_steps(tree.descendant_count // 8)
    evaluation.sources.update(  # type: ignore[attr-defined]
        (key, data[start:end].decode("utf-8", "replace")) for key, (start, end) in lowering.sources.items()
    )
    return block
