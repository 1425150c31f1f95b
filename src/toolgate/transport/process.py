"""One hook call in this process: the payload from standard input, the answer to standard output, and nothing else.

A host takes stray output, a traceback or exit code 1 as no answer, and lets the call run. So the answer is the only thing that
is ever written to the descriptor that the host reads, and every exit of this process is an answer or a refusal.
"""

import gc
import os
import signal
import sys
import time
from types import FrameType

from toolgate.machine.current_account import real_user
from toolgate.model.errors import OutOfTime
from toolgate.model.event import AGENT, PHASE, ROLE
from toolgate.model.request import Answer, Request

from .deadline import Deadline

DEADLINE = 2.0  # seconds; the hook is registered with 10
MAX_PAYLOAD_BYTES = 128 * 1024 * 1024
_STOP_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name))


def run(arguments: list[str]) -> int:
    """`toolgate hook HOST EVENT`. Never returns: the process exits with the answer's exit code."""
    gc.disable()  # the process exits after its one answer
    out = _take_stdout()
    who = _variables_in_arguments(arguments)
    if len(arguments) != len(who) + 2:
        _write_answer_and_exit(out, Answer(stderr="usage: toolgate hook [TOOLGATE_ROLE=...] HOST EVENT\n", exit_code=2))
    host, event = arguments[len(who) :]
    refused = _Refusal(out, host, event)
    for stop in _STOP_SIGNALS:
        signal.signal(stop, refused.refuse_stopped)
    deadline = Deadline(refused.refuse_late)
    deadline.start(DEADLINE)
    try:
        payload = _read_all()
        if payload is None:
            refused("this call is larger than toolgate reads")
        from toolgate.app import App

        request = Request(
            host, event, payload or b"", {**os.environ, **who}, _current_directory(), real_user(), time.time(), os.getpid()
        )
        _leave_caller_directory()
        answer = App().handle(request)
        deadline.cancel()
    except OutOfTime:
        refused.refuse_late()
    except BaseException as problem:  # noqa: BLE001  (a failed import, memory, an interrupt: the host must get a refusal)
        refused(f"toolgate could not start ({type(problem).__name__}); `toolgate doctor` says more")
    else:
        _write_answer_and_exit(out, answer)
    return 2


def _variables_in_arguments(arguments: list[str]) -> dict[str, str]:
    """Returns what the registered command says of the agent, before the host and the event."""
    said: dict[str, str] = {}
    for word in arguments:
        name, given, value = word.partition("=")
        if not given or name not in (AGENT, ROLE, PHASE) or name in said:
            break
        said[name] = value
    return said


def _take_stdout() -> int | None:
    """Returns a copy of standard output, which libraries then print to standard error instead. None if the host closed it."""
    is_open = [_is_open(descriptor) for descriptor in range(3)]
    for descriptor in range(3):
        if not is_open[descriptor]:
            os.open(os.devnull, os.O_RDWR)  # the lowest free descriptor
    out = os.dup(1) if is_open[1] else None
    os.dup2(2, 1)
    return out


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _read_all() -> bytes | None:
    data = bytearray()
    while more := os.read(0, 1 << 20):
        data += more
        if len(data) > MAX_PAYLOAD_BYTES:
            return None
    return bytes(data)


def _current_directory() -> str:
    try:
        return os.getcwd()
    except OSError:
        return "/"


def _leave_caller_directory() -> None:
    """Leaves the caller's directory as the daemon does, so that relative paths mean the same in both."""
    os.chdir("/")
    os.umask(0o077)


class _Refusal:
    """The refusal, which is ready from the start."""

    def __init__(self, out: int | None, host: str, event: str) -> None:
        self._out, self._host, self._event = out, host, event

    def __call__(self, reason: str) -> None:
        try:
            from toolgate import hosts

            answer = hosts.load_host(self._host).refuse(self._event, reason)
        except BaseException:  # noqa: BLE001  (what remains is the exit code that every event takes as a refusal)
            answer = Answer(stderr=reason, exit_code=2)
        _write_answer_and_exit(self._out, answer)

    def refuse_late(self) -> None:
        self(f"toolgate did not finish judging this call within {DEADLINE:.0f} seconds, so it refuses it")

    def refuse_stopped(self, _number: int, _frame: FrameType | None) -> None:
        self("toolgate was stopped while it judged this call, so it refuses it")


def _write_answer_and_exit(out: int | None, answer: Answer) -> None:
    """Writes the whole answer and exits at once: no exit handler may change the code or print.

    If the answer does not reach the host, the exit code is a refusal.
    """
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, 0)
    code = answer.exit_code
    try:
        _write_all(2, answer.stderr)
    except OSError:
        pass  # for people; the host does not read it
    try:
        if out is not None:
            _write_all(out, answer.stdout)
        elif answer.stdout:
            code = 2
    except OSError:
        code = 2
    os._exit(code)


def _write_all(descriptor: int, text: str) -> None:
    data = text.encode("utf-8", "backslashreplace")
    while data:
        data = data[os.write(descriptor, data) :]
