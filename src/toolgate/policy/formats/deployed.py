"""deployed.json, beside the user's policy: the folders that `toolgate deploy` put the gate into, and the profile of each.

It is the user's word on those folders, and says no more than which profile stands in the place of the one their policy names.
"""

import json
from collections.abc import Callable, Collection, Mapping

from toolgate.model.errors import PolicyError
from toolgate.policy.find import Found

from . import converted


def profile(found: Found, here: Callable[[str], bool], profiles: Collection[str]) -> str:
    """The profile of the nearest folder that holds the session's project; empty where none does. Raises PolicyError."""
    if found.problem is not None:
        raise found.problem
    folders = converted(found.data, found.file, dict[str, str])
    chosen = ""
    for folder, name in sorted(folders.items(), key=lambda each: len(each[0])):
        if name not in profiles:
            raise PolicyError(found.file, folder, f"there is no profile {name!r}", "deploy there again, or take the line out")
        if here(folder):
            chosen = name
    return chosen


def with_folder(before: bytes | None, file: str, folder: str, name: str) -> bytes:
    """The file's text with that folder in it. Raises PolicyError for a file that is none of ours."""
    folders: Mapping[str, str] = {} if before is None else converted(before, file, dict[str, str])
    return (json.dumps(dict(sorted({**folders, folder: name}.items())), indent=1) + "\n").encode()
