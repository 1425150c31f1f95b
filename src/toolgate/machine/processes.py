"""Information about other processes on Linux: their parents, start times and terminals. Elsewhere there is none, which is
never taken as a confirmation."""

import os
import signal
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import subprocess

PROC = "/proc"
_PARENT_FIELD, _TERMINAL_FIELD, _START_TIME_FIELD = 1, 4, 19  # fields of `stat` after the name, counted from its state
_PSEUDO_TERMINAL_MAJORS, _CONSOLE_MAJOR = range(136, 144), 4  # major numbers of terminals


def parent_of(pid: int, proc: str = PROC) -> int:
    return _stat_field(pid, _PARENT_FIELD, proc)


def iter_ancestors(pid: int, proc: str = PROC) -> Iterator[int]:
    seen = {pid}
    while (pid := parent_of(pid, proc)) > 0 and pid not in seen:
        seen.add(pid)
        yield pid


def identity_of(pid: int, proc: str = PROC) -> str:
    """Returns a name for this process that is unique while the machine runs, unlike its number. Empty if it does not exist."""
    began = _stat_field(pid, _START_TIME_FIELD, proc)
    return f"{pid}:{began}" if pid > 0 and began > 0 else ""


def reap_children() -> Iterator[tuple[int, int]]:
    """Yields this process's own children that ended, each once: number, and status as from `os.waitpid`."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        yield pid, status


def kill_group(process: "subprocess.Popen[Any]") -> None:
    """Kills a process that leads a group, with the whole group. Windows has no groups: there the process alone."""
    try:
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        pass


def names_of(pid: int, proc: str = PROC) -> Iterator[str]:
    """Yields the process's own name, and the program it was started as; for `node /x/claude.js` also the script."""
    for source in ("comm", "cmdline"):
        for word in _read_text(f"{proc}/{pid}/{source}").rstrip("\n").split("\0")[:2]:
            yield word.rpartition("/")[2].partition(".")[0]


def command_line(pid: int, proc: str = PROC) -> tuple[str, ...]:
    """The words that a process was started with; none where they are not told as a whole."""
    text = _read_text(f"{proc}/{pid}/cmdline", _LONGEST) if pid > 0 else ""
    return tuple(text.split("\0")[:-1]) if text.endswith("\0") and len(text) < _LONGEST else ()


_LONGEST = 1 << 20


def environment_of(pid: int, proc: str = PROC) -> Mapping[str, str] | None:
    """Returns the environment that the process was started with; None if it may not be read."""
    text = _read_text(f"{proc}/{pid}/environ", 1 << 20)
    return dict(part.partition("=")[::2] for part in text.split("\0") if "=" in part) if text else None


def terminal_of(pid: int, proc: str = PROC) -> str:
    """Returns the device of its controlling terminal; empty if it has none."""
    number = _stat_field(pid, _TERMINAL_FIELD, proc)
    major, minor = number >> 8 & 0xFFF, number & 0xFF | number >> 12 & 0xFFF00
    if major in _PSEUDO_TERMINAL_MAJORS:
        return f"/dev/pts/{(major - _PSEUDO_TERMINAL_MAJORS.start) * 256 + minor}"
    return f"/dev/tty{minor}" if major == _CONSOLE_MAJOR and minor < 64 else ""


def last_key_press(device: str) -> float | None:
    """Returns when a key was last pressed there, in seconds since the epoch, exact to some eight seconds. None
    if unknown."""
    if sys.platform != "linux" or not device:
        return None
    try:
        return os.stat(device).st_atime
    except OSError:
        return None


def _stat_field(pid: int, number: int, proc: str) -> int:
    """Reads a field of `pid (name) state parent ...`: a name may contain anything, even brackets."""
    try:
        return int(_read_text(f"{proc}/{pid}/stat").rpartition(")")[2].split()[number])
    except (ValueError, IndexError):
        return 0


def _read_text(path: str, limit: int = 4096) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(limit).decode(errors="surrogateescape")
    except OSError:
        return ""
