"""Effects of undescribed tools on the files that their arguments name, by the verbs in their names."""

from typing import Literal

from .names import split_words

READS = (
    "read view get list ls search find grep glob cat show open fetch query inspect stat tree head tail describe print display "
    "lsp count check validate lint diff compare"
)
DELETES = "delete remove rm unlink trash erase"
CHANGES = (
    "write create edit insert update append replace patch apply modify save put set add move rename copy upload install "
    "generate export format fix multi str"
)
FILES = "file files edit editor patch replace insert overwrite"
"""With a verb of change, one of these words means that files change."""

Doing = Literal["reads", "deletes", "changes", "unknown"]
_READS, _DELETES, _CHANGES, _FILES = (frozenset(each.split()) for each in (READS, DELETES, CHANGES, FILES))


def doing(tool: str) -> Doing:
    """Return the effect that the tool's name suggests."""
    words = frozenset(split_words(tool))
    if words & _DELETES:
        return "deletes"
    if words & _CHANGES:
        return "changes"
    return "reads" if words & _READS else "unknown"


def changes_files(tool: str) -> bool:
    """Tell whether the name alone says that the tool changes files."""
    words = frozenset(split_words(tool))
    return bool(words & _FILES and words & (_CHANGES | _DELETES | {"editor", "overwrite"})) or words == {"write"}
