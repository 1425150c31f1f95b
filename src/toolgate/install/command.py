"""The hook command of this installation: absolute, and independent of the caller's PYTHON variables and folders."""

import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from toolgate.machine import build

Client = Literal["native", "twin", "none"]
NAME = "toolgate-hook"


def client() -> Client:
    """Returns the kind of client between a host and the engine here. Windows has none: each call is judged in a process of its
    own."""
    if sys.platform == "win32":
        return "none"
    return "native" if _native() else "twin"


def own_command() -> tuple[str, ...]:
    """Returns the command registered with a host, to be followed by the host and the event."""
    python = os.path.abspath(sys.executable)
    match client():
        case "native":
            return (_native(),)
        case "twin":
            return (python, "-I", "-S", f"{build.PACKAGE}/transport/client.py")
        case _:
            return (python, "-I", "-X", "utf8", "-m", "toolgate", "hook")


def _native() -> str:
    """Returns the native client that was installed with this package; empty where there is none."""
    return next((path for path in _places() if _build_of(path) == build.installed()), "")


def _places() -> Iterator[str]:
    folders = (sysconfig.get_path("scripts"), os.path.dirname(sys.executable), sysconfig.get_path("scripts", f"{os.name}_user"))
    return (os.path.abspath(os.path.join(folder, NAME)) for folder in dict.fromkeys(folders))


def _build_of(path: str) -> str:
    """Returns the build that a client reports; empty for one of another version, or that does not run on this machine."""
    if not os.access(path, os.X_OK):
        return ""
    status = os.stat(path)
    return _said(path, (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns))


@lru_cache(8)
def _said(path: str, _file: tuple[int, ...]) -> str:
    """`_file`: its identity, because the file may be replaced."""
    try:
        return subprocess.run([path, "--build"], capture_output=True, text=True, check=False, timeout=10).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""
