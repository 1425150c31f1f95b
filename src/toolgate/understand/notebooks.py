"""Cells of notebooks: lowers a cell's code as it would run."""

from toolgate.languages.notebook import kernel_language, split_cell
from toolgate.model.effect import DEFAULT_ORIGIN, Carrier, Interpret
from toolgate.model.word import EMPTY, Word, known_word
from toolgate.shell.domain.protocol import NO_SCOPE, Command
from toolgate.tools.clients import INTERPRETER_ARGV

from .worklist import Lowering

_USUAL_IMPORTS = {"python": "import os, shutil, subprocess, sys, pathlib; from pathlib import Path\n"}
"""Imports of earlier cells, under their usual names."""


def lower_cell(source: str, cwd: Word, notebooks: tuple[Word | None, ...] = ()) -> Lowering:
    """Lowers the code of a cell, in each language that its notebook may have."""
    languages = dict.fromkeys(kernel_language(each.text if each is not None else None) for each in notebooks) or {"python": None}
    for language in languages:
        for own, code in split_cell(source, language):
            program = INTERPRETER_ARGV.get(own)
            if program is None:
                yield Interpret(own, known_word(code), DEFAULT_ORIGIN, via=Carrier("a notebook's cell"))
            else:
                yield Command(
                    (*map(known_word, program), known_word(_USUAL_IMPORTS.get(own, "") + code)),
                    cwd,
                    NO_SCOPE,
                    via=(Carrier("a notebook's cell"),),
                )
    return EMPTY
