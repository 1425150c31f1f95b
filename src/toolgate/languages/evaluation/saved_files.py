"""Files that an unknown library writes, by the names of its calls: `figure.savefig(path)`, `sf.write(path, data)`,
`h5py.File(path, "w")`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolgate.model.word import Word

from .shared_state import Arguments
from .values import Value, list_alternatives, text_of, words_of

if TYPE_CHECKING:
    from .reporter import Reporter

_SAVING_NAME = re.compile(r"(?:im|mim|vol|min)?(?:save|write|dump|export)(?:[A-Z0-9_].*|as|fig|mat|txt|z|h5ad)?|to_?[a-z]\w*|tofile")
_MODE = re.compile(r"[wxa]b?\+?|[wxa]\+b|r\+b?")
_ROOTS = re.compile(r"~/|/(?:home|Users|root|etc|usr|var|opt|srv|boot|dev|lib|bin|sbin|mnt|media|tmp|private)/")
_PATH_NAMES = frozenset("path filename fname file fp f out output dst dest filepath file_name file_path path_or_buf uri where".split())
_MAX_ARGUMENTS = 3


def report_saved_file(report: Reporter, name: str, arguments: Arguments) -> None:
    """Reports a file that a call writes: the first absolute path among its arguments. A file's code is its author's
    responsibility."""
    if report.is_trusted or not (_SAVING_NAME.fullmatch(name.rpartition(".")[2]) or _opens_for_writing(arguments)):
        return
    given = (*arguments.positional[:_MAX_ARGUMENTS], *(arguments.named[key] for key in arguments.named if key in _PATH_NAMES))
    path = next((each for each in given if _is_path(each)), None)
    if path is not None:
        report.write(path)


def _opens_for_writing(arguments: Arguments) -> bool:
    """Returns whether a call has a mode as `open` has it, after a path."""
    modes = (*arguments.positional[1:2], *(arguments.named[key] for key in ("mode",) if key in arguments.named))
    return any(_MODE.fullmatch(text_of(each) or "") for each in modes)


def _is_path(value: Value) -> bool:
    return len(list_alternatives(value)) == 1 and any(isinstance(each, Word) and _ROOTS.match(each.head) for each in words_of(value))
