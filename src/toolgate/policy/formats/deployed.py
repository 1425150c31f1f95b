"""Reads and writes deployed.json, beside the user's policy: the folders that the gate was deployed into, the profile of each, and
its scripts' digests.

It records which profile these folders use instead of the one that the user's policy names.
"""

import json
from collections.abc import Callable, Collection, Mapping

from msgspec import Struct, to_builtins

from toolgate.model.errors import PolicyError
from toolgate.policy.discovery import FoundFile

from . import parse_file


class DeployedFolder(Struct, forbid_unknown_fields=True, frozen=True):
    """`scripts`: path inside the folder -> SHA-256. `only_where_named`: the profile replaces the user's only in sessions whose
    environment names it."""

    profile: str
    scripts: dict[str, str] = {}
    only_where_named: bool = False


def find_profile(file: FoundFile, here: Callable[[str], bool], profiles: Collection[str], named_profile: str) -> str:
    """Returns the profile of the nearest folder that contains the session's project; empty if none does.

    `named_profile`: the one that the session's environment names. Raises PolicyError."""
    if file.problem is not None:
        raise file.problem
    folders = parse_file(file.data, file.file, dict[str, DeployedFolder])
    chosen = ""
    for folder, deployed_folder in sorted(folders.items(), key=lambda each: len(each[0])):
        if deployed_folder.profile not in profiles:
            raise PolicyError(file.file, folder, f"there is no profile {deployed_folder.profile!r}", "deploy there again")
        if here(folder) and (not deployed_folder.only_where_named or deployed_folder.profile == named_profile):
            chosen = deployed_folder.profile
    return chosen


def find_folder(data: bytes | None, file: str, folder: str) -> DeployedFolder | None:
    """Returns the entry of a folder. Raises PolicyError for a file in another format."""
    return None if data is None else parse_file(data, file, dict[str, DeployedFolder]).get(folder)


def add_folder(before: bytes | None, file: str, folder: str, deployed_folder: DeployedFolder) -> bytes:
    """Returns the file's text with that folder in it. Raises PolicyError for a file in another format."""
    folders: Mapping[str, DeployedFolder] = {} if before is None else parse_file(before, file, dict[str, DeployedFolder])
    return (json.dumps(to_builtins(dict(sorted({**folders, folder: deployed_folder}.items()))), indent=1) + "\n").encode()


def remove_folder(before: bytes, file: str, folder: str) -> tuple[bytes | None, DeployedFolder | None]:
    """Returns the file's text without that folder, None where nothing is left of it; and the entry of the folder."""
    folders = parse_file(before, file, dict[str, DeployedFolder])
    removed = folders.pop(folder, None)
    left = (json.dumps(to_builtins(folders), indent=1) + "\n").encode() if folders else None
    return (before if removed is None else left), removed
