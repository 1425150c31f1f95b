"""Notebooks of Jupyter: the language of each cell's code, and what a run of all cells executes."""

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

from toolgate.model.effect import NOTEBOOK_CELL, Carrier, Interpret, Opaque, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word

from . import word_from_text

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


def read(code: Interpret, text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Reads the cells in their order: those of one language that follow each other are one program."""
    try:
        cells = json.loads(text)["cells"]
        sources = list(_iter_sources(cells, code.args))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        yield Opaque("this is no notebook", context.origin)
        return
    file = code.file if code.cwd is None else code.file.rpartition("/")[2]  # the cells run in its folder
    programs: list[tuple[str, str]] = []
    sources = [_HELP.sub("", source) for source in sources]
    for language, source in (each for cell in sources for each in split_cell(cell, kernel_language(text))):
        if programs and programs[-1][0] == language:
            programs[-1] = language, f"{programs[-1][1]}\n{source}"
        else:
            programs.append((language, source))
    for language, source in programs:
        word = word_from_text(source, code.code.src)
        yield Interpret(language, word, context.origin, via=Carrier(NOTEBOOK_CELL), file=file)


def _iter_sources(cells: list[dict[str, Any]], parameters: tuple[Word, ...]) -> Iterator[str]:
    """Yields the code of cells, with parameters behind the cell that has their defaults; before all others if there is none."""
    given = "\n".join(map(_assign_parameter, parameters))
    tagged = [cell for cell in cells if cell["cell_type"] == "code" and "parameters" in cell.get("metadata", {}).get("tags", ())]
    if given and not tagged:
        yield given
    for cell in cells:
        if cell["cell_type"] == "code":
            yield _join_source(cell["source"])
            if given and tagged and cell is tagged[0]:
                yield given


def _assign_parameter(parameter: Word) -> str:
    """Returns the assignment of a parameter, `name=value`, whose text spells a number or a truth value where it can be one."""
    name, _, value = parameter.outline.partition("=")
    if parameter.text is None:
        return f"{name} = input()"  # it may be anything
    try:
        return f"{name} = {ast.literal_eval(value)!r}" if _LITERAL.fullmatch(value) else f"{name} = {value!r}"
    except (ValueError, SyntaxError):
        return f"{name} = {value!r}"


_LITERAL = re.compile(r"True|False|None|[+-]?(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})")
_HELP = re.compile(r"^[ \t]*[\w.()\[\]]+\?{1,2}[ \t]*$", re.MULTILINE)
"""Matches a line that shows the documentation of a name, and runs nothing."""


def _join_source(source: object) -> str:
    return "".join(map(str, source)) if isinstance(source, list) else str(source)
