"""Cells of notebooks: lowers a cell's code as it would run."""

import ast
import re

from toolgate.languages.notebook import kernel_language, split_cell
from toolgate.model.effect import DEFAULT_ORIGIN, Carrier, Interpret
from toolgate.model.word import Word, join_words, known_word
from toolgate.shell.domain.protocol import NO_SCOPE, Command
from toolgate.tools.clients import INTERPRETER_ARGV

from .worklist import Lowering

_USUAL_IMPORTS = {"python": "import os, shutil, subprocess, sys, pathlib; from pathlib import Path\n"}
"""Imports of earlier cells, under their usual names."""
_IS_COMMAND_LINE = re.compile(r"^([ \t]*)[!%].*$", re.MULTILINE)
"""Matches a line that a notebook passes to a shell, or to itself."""


def lower_cell(source: str, cwd: Word, notebooks: tuple[Word | None, ...] = ()) -> Lowering:
    """Lowers the code of a cell, in each language that its notebook may have. Returns what the cell shows."""
    shown: list[Word] = []
    languages = dict.fromkeys(kernel_language(each.text if each is not None else None) for each in notebooks) or {"python": None}
    for language in languages:
        for own, code in split_cell(source, language):
            program = INTERPRETER_ARGV.get(own)
            if program is None:
                yield Interpret(own, known_word(code), DEFAULT_ORIGIN, via=Carrier("a notebook's cell"))
                continue
            text = _USUAL_IMPORTS.get(own, "") + (_print_last_value(code) if own == "python" else code)
            command = Command((*map(known_word, program), known_word(text)), cwd, NO_SCOPE, via=(Carrier("a notebook's cell"),))
            shown.append((yield command))
    return join_words(shown)


def _print_last_value(code: str) -> str:
    """Returns Python code that prints the value of its last expression, which a notebook shows below the cell unless a semicolon
    ends it."""
    try:
        statements = ast.parse(_IS_COMMAND_LINE.sub(r"\1pass", code)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code
    last = statements[-1] if statements else None
    if not isinstance(last, ast.Expr) or code.rstrip().endswith(";"):
        return code
    lines = code.splitlines(keepends=True)
    before = "".join(lines[: last.lineno - 1]) + lines[last.lineno - 1].encode()[: last.col_offset].decode(errors="ignore")
    return f"{before}print({code[len(before) :].rstrip()}\n)\n"
