"""The hook command of this installation: absolute, and independent of the caller's PYTHON variables and folders."""

import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from toolgate.machine import build

ClientKind = Literal["native", "twin", "none"]
CLIENT_NAME = "toolgate-hook"


def find_client_kind() -> ClientKind:
    """Returns the kind of client between a host and the engine here. Windows has none: each call is judged in a process of its
    own."""
    if sys.platform == "win32":
        return "none"
    return "native" if _find_native_client() else "twin"


def own_command() -> tuple[str, ...]:
    """Returns the command registered with a host, to be followed by the host and the event."""
    python = os.path.abspath(sys.executable)
    match find_client_kind():
        case "native":
            return (_find_native_client(),)
        case "twin":
            return (python, "-I", "-S", f"{build.PACKAGE}/transport/client.py")
        case _:
            return (python, "-I", "-X", "utf8", "-m", "toolgate", "hook")


def _find_native_client() -> str:
    """Returns the native client that was installed with this package; empty where there is none."""
    return next((path for path in _iter_client_paths() if _find_build(path) == build.installed_build()), "")


def _iter_client_paths() -> Iterator[str]:
    folders = (sysconfig.get_path("scripts"), os.path.dirname(sys.executable), sysconfig.get_path("scripts", f"{os.name}_user"))
    return (os.path.abspath(os.path.join(folder, CLIENT_NAME)) for folder in dict.fromkeys(folders))


def _find_build(path: str) -> str:
    """Returns the build that a client reports; empty for one of another version, or that does not run on this machine."""
    if not os.access(path, os.X_OK):
        return ""
    status = os.stat(path)
    return _query_build(path, (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns))


@lru_cache(8)
def _query_build(path: str, _file: tuple[int, ...]) -> str:
    """`_file`: its identity, because the file may be replaced."""
    try:
        return subprocess.run([path, "--build"], capture_output=True, text=True, check=False, timeout=10).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""
