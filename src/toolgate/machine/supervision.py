"""Where the supervisor of this machine is, if root has installed one. client.c and twin.py say the same."""

import os
import sys
from collections.abc import Mapping

from .environment import ORGANISATION

MARKER = f"{ORGANISATION}/supervised"
"""Its lines are the clients that ask the supervisor, and nobody else. Only root can put it there, or take it away."""
RUN = "/run/toolgate"
SOCKET, KEEPER = f"{RUN}/hook.sock", f"{RUN}/keeper.sock"
STATE = "/var/lib/toolgate"
ACCOUNT = "toolgate"
UNITS = ("/etc/systemd/system/toolgate.socket", "/etc/systemd/system/toolgate.service")
PLACES = (RUN, STATE, *UNITS)
"""The gate's own, beside the organisation's folder."""


def is_supervised() -> bool:
    """Where it cannot be looked for, it is there."""
    if sys.platform != "linux":
        return False
    try:
        os.lstat(MARKER)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def store_of(user: int) -> str:
    """The URL of what the supervisor keeps for a user."""
    return f"supervised:{KEEPER}?{user}"


def user(environ: Mapping[str, str]) -> int:
    """Whose calls this process is about: root speaks for whoever called sudo. 0: root's own, which no supervisor judges."""
    said = environ.get("SUDO_UID", "")
    return os.geteuid() or (int(said) if said.isdigit() else 0)
