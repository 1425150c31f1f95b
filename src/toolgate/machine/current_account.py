"""The account that this process runs as. Windows has no user numbers: there every account is ANY_USER."""

import os
import platform
import sys

ANY_USER = 1
"""Any user but root."""


def real_user() -> int:
    return os.getuid() if sys.platform != "win32" else ANY_USER


def effective_user() -> int:
    """Returns the user whose rights this process has."""
    return os.geteuid() if sys.platform != "win32" else ANY_USER


def is_root() -> bool:
    return effective_user() == 0


def account_exists(name: str) -> bool:
    """Returns whether this machine has an account of that name."""
    try:
        import pwd

        pwd.getpwnam(name)
    except (ImportError, KeyError):  # Windows has no such list of accounts
        return False
    return True


def name_machine() -> str:
    """Returns the name of this machine on its network; empty if it has none."""
    return platform.node()
