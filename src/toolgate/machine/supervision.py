"""The paths of this machine's supervisor, if root has installed one. client.c and twin.py have the same."""

import os
import sys
from collections.abc import Mapping

from .current_account import effective_user
from .environment import ORGANISATION

MARKER = f"{ORGANISATION}/supervised"
"""Its lines are the clients that must ask the supervisor. Only root can create or delete it."""
RUN_FOLDER = "/run/toolgate"
SOCKET, KEEPER = f"{RUN_FOLDER}/hook.sock", f"{RUN_FOLDER}/keeper.sock"
STATE_FOLDER = "/var/lib/toolgate"
ACCOUNT = "toolgate"
UNITS = ("/etc/systemd/system/toolgate.socket", "/etc/systemd/system/toolgate.service")
SUPERVISION_PATHS = (RUN_FOLDER, STATE_FOLDER, *UNITS)
"""Paths of the gate besides the organisation's folder."""


def is_supervised() -> bool:
    """Returns whether there is a supervisor; also if that cannot be read."""
    if sys.platform != "linux":
        return False
    try:
        os.lstat(MARKER)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def store_url(user: int) -> str:
    """Returns the URL of the store that the supervisor has for a user."""
    return f"supervised:{KEEPER}?{user}"


def supervised_user(environ: Mapping[str, str]) -> int:
    """Returns the user whose calls this process is about: root acts for the caller of sudo. 0: root's own, which no supervisor
    judges."""
    user_id = environ.get("SUDO_UID", "")
    return effective_user() or (int(user_id) if user_id.isdigit() else 0)
