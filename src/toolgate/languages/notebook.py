"""Notebooks of Jupyter: the language of each cell's code, and what a run of all cells executes."""

import json
import re
from collections.abc import Iterator

from toolgate.model.effect import NOTEBOOK_CELL, Carrier, Interpret, Opaque, ReportedEffect
from toolgate.model.execution_context import ExecutionContext

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
        sources = [_join_source(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, LookupError, TypeError, RecursionError):
        yield Opaque("this is no notebook", context.origin)
        return
    programs: list[tuple[str, str]] = []
    sources = [_HELP.sub("", source) for source in sources]
    for language, source in (each for cell in sources for each in split_cell(cell, kernel_language(text))):
        if programs and programs[-1][0] == language:
            programs[-1] = language, f"{programs[-1][1]}\n{source}"
        else:
            programs.append((language, source))
    for language, source in programs:
        word = word_from_text(source, code.code.src)
        yield Interpret(language, word, context.origin, via=Carrier(NOTEBOOK_CELL), file=code.file)


_HELP = re.compile(r"^[ \t]*[\w.()\[\]]+\?{1,2}[ \t]*$", re.MULTILINE)
"""Matches a line that shows the documentation of a name, and runs nothing."""


def _join_source(source: object) -> str:
    return "".join(map(str, source)) if isinstance(source, list) else str(source)
