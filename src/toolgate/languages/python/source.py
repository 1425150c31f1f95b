"""Lowers Python text, in any encoding and with a notebook's command lines, to the evaluator's nodes."""

from __future__ import annotations

import re
from typing import NamedTuple

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.reporter import Reporter
from toolgate.model.unread_code import opaque_for_unread
from toolgate.model.word import known_word

from .grammar import blank_command_lines, declared_encoding, parse_source
from .lowering import Lowering

MAX_TEXT = 800_000
REMEDY = "its grammar, tree_sitter_python, is not installed (pip install tree-sitter-python)"
_CONTROL_MODULE = re.compile(
    r"toolgate\.(?:cli|install|stores|consent|sessions|transport|launching|audit|machine|app|__main__)(?:\.|$)"
)
"""The modules that install, stop or answer for the gate; programs that embed the gate import others (`toolgate.api`)."""
_CONSOLE_SCRIPTS = ("toolgate", "toolgate-hook")


class SourceError(ValueError):
    """The text cannot be read at all."""


def decode_source(text: str) -> bytes:
    """Decodes the text of a file, or of standard input, as Python does."""
    data = text.encode("utf-8", "surrogateescape")
    encoding = declared_encoding(text)
    if encoding:
        try:
            return data.decode(encoding).encode("utf-8", "surrogatepass")
        except (LookupError, ValueError) as problem:
            raise SourceError(f"its encoding, {encoding}, cannot be read") from problem
    return data


class _LoweredText(NamedTuple):
    """`cost`: steps of the reading that lowers it first; the same text of a file is lowered once a call."""

    block: nodes.Block
    is_whole: bool
    cost: int
    names: tuple[str, ...]


def lower_text(text: str, report: Reporter, *, is_file: bool = False) -> nodes.Block:
    """Lowers some text. Parts that do not parse are reported as Opaque, and the rest is read."""
    if len(text) > MAX_TEXT:
        raise SourceError(f"it is longer than {MAX_TEXT:,} characters")
    known = True

    def lower_now() -> _LoweredText | SourceError:
        nonlocal known
        known = False
        try:
            return _lower_data(_encode(text, is_file=is_file))
        except SourceError as problem:
            return problem

    lowered = report.seen.derive_from_files(("python", is_file, text), lower_now)
    if isinstance(lowered, SourceError):
        raise lowered
    if not lowered.is_whole:
        name = report.unit.file or "this Python code"
        report.add_effect(opaque_for_unread(name, "it does not parse as Python", report.origin))
    report.work.spend_steps(0 if known else lowered.cost)
    _report_gate_modules(lowered.names, report)
    return lowered.block


def _encode(text: str, *, is_file: bool) -> bytes:
    try:
        return decode_source(text) if is_file else text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _lower_data(data: bytes) -> _LoweredText:
    try:
        tree = parse_source(data)
        lines: list[str] = []
        if tree.has_error:
            blanked, lines = blank_command_lines(data)
            if blanked != data:
                data, tree = blanked, parse_source(blanked)
        lowering = Lowering(data)
        block = lowering.lower_block(tree)
    except ImportError:
        raise SourceError(REMEDY) from None
    except RecursionError:
        raise SourceError("it is nested deeper than the gate follows") from None
    whole = (*(nodes.ShellLine(line) for line in lines), *block)
    return _LoweredText(whole, not tree.has_error, tree.descendant_count // 8, (*lowering.modules, *lowering.texts))


def _report_gate_modules(names: tuple[str, ...], report: Reporter) -> None:
    """Reports the gate's own modules that are imported or named."""
    for name in names:
        is_own_script = name.startswith("toolgate.__main__") and report.unit.file.rpartition("/")[2] in _CONSOLE_SCRIPTS
        if name.startswith("toolgate.") and _CONTROL_MODULE.match(name) and not is_own_script:
            report.report_gate_control(known_word(name))
