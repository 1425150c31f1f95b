"""The supervisor: started by root if no account of this machine may control the gate.

    client (caller's account) ─► supervisor (root) ─► a worker for the call (caller's account) ─► keeper (the account `toolgate`)

This process reads nothing that a caller sends. It accepts, asks the kernel who calls, and starts a process that becomes
the caller before it reads. The keeper stores what the callers' accounts must not write. Root's own calls are not answered here:
root is not supervised.

`python3 -I -X utf8 -m toolgate.transport.supervisor`, by systemd (install/supervisor_units.py) or any other init. With a
listening socket as descriptor 3 (`LISTEN_FDS`) it uses that one.
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
from toolgate.machine.accounts import Peer, become_account, read_peer
from toolgate.machine.supervision import ACCOUNT, KEEPER, RUN_FOLDER, SOCKET, STATE_FOLDER

from . import keeper, supervised_call
from .warmup import warm_up

CONCURRENT_CALLS = 16
"""Calls of one user that are judged concurrently; further ones wait."""
MAX_WAITING = 256
STUCK = 12.0  # seconds; the client's own deadline is 8 at most
TICK = 2.0
KEEPER_TIMEOUT = 1.0  # for a keeper that does not accept a connection
RESTART_SECONDS = 1.0


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
    listener = _inherited_socket() or _bind_socket(SOCKET, 0o666)
    Supervisor(listener, _bind_socket(KEEPER, 0o600), account.pw_uid, account.pw_gid).run()


@dataclass
class CallerQueue:
    """The calls of a user: those being judged, by process and start time; those waiting."""

    at_work: dict[int, float] = field(default_factory=dict)
    waiting: deque[tuple[socket.socket, Peer]] = field(default_factory=deque)


class Supervisor:
    def __init__(self, listener: socket.socket, approvers: socket.socket, uid: int, gid: int) -> None:
        self._listener, self._approvers, self._uid, self._gid = listener, approvers, uid, gid
        self._build, self._code = builds.installed_build(), builds.code_stamp()
        self._callers: dict[int, CallerQueue] = {}
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
            signal.signal(number, self._request_stop)
        self._start_keeper()
        warm_up()
        gc.collect()
        gc.freeze()
        self._listener.setblocking(False)
        log_event(f"ready: build {self._build}")
        while not self._is_leaving:
            self._run_iteration(reader, self._listener.fileno())
        until = time.monotonic() + STUCK  # new callers wait at the socket for the next supervisor
        while self._callers and time.monotonic() < until:
            self._run_iteration(reader)
        os._exit(0)  # the keeper ends with it

    def _run_iteration(self, reader: int, *doors: int) -> None:
        ready = select.select([*doors, reader], [], [], TICK)[0]
        if reader in ready:
            os.read(reader, 4096)
        self._reap_children()
        if not set(doors).isdisjoint(ready):
            self._accept_call()
        self._check_workers()

    def _request_stop(self, _number: int, _frame: object) -> None:
        self._is_leaving = True

    def _accept_call(self) -> None:
        try:
            conversation, _ = self._listener.accept()
        except BlockingIOError:
            return
        except OSError as problem:
            log_event(f"nobody can be let in: {problem}")
            time.sleep(0.05)  # the same caller is pending again at once
            return
        try:
            who = read_peer(conversation)
        except OSError:
            conversation.close()
            return
        caller = self._callers.setdefault(who.uid, CallerQueue())
        if who.uid in (0, self._uid) or who.pid <= 0 or len(caller.waiting) >= MAX_WAITING:
            conversation.close()
            return
        caller.waiting.append((conversation, who))
        self._start_waiting(caller)

    def _start_waiting(self, caller: CallerQueue) -> None:
        while caller.waiting and len(caller.at_work) < CONCURRENT_CALLS:
            conversation, who = caller.waiting.popleft()
            with conversation:
                try:
                    caller.at_work[self._start_worker(conversation, who)] = time.monotonic()
                except OSError as problem:
                    log_event(f"no process can be started: {problem}")

    def _start_worker(self, conversation: socket.socket, peer: Peer) -> int:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            pid = os.fork()
            if pid == 0:
                try:
                    _keep_only(conversation, ours)
                    supervised_call.answer_call(conversation, ours, peer, self._build)
                finally:
                    os._exit(1)
            self._hand_over(theirs, peer.uid)
        return pid

    def _hand_over(self, line: socket.socket, uid: int) -> None:
        """Passes a connection to the keeper. Without a keeper it is never answered, and the worker decides by the policy for
        that."""
        try:
            if self._lines is not None:
                socket.send_fds(self._lines, [keeper.USER_MESSAGE.pack(uid)], [line.fileno()])
        except OSError:
            pass

    def _start_keeper(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._keeper = os.fork()
        if self._keeper == 0:
            try:
                _keep_only(theirs, self._approvers)
                become_account(self._uid, self._gid, ())
                keeper.run_keeper(STATE_FOLDER, theirs, self._approvers)
            finally:
                os._exit(1)
        theirs.close()
        if self._lines is not None:
            self._lines.close()
        ours.settimeout(KEEPER_TIMEOUT)
        self._lines, self._began = ours, time.monotonic()

    def _reap_children(self) -> None:
        for pid, status in processes.reap_children():
            if pid == self._keeper:
                log_event(f"the keeper ended ({os.waitstatus_to_exitcode(status)})")
                if time.monotonic() - self._began < RESTART_SECONDS:
                    self._is_leaving = True  # another one would fail, too
                else:
                    self._start_keeper()
            for caller in self._callers.values():
                if caller.at_work.pop(pid, None) is not None:
                    self._start_waiting(caller)

    def _check_workers(self) -> None:
        now = time.monotonic()
        for uid, caller in list(self._callers.items()):
            for pid, since in caller.at_work.items():
                if now - since > STUCK:
                    os.kill(pid, signal.SIGKILL)
            if not caller.at_work and not caller.waiting:
                del self._callers[uid]
        if builds.code_stamp() != self._code:
            log_event("its code has changed: it ends, for whoever starts it to start it anew")
            self._is_leaving = True


def _keep_only(*kept: socket.socket) -> None:
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


def _inherited_socket() -> socket.socket | None:
    """Returns the socket given as in sd_listen_fds(3)."""
    if os.environ.get("LISTEN_PID") != str(os.getpid()) or os.environ.get("LISTEN_FDS") != "1":
        return None
    os.set_inheritable(3, False)
    return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, 3)


def _bind_socket(path: str, mode: int) -> socket.socket:
    """Binds a socket in a folder that only root may write, so that only root, or its children, can listen there."""
    os.makedirs(RUN_FOLDER, exist_ok=True)
    os.chmod(RUN_FOLDER, 0o755)
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    os.chmod(path, mode)
    listener.listen(512)
    return listener


def log_event(event: str) -> None:
    """Writes to the journal. It contains nothing of any call."""
    sys.stderr.write(f"toolgate: {event}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main()
