"""What answers: one process, one thread, one call at a time.

Nothing here decides anything: the same App answers, from the request alone. A call that cannot be answered is left without an
answer, and its client goes on by itself.
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
from .deadline import MARGIN, Deadline
from .memory import bounded_memory

READING = 5.0  # seconds that a client may take to say what it wants
WAKING = 30  # seconds after which one that nobody calls looks whether it still has a master
LARGE = 4 << 20
"""Bytes of a call after which a worker makes way for a fresh one: it keeps the memory that it once had."""
LEAVING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
SOL_LOCAL, LOCAL_PEERCRED, LOCAL_PEERPID = 0, 1, 2  # macOS


class Beats:
    """What workers tell their master without a word, in shared memory. Four numbers a slot: since when its worker is busy (0: it
    is not), when it last was, how many calls it had, and whether there is a worker at all."""

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._cells = memoryview(mmap.mmap(-1, 4096)).cast("d")
        self._began = time.monotonic()

    def begin(self, slot: int) -> None:
        """A worker starts in this slot."""
        self._cells[4 * slot : 4 * slot + 4] = memoryview(bytes(32)).cast("d")
        self._cells[4 * slot + 3] = 1.0

    def end(self, slot: int) -> None:
        """The worker of this slot is gone."""
        self._cells[4 * slot] = self._cells[4 * slot + 3] = 0.0

    def busy(self, slot: int) -> bool:
        """This worker is busy now. Returns whether every other one is, too."""
        self._cells[4 * slot] = time.monotonic()
        cells = self._cells
        return all(cells[4 * each] or not cells[4 * each + 3] for each in range(self._slots))

    def done(self, slot: int) -> None:
        self._cells[4 * slot + 1] = self._cells[4 * slot]
        self._cells[4 * slot] = 0.0
        self._cells[4 * slot + 2] += 1

    def busy_since(self, slot: int) -> float:
        return self._cells[4 * slot]

    def any_busy(self) -> bool:
        return any(self._cells[4 * slot] for slot in range(self._slots))

    def count(self, slot: int) -> int:
        return int(self._cells[4 * slot + 2])

    def last(self) -> float:
        return max(self._began, *(max(self._cells[4 * slot : 4 * slot + 2]) for slot in range(self._slots)))


class Worker:
    """Answers call after call, until its master is gone or wants it to go. `bell`: a pipe that wakes the master."""

    def __init__(self, app: App, listener: _socket.socket, build: str, beats: Beats, slot: int, master: int, bell: int) -> None:
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
            signal.signal(signal.SIGTERM, self._leave)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, LEAVING)
            called = _waiting(self._listener)
            with bounded_memory():
                while not self._is_leaving and os.getppid() == self._master:
                    called()
                    self._next()
            code = 0
        except Gone:
            code = 0
        finally:
            os._exit(code)

    def _next(self) -> None:
        try:
            descriptor, _ = self._listener._accept()  # type: ignore[attr-defined]
        except (BlockingIOError, ConnectionError):  # nobody for a while; somebody who is gone already
            return
        self._is_busy = True
        if self._beats.busy(self._slot):
            self._ring()
        conversation = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, descriptor)
        try:
            pid, uid = _peer(conversation)
            if uid == os.geteuid():
                self._answer(descriptor, pid)
        except (OSError, frames.BadFrame, OutOfTime):
            pass  # no answer is one that the client knows how to take
        finally:
            self._deadline.over()
            conversation.close()
        self._beats.done(self._slot)
        self._is_busy = False

    def _answer(self, descriptor: int, pid: int) -> None:
        self._deadline.begin(READING)
        request, left = frames.received(descriptor, self._build, pid)
        self._deadline.begin(left - MARGIN)
        self._is_leaving = self._is_leaving or len(request.payload) > LARGE
        answer = self._app.handle(request)
        self._deadline.over()
        frames.send(descriptor, frames.reply(self._build, answer))
        if self._deadline.passed:
            os._exit(0)  # interrupted anywhere, this process is no good for another call

    def _ring(self) -> None:
        """Wakes the master: nobody waits for the next call."""
        try:
            os.write(self._bell, b".")
        except BlockingIOError:
            pass  # it is awake

    def _leave(self, _number: int, _frame: FrameType | None) -> None:
        self._is_leaving = True
        if not self._is_busy:
            raise Gone


class Gone(BaseException):
    """A worker without a call was told to go."""


def _peer(conversation: _socket.socket) -> tuple[int, int]:
    """The process and the user at the other end."""
    if sys.platform == "linux":
        pid, uid, _ = struct.unpack("3i", conversation.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12))
        return pid, uid
    pid = conversation.getsockopt(SOL_LOCAL, LOCAL_PEERPID)
    return pid, struct.unpack_from("=II", conversation.getsockopt(SOL_LOCAL, LOCAL_PEERCRED, 76))[1]


def _waiting(listener: _socket.socket) -> Callable[[], object]:
    """What returns when somebody calls, at the latest after a while. Linux wakes the worker that was the first to say that it
    waits, while it is free: it has the last calls in mind, and its memory at hand. Elsewhere they take turns, and accepting
    waits."""
    if sys.platform != "linux":
        listener.setsockopt(_socket.SOL_SOCKET, _socket.SO_RCVTIMEO, struct.pack("@ll", WAKING, 0))
        return lambda: None
    listener.setblocking(False)
    turn = select.epoll()
    turn.register(listener.fileno(), select.EPOLLIN | select.EPOLLEXCLUSIVE)
    return partial(turn.poll, WAKING)
