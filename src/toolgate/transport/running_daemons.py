"""Running daemons, seen from outside: found by their locks, probed, and stopped."""

import _socket
import fcntl
import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

from . import frames
from .daemon import STUCK, DaemonPlace

PONG = 3.0  # seconds that a daemon has for any answer


@dataclass(frozen=True, slots=True)
class RunningDaemon:
    """`since`: seconds since the epoch."""

    place: DaemonPlace
    pid: int
    build: str
    since: float


def find_daemons(folder: str) -> Iterator[RunningDaemon]:
    """Yields every daemon of this runtime folder, also of other builds and namespaces."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        if name.endswith(".lock"):
            found = find_holder(DaemonPlace(folder, name.removesuffix(".lock")))
            if found:
                yield found


def find_holder(place: DaemonPlace) -> RunningDaemon | None:
    """Returns who holds the lock; None if nobody does, or the holder has not signed it."""
    try:
        lock = os.open(place.lock, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        pid, _, build = os.pread(lock, 64, 0).decode(errors="replace").strip().partition(" ")
        return RunningDaemon(place, int(pid), build, os.fstat(lock).st_mtime) if pid.isdigit() else None
    finally:
        os.close(lock)
    return None


def is_responsive(daemon: RunningDaemon) -> bool:
    """Returns whether it answers a call for an unknown host."""
    question = frames.QUESTION.pack(b"TGQ1", daemon.build.encode(), 0, os.getuid(), 1000, *[0] * 5)
    conversation = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        conversation.settimeout(PONG)
        _connect_socket(conversation, daemon.place)
        conversation.sendall(question)
        return bool(conversation.recv(1))
    except OSError:
        return False
    finally:
        conversation.close()


def kill_unresponsive(place: DaemonPlace) -> None:
    """Kills a daemon that does not answer. The next call finds its lock free, and starts another."""
    found = find_holder(place)
    if found and not is_responsive(found):
        _signal_group(found, signal.SIGKILL)


def stop_daemon(daemon: RunningDaemon) -> None:
    """Stops a daemon; calls in progress are answered. One that does not react is killed."""
    try:
        os.kill(daemon.pid, signal.SIGTERM)
    except OSError:
        pass
    until = time.monotonic() + STUCK + 1
    while find_holder(daemon.place) == daemon:
        if time.monotonic() > until:
            _signal_group(daemon, signal.SIGKILL)
        time.sleep(0.02)


def _signal_group(daemon: RunningDaemon, number: signal.Signals) -> None:
    """Signals the daemon and its workers: it leads a process group of its own."""
    try:
        os.killpg(daemon.pid, number)
    except OSError:
        pass


def _connect_socket(conversation: _socket.socket, place: DaemonPlace) -> None:
    """Connects by a short path: a socket's address is limited in length; see client.c."""
    if sys.platform != "linux":
        conversation.connect(place.socket)
        return
    folder = os.open(place.folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        conversation.connect(f"/proc/self/fd/{folder}/{place.name}.sock")
    finally:
        os.close(folder)
