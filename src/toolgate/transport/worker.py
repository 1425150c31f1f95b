"""A worker: one process with one thread that answers one call at a time.

Nothing is decided here: the same App answers, from the request alone. A call that cannot be answered gets no
answer, and its client goes on without it.
"""

import _socket
import mmap
import os
import select
import signal
import struct
import sys
import time
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import NoReturn

from toolgate.app import App
from toolgate.model.errors import OutOfTime

from . import frames
from .deadline import MARGIN_SECONDS, Deadline
from .memory import limit_memory

READING_SECONDS = 5.0  # seconds that a client may take to send its request
WAKING_SECONDS = 30  # seconds after which an idle worker checks whether its master lives
LARGE_PAYLOAD = 4 << 20
"""Bytes of a call after which a worker is replaced, since it keeps the memory it once used."""
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
SOL_LOCAL, LOCAL_PEERCRED, LOCAL_PEERPID = 0, 1, 2  # macOS


class WorkerStates:
    """States of the workers in memory shared with the master. Four numbers per slot: since when its worker is busy (0: it
    is not), when it last was, how many calls it had, and whether there is a worker."""

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._cells = memoryview(mmap.mmap(-1, 4096)).cast("d")
        self._began = time.monotonic()

    def start_slot(self, slot: int) -> None:
        """A worker starts in this slot."""
        self._cells[4 * slot : 4 * slot + 4] = memoryview(bytes(32)).cast("d")
        self._cells[4 * slot + 3] = 1.0

    def clear_slot(self, slot: int) -> None:
        """The worker of this slot has ended."""
        self._cells[4 * slot] = self._cells[4 * slot + 3] = 0.0

    def mark_busy(self, slot: int) -> bool:
        """Marks this worker as busy. Returns whether every other one is busy, too."""
        self._cells[4 * slot] = time.monotonic()
        cells = self._cells
        return all(cells[4 * each] or not cells[4 * each + 3] for each in range(self._slots))

    def mark_idle(self, slot: int) -> None:
        self._cells[4 * slot + 1] = self._cells[4 * slot]
        self._cells[4 * slot] = 0.0
        self._cells[4 * slot + 2] += 1

    def busy_since(self, slot: int) -> float:
        return self._cells[4 * slot]

    def is_any_busy(self) -> bool:
        return any(self._cells[4 * slot] for slot in range(self._slots))

    def count_calls(self, slot: int) -> int:
        return int(self._cells[4 * slot + 2])

    def last_activity(self) -> float:
        return max(self._began, *(max(self._cells[4 * slot : 4 * slot + 2]) for slot in range(self._slots)))


class Worker:
    """Answers calls until its master is gone or dismisses it. `bell`: a pipe that wakes the master."""

    def __init__(
        self, app: App, listener: _socket.socket, build: str, beats: WorkerStates, slot: int, master: int, bell: int
    ) -> None:
        self._app, self._listener, self._build = app, listener, build
        self._beats, self._slot, self._master, self._bell = beats, slot, master, bell
        self._is_busy = self._is_leaving = False
        self._deadline = Deadline(lambda: os._exit(1))

    def run(self) -> NoReturn:
        code = 1
        try:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for number in (signal.SIGINT, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, self._handle_term)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
            called = _build_waiter(self._listener)
            with limit_memory():
                while not self._is_leaving and os.getppid() == self._master:
                    called()
                    self._answer_next()
            code = 0
        except WorkerDismissed:
            code = 0
        finally:
            os._exit(code)

    def _answer_next(self) -> None:
        try:
            descriptor, _ = self._listener._accept()  # type: ignore[attr-defined]
        except (BlockingIOError, ConnectionError):  # no call for a while, or the caller is gone already
            return
        self._is_busy = True
        if self._beats.mark_busy(self._slot):
            self._wake_master()
        conversation = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, descriptor)
        try:
            pid, uid = _peer_of(conversation)
            if uid == os.geteuid():
                self._answer_call(descriptor, pid)
        except (OSError, frames.BadFrame, OutOfTime):
            pass  # the client can handle a missing answer
        finally:
            self._deadline.cancel()
            conversation.close()
        self._beats.mark_idle(self._slot)
        self._is_busy = False

    def _answer_call(self, descriptor: int, pid: int) -> None:
        self._deadline.start(READING_SECONDS)
        request, left = frames.receive_request(descriptor, self._build, pid)
        if _has_hung_up(descriptor):
            return  # it waited too long in the queue: the client's own engine has judged and recorded it
        self._deadline.start(left - MARGIN_SECONDS)
        self._is_leaving = self._is_leaving or len(request.payload) > LARGE_PAYLOAD
        answer = self._app.handle(request)
        self._deadline.cancel()
        frames.write_all(descriptor, frames.pack_reply(self._build, answer))
        if self._deadline.passed:
            os._exit(0)  # interrupted at any point, the process is unfit for another call

    def _wake_master(self) -> None:
        """Wakes the master: no worker is free for the next call."""
        try:
            os.write(self._bell, b".")
        except BlockingIOError:
            pass  # it is awake already

    def _handle_term(self, _number: int, _frame: FrameType | None) -> None:
        self._is_leaving = True
        if not self._is_busy:
            raise WorkerDismissed


class WorkerDismissed(BaseException):
    """A worker without a call was dismissed."""


def _peer_of(conversation: _socket.socket) -> tuple[int, int]:
    """Returns the process and the user at the other end."""
    if sys.platform == "linux":
        pid, uid, _ = struct.unpack("3i", conversation.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12))
        return pid, uid
    pid = conversation.getsockopt(SOL_LOCAL, LOCAL_PEERPID)
    return pid, struct.unpack_from("=II", conversation.getsockopt(SOL_LOCAL, LOCAL_PEERCRED, 76))[1]


def _has_hung_up(descriptor: int) -> bool:
    turn = select.poll()
    turn.register(descriptor, 0)  # a hang-up is reported without being asked for
    return bool(turn.poll(0))


def _build_waiter(listener: _socket.socket) -> Callable[[], object]:
    """Returns a function that waits for a call, or a while. Linux wakes the worker that was first to wait,
    as long as it is free, so that its caches and memory are reused. Elsewhere they take turns, and accepting
    waits."""
    if sys.platform != "linux":
        listener.setsockopt(_socket.SOL_SOCKET, _socket.SO_RCVTIMEO, struct.pack("@ll", WAKING_SECONDS, 0))
        return lambda: None
    listener.setblocking(False)
    turn = select.epoll()
    turn.register(listener.fileno(), select.EPOLLIN | select.EPOLLEXCLUSIVE)
    return partial(turn.poll, WAKING_SECONDS)
