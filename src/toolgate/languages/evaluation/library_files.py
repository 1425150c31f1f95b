"""Files that an unknown library writes or reads, by the names of its calls: `figure.savefig(path)`, `sf.write(path, data)`,
`h5py.File(path, "w")`, `ConfigObj(path)`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from toolgate.model.word import Word, known_word, unknown_word

from .client_acts import may_name_file
from .shared_state import Arguments
from .values import Instance, Value, list_alternatives, text_of, words_of

if TYPE_CHECKING:
    from .reporter import Reporter

_SAVING_NAME = re.compile(
    r"(?:im|mim|vol|min)?(?:save|write|dump|export)(?:[A-Z0-9_].*|as|fig|mat|txt|z|h5ad)?|to_?[a-z]\w*|tofile|\w*Writer"
)
_READING_NAME = re.compile(r"load|parse|(?:read|parse)_?(?:env|file|dotenv|config|path)|read|ConfigObj")
_SECRET_FILE = re.compile(r"(?:.*/)?\.env(?:\.\w+)?")
_MODE = re.compile(r"[wxa]b?\+?|[wxa]\+b|r\+b?")
_ROOTS = re.compile(r"~/|/(?:home|Users|root|etc|usr|var|opt|srv|boot|dev|lib|bin|sbin|mnt|media|tmp|private)/")
_PATH_NAMES = frozenset(
    "path filename fname file fp f out output dst dest filepath file_name file_path path_or_buf uri where".split()
)
_MAX_ARGUMENTS = 3


def upload_files(report: Reporter, files: Iterable[Word]) -> None:
    """Reports that a client's method sends the files that its arguments name."""
    for word in files if not report.is_excused else ():
        if word.text and may_name_file(word.text) and report.is_new("upload", word):
            report.read(word)
            report.connect(known_word("a service"), unknown_word(f"the content of {word.text}", report.seen.read(word).src))


def report_named_file(report: Reporter, name: str, arguments: Arguments) -> None:
    """Reports the file that a call writes or reads: the first absolute path among its arguments. What a file's code writes is its
    author's responsibility."""
    if report.is_excused:
        return
    method = name.rpartition(".")[2]
    given = (*arguments.positional[:_MAX_ARGUMENTS], *(value for key, value in arguments.named.items() if key in _PATH_NAMES))
    path = next((each for each in given if names_path(each)), None)
    if path is None:
        return
    if _SAVING_NAME.fullmatch(method) or name.partition(".")[0].endswith("writer") or _opens_for_writing(arguments):
        report.write(path)
    elif _READING_NAME.fullmatch(method):
        report.read(path)


def _opens_for_writing(arguments: Arguments) -> bool:
    """Returns whether a call has a mode as `open` has it, after a path."""
    modes = (*arguments.positional[1:2], *(value for key, value in arguments.named.items() if key == "mode"))
    return any(_MODE.fullmatch(text_of(each) or "") for each in modes)


def names_path(value: Value) -> bool:
    """Returns whether a value is an absolute path, or the name of a file for secrets."""
    if len(list_alternatives(value)) != 1 or not isinstance(value, Word | Instance):
        return False
    return any(_ROOTS.match(each.head) or _SECRET_FILE.fullmatch(each.text or "") for each in words_of(value))
