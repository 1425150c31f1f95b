"""Cells of notebooks: finds the language of a cell's code, and lowers it as it would run."""

import json
import re
from collections.abc import Iterator

from toolgate.model.effect import DEFAULT_ORIGIN, Carrier, Interpret
from toolgate.model.word import EMPTY, Word, known_word
from toolgate.shell.domain.protocol import NO_SCOPE, Command
from toolgate.tools.arguments import INTERPRETER_ARGV

from .worklist import Lowering

_USUAL_IMPORTS = {"python": "import os, shutil, subprocess, sys, pathlib; from pathlib import Path\n"}
"""Imports of earlier cells, under their usual names."""
_MAGIC = re.compile(r"\s*%%(?P<name>[\w!]+)(?P<rest>[^\n]*)(?:\n(?P<body>.*))?\Z", re.DOTALL)
_SHELL_MAGICS = frozenset(("bash", "sh", "system", "sx", "!", "cmd", "zsh"))
_LANGUAGE_MAGICS = {
    "perl": "perl",
    "ruby": "ruby",
    "sql": "sql",
    "python": "python",
    "python3": "python",
    "pypy": "python",
    "R": "r",
}
_DISPLAY_MAGICS = frozenset(("javascript", "js", "html", "HTML", "latex", "svg", "SVG", "markdown"))
"""Shown by the page, or run in it."""
_FILE_MAGICS = frozenset(("writefile", "file"))
_KERNELS = {
    **dict.fromkeys(("python", "python3", "ipython"), "python"),
    **dict.fromkeys(("javascript", "typescript", "deno", "jslab", "tslab"), "javascript"),
    **dict.fromkeys(("bash", "sh", "zsh", "fish"), "shell"),
    **dict.fromkeys(("r", "ir"), "r"),
    "ruby": "ruby",
    "perl": "perl",
    "php": "php",
    "lua": "lua",
    "julia": "julia",
    "sql": "sql",
    "powershell": "powershell",
}


def split_cell(source: str, language: str = "python") -> Iterator[tuple[str, str]]:
    """Yields the languages and code of one cell, whose first line may pass it to another program (`%%bash`)."""
    magic = _MAGIC.match(source)
    if magic is None:
        yield language, source
        return
    name, rest, body = magic["name"], magic["rest"].strip(), magic["body"] or ""
    if name in _SHELL_MAGICS:
        yield "shell", body
    elif name == "script" and rest:
        yield "shell", f"{rest} <<'END OF THE CELL'\n{body}\nEND OF THE CELL\n"
    elif name in _FILE_MAGICS and rest:
        yield "shell", f"cat > {rest.removeprefix('-a ')} <<'END OF THE CELL'\n{body}\nEND OF THE CELL\n"
    elif name in _LANGUAGE_MAGICS:
        yield _LANGUAGE_MAGICS[name], body
    elif name not in _DISPLAY_MAGICS:  # `%%time` runs the cell
        yield language, f"{rest}\n{body}" if name in ("time", "timeit", "prun") else body


def kernel_language(notebook: str | None) -> str:
    """Returns the language of a notebook's kernel from its file; Python by default."""
    try:
        described = json.loads(notebook or "{}")["metadata"]
        names = (described.get("language_info", {}).get("name"), described.get("kernelspec", {}).get("language"))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return "python"
    found = next((name for name in names if isinstance(name, str) and name), "python")
    return _KERNELS.get(found.lower(), found.lower())


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
