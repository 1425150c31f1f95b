"""Effects of undescribed tools on the files that their arguments name, by the verbs in their names."""

from collections.abc import Mapping
from typing import Literal

from .names import split_words

READ_VERBS = (
    "read view get list ls search find grep glob cat show open fetch query inspect stat tree head tail describe print display "
    "lsp count check validate lint diff compare send upload attach share"
)
DELETE_VERBS = "delete remove rm unlink trash erase"
CHANGE_VERBS = (
    "write create edit insert update append replace patch apply modify save put set add move rename copy install "
    "generate export format fix multi str"
)
FILE_WORDS = "file files edit editor patch replace insert overwrite"
"""With a verb of change, one of these words means that files change."""

FileEffect = Literal["reads", "deletes", "changes", "unknown"]
_READ_WORDS, _DELETE_WORDS, _CHANGE_WORDS, _FILE_WORD_SET = (
    frozenset(each.split()) for each in (READ_VERBS, DELETE_VERBS, CHANGE_VERBS, FILE_WORDS)
)


def guess_file_effect(tool: str, act: str = "") -> FileEffect:
    """Returns the effect that the tool's name suggests, or that of an act which the arguments name for a path."""
    named = frozenset(split_words(act))
    words = named if named & _ALL_WORDS else frozenset(split_words(tool))
    if words & _DELETE_WORDS:
        return "deletes"
    if words & _CHANGE_WORDS:
        return "changes"
    return "reads" if words & _READ_WORDS else "unknown"


_ALL_WORDS = _READ_WORDS | _DELETE_WORDS | _CHANGE_WORDS


def changes_files(tool: str) -> bool:
    """Returns whether the name alone says that the tool changes files."""
    words = frozenset(split_words(tool))
    return bool(words & _FILE_WORD_SET and words & (_CHANGE_WORDS | _DELETE_WORDS | {"editor", "overwrite"})) or words == {
        "write"
    }


_FILE_KEYS = ("path", "filepath", "filename", "file")
_CONTENT_KEYS = ("content", "contents", "filecontent")


def list_written_files(entries: Mapping[str, object]) -> list[tuple[str, str]]:
    """Returns the path and the content of a file that one object of the arguments holds; empty if it holds none."""
    paths = [value for key in _FILE_KEYS if isinstance(value := entries.get(key), str)]
    contents = [value for key in _CONTENT_KEYS if isinstance(value := entries.get(key), str)]
    return list(zip(paths[:1], contents[:1], strict=False))
