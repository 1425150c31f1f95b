"""The managed tier, above a user's own account: settings, policy and program that belong to root, and that no other account can
change."""

import os
import sys
from collections.abc import Sequence

from toolgate.machine import build, files, ownership, supervision
from toolgate.machine.current_account import is_root
from toolgate.machine.environment import ORGANISATION
from toolgate.model.errors import SettingsError

POLICY_PATH = f"{ORGANISATION}/policy.toml"
STARTER_POLICY = """\
# The organisation's policy: it holds for everybody on this machine. Its keys are in docs/policy.md; `toolgate policy check` reads
# it.
# What users may loosen in files of their own is named here; without the key it is nothing.
users_may_lower = []
"""


def require_root_ownership(path: str, command: Sequence[str]) -> None:
    """Checks that nobody but root can change what is registered for everybody. Raises SettingsError."""
    if not is_root():
        raise SettingsError(path, "only root writes managed settings", "run the command with sudo")
    for word in (*command, sys.executable):
        if os.path.isabs(word) and (weak := ownership.find_weak_path(word)):
            raise _ownership_error(path, weak)
    if weak := ownership.find_weak_path_below(build.PACKAGE):
        raise _ownership_error(path, weak)


def is_policy_missing() -> bool:
    """Returns whether the organisation has no policy, so that users may lower everything except floors."""
    return files.read_file(POLICY_PATH) is None


def list_changeable(settings: str, command: Sequence[str]) -> list[str]:
    """Returns the files of this tier that the current account could change."""
    places = [settings, POLICY_PATH, build.PACKAGE, *(word for word in command if os.path.isabs(word))]
    if supervision.is_supervised():
        places += [supervision.MARKER, supervision.SOCKET, supervision.KEEPER, *supervision.SUPERVISION_PATHS]
    return [found for place in places if (found := ownership.find_changeable_path(place))]


def _ownership_error(path: str, weak: str) -> SettingsError:
    return SettingsError(
        path,
        f"{weak} could be changed by another account than root's",
        "as root, install toolgate where only root may write, into a virtual environment /opt/toolgate, say",
    )
