"""Cells of notebooks: their code is judged as it will run."""

from toolgate.languages.notebook import language_of, split_cell
from toolgate.model.effect import HERE_AND_NOW, Interpret
from toolgate.model.word import EMPTY, Word, known
from toolgate.shell.protocol import NO_SCOPE, Command
from toolgate.tools.arguments import RUN_BY

from .worklist import Lowering

_IMPORTED = {"python": "import os, shutil, subprocess, sys, pathlib; from pathlib import Path\n"}
"""Other cells ran before: what they imported goes by its usual name."""


def lower_cell(source: str, cwd: Word, notebooks: tuple[Word | None, ...] = ()) -> Lowering:
    """The code of a cell, in each language that its notebook may be of."""
    languages = dict.fromkeys(language_of(each.text if each is not None else None) for each in notebooks) or {"python": None}
    for language in languages:
        for own, code in split_cell(source, language):
            program = RUN_BY.get(own)
            if program is None:
                yield Interpret(own, known(code), HERE_AND_NOW, via="a notebook's cell")
            else:
                yield Command(
                    (*map(known, program), known(_IMPORTED.get(own, "") + code)), cwd, NO_SCOPE, via=("a notebook's cell",)
                )
    return EMPTY
