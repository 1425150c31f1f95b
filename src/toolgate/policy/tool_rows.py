"""Checks rows of `[mcp]`: a row that can never have an effect is an error, because it only seems to protect."""

import difflib
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

EFFECT_KEYS = ("read", "write", "delete", "move", "connect", "shell", "run", "operation")
REQUIRED_KEYS = {"content": "write", "to": "move", "move": "to", "cwd": "shell", "target": "operation"}
"""Keys that mean nothing without another."""
MAX_ROWS = 500  # rows of a file: each is checked when a server's tool is called
_STEP = r"[^\s.|{}\[\]?]+(\[\])?"
_PATH = re.compile(rf"{_STEP}(\.{_STEP})*(\|{_STEP}(\.{_STEP})*)*")
_FLAG = re.compile(r"\{[^\s.|{}\[\]?]+\?[^\s{}]+\}")
_BRACED = re.compile(r"[^\s{}]*(\{[^\s{}]+\}[^\s{}]*)*")
_HOLE = re.compile(r"\{([^{}]*)\}")
PATH_HELP = "an argument's name; options.path for what lies in it, files[] for each of a list, a|b for the first that is there"
WORD_HELP = "{argument}, in a word or as one; {files[]} as a word of its own; {force?--force} for an argument that is true"


def iter_problems(server: str, tool: str, row: Mapping[str, Any], operations: Collection[str]) -> Iterator[tuple[str, str, str]]:
    """Yields the key within the row (empty: the row itself), the problem, and the remedy. The row is already valid in form
    (policy.forms.Tool)."""
    if not all(name.isprintable() and name for name in (server, tool)):
        yield "", "the name of a server or a tool is empty, or holds control characters", "write the names as the host shows them"
    if not any(name in row for name in EFFECT_KEYS):
        yield "", "it does not say what the tool does", f"give one of {', '.join(EFFECT_KEYS)}"
    for name, other in REQUIRED_KEYS.items():
        if name in row and other not in row:
            yield name, f"means nothing without `{other}`", f"give `{other}` too, or leave it out"
    for name, entry in row.items():
        if name not in ("run", "operation") and not _PATH.fullmatch(entry):
            yield name, "this leads to no argument", PATH_HELP
    for n, word in enumerate(row.get("run", ())):
        if not _is_word(word) or (n == 0 and "?" in word):
            yield "run", f"{word!r} is no word of a command", WORD_HELP
    name = row.get("operation", "")
    if name and operations and name not in operations:
        near = difflib.get_close_matches(name, operations, 1)
        yield (
            "operation",
            "there is no such operation",
            f"did you mean {near[0]}?" if near else "`toolgate policy schema` lists them",
        )


def _is_word(word: str) -> bool:
    if _FLAG.fullmatch(word):
        return True
    holes = _HOLE.findall(word)
    if not (word.isprintable() and _BRACED.fullmatch(word)):
        return False
    return all(_PATH.fullmatch(hole) for hole in holes) and ("[]" not in word or (len(holes) == 1 and word[0] + word[-1] == "{}"))


def freeze_row(table: Mapping[str, Any]) -> Mapping[str, str | tuple[str, ...]]:
    """Returns the row with tuples for lists."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in table.items()}
