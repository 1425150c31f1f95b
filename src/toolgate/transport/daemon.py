"""The daemon: a master, which judges nothing, and workers on one listening socket, which answer one call at a time.

The master replaces dead workers and kills stuck ones. After a long time without calls, when the code
has changed or the socket is no longer its own, the daemon ends; the next client finds the lock free, and starts another one.
"""

import _socket
import os
import select
import signal
import time
from dataclasses import dataclass
from types import FrameType
from typing import NoReturn

from toolgate.app import App
from toolgate.machine import build as builds
from toolgate.machine import integrity, processes
from toolgate.machine.load import is_machine_busy

from .warmup import freeze_memory, warm_up
from .worker import STOP_SIGNALS, Worker, WorkerStates

LOCK, LISTENER = 3, 4  # descriptors, from the client
WORKERS = 2
MAX_WORKERS = 8
"""While calls hang, one worker more than hung calls is kept, up to this many."""
IDLE = 1800.0  # seconds
TICK = 5.0
SETTLING_SECONDS = 0.005  # seconds after which calls that keep all workers busy count as long
STUCK = 3.0  # the client has refused the call by then
STUCK_WHEN_BUSY = 9.0  # the same on a busy machine
MAX_DEATHS = 20  # in a row, before any call was answered
MAX_LOG_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class DaemonPlace:
    """The files of a daemon: those of this name in the runtime folder."""

    folder: str
    name: str

    @property
    def socket(self) -> str:
        return f"{self.folder}/{self.name}.sock"

    @property
    def lock(self) -> str:
        return f"{self.folder}/{self.name}.lock"

    @property
    def log(self) -> str:
        return f"{self.folder}/{self.name}.log"


def run_daemon(app: App | None, place: DaemonPlace, build: str) -> NoReturn:
    """Turns this process into the daemon."""
    master = Master(app or App(), place, build)
    try:
        master.run()
    except BaseException as problem:  # noqa: BLE001  (no worker may outlive its master)
        master.log_event(f"failed: {type(problem).__name__}")
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


class Master:
    def __init__(self, app: App, place: DaemonPlace, build: str) -> None:
        self._app, self._place, self._build = app, place, build
        self._listener = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, LISTENER)
        self._beats = WorkerStates(MAX_WORKERS + 1)
        self._reader, self._writer = os.pipe()
        self._workers: dict[int, int] = {}  # process -> slot
        self._leaving: set[int] = set()
        self._code = builds.code_stamp() if builds.installed_build() == build else None  # replaced since this process started
        self._socket = _file_identity(place.socket)
        self._stopping = ""
        self._deaths = 0
        self._log = _open_log(place)

    def run(self) -> NoReturn:
        self.log_event("started")
        os.set_blocking(self._writer, False)
        signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        for number in STOP_SIGNALS:
            signal.signal(number, self._request_stop)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        self._start_worker(0)  # waiting calls are answered while the rest is prepared
        warm_up()
        freeze_memory()
        for slot in range(1, WORKERS + 1):
            self._start_worker(slot)
        self._dismiss_first_worker()
        self.log_event("ready")
        for package in integrity.changed_packages():
            self.log_event(f"{package} is not what it was when the gate was registered")
        while not self._stopping:
            if select.select([self._reader], [], [], self._wait_time())[0]:
                os.read(self._reader, 4096)
            self._reap_workers()
            self._adjust_workers()
            self._check_workers()
        self._stop_daemon()

    def _wait_time(self) -> float:
        """Returns how long to wait: shorter while there is a spare or a busy worker to check."""
        return TICK if len(self._workers) <= WORKERS and not self._beats.is_any_busy() else min(TICK, STUCK / 4)

    def _adjust_workers(self) -> None:
        """Starts another worker while long calls keep all of them busy; dismisses spare ones afterwards."""
        slots = [slot for slot in self._workers.values() if slot]
        since = {slot: self._beats.busy_since(slot) for slot in slots}
        if slots and all(since.values()):
            time.sleep(SETTLING_SECONDS)
            if len(slots) < MAX_WORKERS and all(self._beats.busy_since(slot) == since[slot] for slot in slots):
                self._start_worker(next(slot for slot in range(1, MAX_WORKERS + 1) if slot not in slots))
        elif len(slots) > WORKERS and not any(since.values()):
            self._dismiss_slot(max(slots))

    # ---- workers

    def _start_worker(self, slot: int) -> None:
        self._beats.start_slot(slot)
        master = os.getpid()
        signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)  # until the worker has its own handlers
        pid = os.fork()
        if pid == 0:
            try:
                signal.set_wakeup_fd(-1)
                os.close(LOCK)  # only the master holds it: while it is held, there is a master
                os.close(self._reader)
                Worker(self._app, self._listener, self._build, self._beats, slot, master, self._writer).run()
            finally:
                os._exit(1)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        self._workers[pid] = slot

    def _dismiss_first_worker(self) -> None:
        """Dismiss the first worker, which was forked before everything was loaded."""
        self._dismiss_slot(0)

    def _dismiss_slot(self, slot: int) -> None:
        for pid in [pid for pid, each in self._workers.items() if each == slot]:
            self._leaving.add(pid)
            _send_signal(pid, signal.SIGTERM)

    def _reap_workers(self) -> None:
        for pid, status in processes.reap_children():
            slot = self._workers.pop(pid, None)
            if slot is None:
                continue  # it was stuck, and has been replaced
            self._beats.clear_slot(slot)
            if pid in self._leaving:
                self._leaving.discard(pid)
                continue
            self._deaths = 0 if self._beats.count_calls(slot) else self._deaths + 1
            self.log_event(f"worker {pid} ended ({os.waitstatus_to_exitcode(status)}); another one starts")
            if self._deaths >= MAX_DEATHS:
                self._stopping = "its workers die before they answer anybody"
            else:
                self._start_worker(slot)

    def _check_workers(self) -> None:
        now = time.monotonic()
        for pid in self._leaving:
            _send_signal(pid, signal.SIGTERM)
        for pid, slot in list(self._workers.items()):
            since = self._beats.busy_since(slot)
            if since and now - since > STUCK and now - since > (STUCK_WHEN_BUSY if is_machine_busy() else STUCK):
                self.log_event(f"worker {pid} is stuck, and is ended")
                _send_signal(pid, signal.SIGKILL)
                self._leaving.discard(pid)
                self._workers.pop(pid)  # a process that waits for a disk may survive SIGKILL
                self._beats.clear_slot(slot)
                if len(self._workers) < WORKERS:
                    self._start_worker(slot)
        if now - self._beats.last_activity() > IDLE:
            self._stopping = "nobody called for long"
        elif not self._has_socket():
            self._stopping = "its socket is gone"
        elif builds.code_stamp() != self._code:
            self._stopping = "its code has changed"

    # ---- its end

    def _request_stop(self, _number: int, _frame: FrameType | None) -> None:
        self._stopping = "it was told to"

    def _stop_daemon(self) -> NoReturn:
        """Lets workers finish their calls; waiting clients go on without the daemon."""
        self.log_event(f"stopped: {self._stopping}")
        if self._has_socket():
            os.unlink(self._place.socket)
        until = time.monotonic() + STUCK
        while self._workers and time.monotonic() < until:
            for pid in self._workers:
                _send_signal(pid, signal.SIGTERM)  # repeatedly: a signal just before the worker waits is lost
            time.sleep(0.02)
            for pid in [pid for pid in self._workers if _has_ended(pid)]:
                del self._workers[pid]
        for pid in self._workers:
            _send_signal(pid, signal.SIGKILL)
        os._exit(0)

    def _has_socket(self) -> bool:
        return self._socket is not None and _file_identity(self._place.socket) == self._socket

    def log_event(self, event: str) -> None:
        """Writes to the log, for people. It contains nothing of any call."""
        try:
            os.write(self._log, f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {os.getpid()} {event}\n".encode())
        except OSError:
            pass


# ---- the machine


def _send_signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except OSError:
        pass


def _has_ended(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True


def _file_identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _open_log(place: DaemonPlace) -> int:
    try:
        log = os.open(place.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        if os.fstat(log).st_size > MAX_LOG_BYTES:
            os.ftruncate(log, 0)
    except OSError:
        return 2
    return log
