"""What Linux tells of other processes: their parents, when they began, where their terminal is. Elsewhere: nothing, which is
never taken for a yes."""

import os
import sys
from collections.abc import Iterator, Mapping

PROC = "/proc"
_PARENT, _TERMINAL, _BEGAN = 1, 4, 19  # fields of `stat` after the name, counted from its state
_PSEUDO, _CONSOLE = range(136, 144), 4  # major numbers of terminals


def parent(pid: int, proc: str = PROC) -> int:
    return _field(pid, _PARENT, proc)


def ancestors(pid: int, proc: str = PROC) -> Iterator[int]:
    seen = {pid}
    while (pid := parent(pid, proc)) > 0 and pid not in seen:
        seen.add(pid)
        yield pid


def identity(pid: int, proc: str = PROC) -> str:
    """Names this very process for as long as the machine runs: numbers are given again. Empty when it is not there."""
    began = _field(pid, _BEGAN, proc)
    return f"{pid}:{began}" if pid > 0 and began > 0 else ""


def ended() -> Iterator[tuple[int, int]]:
    """This process's own children that ended: number, and status as `os.waitpid` gives it. Each once."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        yield pid, status


def names(pid: int, proc: str = PROC) -> Iterator[str]:
    """The name it gave itself, and the program it was started as; of `node /x/claude.js`, that too."""
    for source in ("comm", "cmdline"):
        for word in _read(f"{proc}/{pid}/{source}").rstrip("\n").split("\0")[:2]:
            yield word.rpartition("/")[2].partition(".")[0]


def command_line(pid: int, proc: str = PROC) -> tuple[str, ...]:
    """The words that a process was started with; none where they are not told as a whole."""
    text = _read(f"{proc}/{pid}/cmdline", _LONGEST) if pid > 0 else ""
    return tuple(text.split("\0")[:-1]) if text.endswith("\0") and len(text) < _LONGEST else ()


_LONGEST = 1 << 20


def environment(pid: int, proc: str = PROC) -> Mapping[str, str] | None:
    """What the process was started with; None when it may not be read."""
    text = _read(f"{proc}/{pid}/environ", 1 << 20)
    return dict(part.partition("=")[::2] for part in text.split("\0") if "=" in part) if text else None


def terminal(pid: int, proc: str = PROC) -> str:
    """The device of its controlling terminal; empty when it has none."""
    number = _field(pid, _TERMINAL, proc)
    major, minor = number >> 8 & 0xFFF, number & 0xFF | number >> 12 & 0xFFF00
    if major in _PSEUDO:
        return f"/dev/pts/{(major - _PSEUDO.start) * 256 + minor}"
    return f"/dev/tty{minor}" if major == _CONSOLE and minor < 64 else ""


def pressed(device: str) -> float | None:
    """When somebody last pressed a key there, in seconds since the epoch: the kernel notes it, to some eight seconds. None
    where it does not tell."""
    if sys.platform != "linux" or not device:
        return None
    try:
        return os.stat(device).st_atime
    except OSError:
        return None


def _field(pid: int, number: int, proc: str) -> int:
    """`pid (name) state parent ...`: a name may hold anything, brackets too."""
    try:
        return int(_read(f"{proc}/{pid}/stat").rpartition(")")[2].split()[number])
    except (ValueError, IndexError):
        return 0


def _read(path: str, limit: int = 4096) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(limit).decode(errors="surrogateescape")
    except OSError:
        return ""
