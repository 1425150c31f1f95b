"""What a tool may do that nobody described: by the verbs in its name, to the files that its arguments name. Never sure."""

import re
from collections.abc import Iterator, Mapping
from typing import Literal

READS = (
    "read view get list ls search find grep glob cat show open fetch query inspect stat tree head tail describe print display "
    "lsp count check validate lint diff compare"
)
DELETES = "delete remove rm unlink trash erase"
CHANGES = (
    "write create edit insert update append replace patch apply modify save put set add move rename copy upload install "
    "generate export format fix multi str"
)
KEYS = (
    "path paths file files filepath filepaths filename filenames targetfile targetpath notebookpath abspath absolutepath "
    "relativepath relativeworkspacepath outputpath outputfile outfile destination dest destinationpath sourcepath"
)
"""Names of arguments, in lower case and without `_` and `-`."""
LONGEST = 4096  # characters of a path

FILES = "file files edit editor patch replace insert overwrite"
"""In a name that speaks of a change: it is files that change."""

Doing = Literal["reads", "deletes", "changes"]
_READS, _DELETES, _CHANGES, _KEYS, _FILES = (frozenset(each.split()) for each in (READS, DELETES, CHANGES, KEYS, FILES))


def doing(tool: str) -> Doing:
    """What its name says that it does; where that says nothing, the worse of what it may be."""
    words = _words(tool)
    if words & _DELETES:
        return "deletes"
    return "reads" if words & _READS and not words & _CHANGES else "changes"


def changes_files(tool: str) -> bool:
    """Does its name say so by itself?"""
    words = _words(tool)
    return bool(words & _FILES and words & (_CHANGES | _DELETES | {"editor", "overwrite"})) or words == {"write"}


def _words(tool: str) -> set[str]:
    return set(re.findall(r"[a-z]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", tool).lower()))


def paths(arguments: Mapping[str, object]) -> Iterator[str]:
    """The paths that its arguments name, by the names of the arguments; `file:` addresses under any name."""
    for name, value in arguments.items():
        named = name.lower().replace("_", "").replace("-", "") in _KEYS
        for each in value if isinstance(value, list | tuple) else (value,):
            if not isinstance(each, str) or not 0 < len(each) <= LONGEST or "\n" in each or "\0" in each:
                continue
            if each.lower().startswith("file://"):
                yield each[7:].removeprefix("localhost")
            elif named and "://" not in each:
                yield each
