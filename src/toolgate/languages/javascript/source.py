"""Lowers JavaScript text to the evaluator's nodes."""

from __future__ import annotations

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.evaluation import Evaluation
from toolgate.languages.evaluation.reporter import Unit
from toolgate.model.unread import unread_code

from .grammar import parse
from .lowering import Lowering

LONGEST = 800_000
REMEDY = (
    "its grammars, tree_sitter_javascript and tree_sitter_typescript, are not installed"
    " (pip install tree-sitter-javascript tree-sitter-typescript)"
)


class SourceError(ValueError):
    """The text cannot be read at all."""


def lower_text(text: str, evaluation: Evaluation) -> nodes.Block:
    """Lowers some text. Parts that do not parse are reported as Opaque, and the rest is read."""
    if len(text) > LONGEST:
        raise SourceError(f"it is longer than {LONGEST:,} characters")
    data = text.encode("utf-8", "replace")
    report = evaluation.report
    assert isinstance(report.unit, Unit)
    file = report.unit.file
    try:
        tree = parse(data, file)
        lowering = Lowering(data)
        block = lowering.program(tree)
    except ImportError:
        raise SourceError(REMEDY) from None
    except RecursionError:
        raise SourceError("it is nested deeper than the gate follows") from None
    if tree.has_error:
        report.add(unread_code(file or "this JavaScript", "it does not parse as JavaScript or TypeScript", report.origin))
    report.work.spend(tree.descendant_count // 8)
    evaluation.sources.update(  # type: ignore[attr-defined]
        (key, data[start:end].decode("utf-8", "replace")) for key, (start, end) in lowering.sources.items()
    )
    return block
