"""The supervisor: started by root if no account of this machine may control the gate.

    client (caller's account) ─► supervisor (root) ─► a worker for the call (caller's account) ─► keeper (the account `toolgate`)

This process reads nothing that a caller sends. It accepts, asks the kernel who calls, and starts a process that becomes
the caller before it reads. The keeper stores what the callers' accounts must not write. Root's own calls are not answered here:
root is not supervised.

`python3 -I -X utf8 -m toolgate.transport.supervisor`, by systemd (install/supervision.py) or any other init. With a listening
socket as descriptor 3 (`LISTEN_FDS`) it uses that one.
"""

import gc
import os
import pwd
import select
import signal
import socket
import sys
import time
from collections import deque
from dataclasses import dataclass, field
from typing import NoReturn

from toolgate.machine import build as builds
from toolgate.machine import processes
from toolgate.machine.accounts import Peer, become, peer
from toolgate.machine.supervision import ACCOUNT, KEEPER, RUN, SOCKET, STATE

from . import errand, keeper
from .warming import warm

AT_ONCE = 16
"""Calls of one user that are judged concurrently; further ones wait."""
WAITING = 256
STUCK = 12.0  # seconds; the client's own deadline is 8
TICK = 2.0
PATIENCE = 1.0  # for a keeper that does not accept a connection
QUICKLY = 1.0


def main() -> NoReturn:
    if sys.platform != "linux" or os.geteuid() != 0:
        sys.exit("toolgate's supervisor runs on Linux, as root")
    try:
        account = pwd.getpwnam(ACCOUNT)
    except KeyError:
        sys.exit(f"there is no account {ACCOUNT}: toolgate install HOST --scope managed makes it")
    if account.pw_uid == 0:
        sys.exit(f"the account {ACCOUNT} is root's: what it keeps would be kept by nobody")
    os.umask(0o077)
    os.chdir("/")
    listener = _given() or _bound(SOCKET, 0o666)
    Supervisor(listener, _bound(KEEPER, 0o600), account.pw_uid, account.pw_gid).run()


@dataclass
class Caller:
    """The calls of a user: those being judged, by process and start time; those waiting."""

    at_work: dict[int, float] = field(default_factory=dict)
    waiting: deque[tuple[socket.socket, Peer]] = field(default_factory=deque)


class Supervisor:
    def __init__(self, listener: socket.socket, approvers: socket.socket, uid: int, gid: int) -> None:
        self._listener, self._approvers, self._uid, self._gid = listener, approvers, uid, gid
        self._build, self._code = builds.installed(), builds.stamp()
        self._callers: dict[int, Caller] = {}
        self._keeper, self._began = 0, 0.0
        self._lines: socket.socket | None = None
        self._is_leaving = False

    def run(self) -> NoReturn:
        reader, writer = os.pipe()
        os.set_blocking(reader, False)
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._told_to_leave)
        self._start_keeper()
        warm()
        gc.collect()
        gc.freeze()
        self._listener.setblocking(False)
        note(f"ready: build {self._build}")
        while not self._is_leaving:
            self._turn(reader, self._listener.fileno())
        until = time.monotonic() + STUCK  # new callers wait at the socket for the next supervisor
        while self._callers and time.monotonic() < until:
            self._turn(reader)
        os._exit(0)  # the keeper ends with it

    def _turn(self, reader: int, *doors: int) -> None:
        ready = select.select([*doors, reader], [], [], TICK)[0]
        if reader in ready:
            os.read(reader, 4096)
        self._reap()
        if not set(doors).isdisjoint(ready):
            self._accept()
        self._look()

    def _told_to_leave(self, _number: int, _frame: object) -> None:
        self._is_leaving = True

    def _accept(self) -> None:
        try:
            conversation, _ = self._listener.accept()
        except BlockingIOError:
            return
        except OSError as problem:
            note(f"nobody can be let in: {problem}")
            time.sleep(0.05)  # the same caller is pending again at once
            return
        try:
            who = peer(conversation)
        except OSError:
            conversation.close()
            return
        caller = self._callers.setdefault(who.uid, Caller())
        if who.uid in (0, self._uid) or who.pid <= 0 or len(caller.waiting) >= WAITING:
            conversation.close()
            return
        caller.waiting.append((conversation, who))
        self._start_waiting(caller)

    def _start_waiting(self, caller: Caller) -> None:
        while caller.waiting and len(caller.at_work) < AT_ONCE:
            conversation, who = caller.waiting.popleft()
            with conversation:
                try:
                    caller.at_work[self._start(conversation, who)] = time.monotonic()
                except OSError as problem:
                    note(f"no process can be started: {problem}")

    def _start(self, conversation: socket.socket, who: Peer) -> int:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            pid = os.fork()
            if pid == 0:
                try:
                    _leave_all_but(conversation, ours)
                    errand.run(conversation, ours, who, self._build)
                finally:
                    os._exit(1)
            self._hand_over(theirs, who.uid)
        return pid

    def _hand_over(self, line: socket.socket, uid: int) -> None:
        """Pass a connection to the keeper. Without a keeper it is never answered, and the worker decides by the policy for
        that."""
        try:
            if self._lines is not None:
                socket.send_fds(self._lines, [keeper.USER.pack(uid)], [line.fileno()])
        except OSError:
            pass

    def _start_keeper(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._keeper = os.fork()
        if self._keeper == 0:
            try:
                _leave_all_but(theirs, self._approvers)
                become(self._uid, self._gid, ())
                keeper.keep(STATE, theirs, self._approvers)
            finally:
                os._exit(1)
        theirs.close()
        if self._lines is not None:
            self._lines.close()
        ours.settimeout(PATIENCE)
        self._lines, self._began = ours, time.monotonic()

    def _reap(self) -> None:
        for pid, status in processes.ended():
            if pid == self._keeper:
                note(f"the keeper ended ({os.waitstatus_to_exitcode(status)})")
                if time.monotonic() - self._began < QUICKLY:
                    self._is_leaving = True  # another one would fail, too
                else:
                    self._start_keeper()
            for caller in self._callers.values():
                if caller.at_work.pop(pid, None) is not None:
                    self._start_waiting(caller)

    def _look(self) -> None:
        now = time.monotonic()
        for uid, caller in list(self._callers.items()):
            for pid, since in caller.at_work.items():
                if now - since > STUCK:
                    os.kill(pid, signal.SIGKILL)
            if not caller.at_work and not caller.waiting:
                del self._callers[uid]
        if builds.stamp() != self._code:
            note("its code has changed: it ends, for whoever starts it to start it anew")
            self._is_leaving = True


def _leave_all_but(*kept: socket.socket) -> None:
    """In a child: close everything of the supervisor but these sockets, and reset signal handlers."""
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    before = 3
    for descriptor in sorted(each.fileno() for each in kept):
        os.closerange(before, descriptor)
        before = descriptor + 1
    os.closerange(before, 65536)
    os.setsid()


def _given() -> socket.socket | None:
    """Return the socket given as in sd_listen_fds(3)."""
    if os.environ.get("LISTEN_PID") != str(os.getpid()) or os.environ.get("LISTEN_FDS") != "1":
        return None
    os.set_inheritable(3, False)
    return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, 3)


def _bound(path: str, mode: int) -> socket.socket:
    """Bind a socket in a folder that only root may write, so that only root, or its children, can listen there."""
    os.makedirs(RUN, exist_ok=True)
    os.chmod(RUN, 0o755)
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    os.chmod(path, mode)
    listener.listen(512)
    return listener


def note(what: str) -> None:
    """Write to the journal. It contains nothing of any call."""
    sys.stderr.write(f"toolgate: {what}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main()
