"""The files that toolgate keeps for this account beside its registration: what `uninstall` leaves, and `--purge` deletes."""

import os
import shutil
from dataclasses import dataclass

from toolgate.machine.environment import find_folders
from toolgate.model.errors import ToolgateError

from .surroundings import Surroundings


@dataclass(frozen=True, slots=True)
class Leftover:
    """A file or folder, what it holds, and its size in bytes."""

    path: str
    what: str
    size: int


def list_leftovers(surroundings: Surroundings) -> list[Leftover]:
    """Returns what is there, the most valuable first. Links are not followed."""
    where = find_folders(surroundings.environ, surroundings.home)
    known = {
        f"{where.config}/policy.toml": "your policy",
        f"{where.config}/deployed.json": "the record of deployed folders",
        f"{where.state}/audit": "the audit log",
        f"{where.state}/undo": "copies of deleted and overwritten files, for toolgate undo",
        f"{where.state}/backups": "settings of hosts as they were before each change",
        where.state: "approvals, counters and the rest of the state",
        where.cache: "the cache",
        where.runtime: "the daemon's socket",
    }
    found: list[Leftover] = []
    for path, what in known.items():
        if os.path.lexists(path):
            inside = sum(each.size for each in found if each.path.startswith(f"{path}/"))
            found.append(Leftover(path, what, _measure_bytes(path) - inside))
    return found


def delete_leftovers(leftovers: list[Leftover]) -> None:
    """Deletes them. A link is removed itself, never its target. Raises ToolgateError."""
    for each in leftovers:
        try:
            if os.path.islink(each.path) or os.path.isfile(each.path):
                os.unlink(each.path)
            elif os.path.isdir(each.path):
                shutil.rmtree(each.path)
        except OSError as problem:
            raise ToolgateError(f"{problem.filename} cannot be deleted: {problem.strerror}; delete {each.path} by hand") from None


def _measure_bytes(path: str) -> int:
    if not os.path.isdir(path) or os.path.islink(path):
        return os.lstat(path).st_size
    return sum(os.lstat(os.path.join(folder, name)).st_size for folder, _, names in os.walk(path) for name in names)
