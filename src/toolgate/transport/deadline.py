"""The deadline of a call: after it, the answer is a refusal, or what the policy's `on_timeout` says.

The first alarm interrupts the judging, so that App answers in the host's own protocol. If that fails, too, the second
one ends the process. On a machine with more to run than it has processors, the first alarm is put off once: such a call is slow
and does not hang. Windows has no alarm: there a thread waits, and only ends the process.
"""

import signal
import sys
from collections.abc import Callable
from types import FrameType

from toolgate.machine.load import is_machine_busy
from toolgate.model.errors import OutOfTime

GRACE_SECONDS = 0.25  # seconds from the first alarm to the second
BUSY_SECONDS = 6.0  # seconds more on a busy machine: together less than the 10 that the hook is registered with
MARGIN_SECONDS = 0.3  # seconds before the client's own deadline


class Deadline:
    """`end` is called when the deadline and the grace period are over; it must not return."""

    def __init__(self, end: Callable[[], None]) -> None:
        self._end = end
        self.passed = self._is_extended = False
        if sys.platform != "win32":
            signal.signal(signal.SIGALRM, self._handle_alarm)

    def start(self, seconds: float) -> None:
        self.passed = self._is_extended = False
        seconds = max(seconds, 0.001)
        if sys.platform != "win32":
            signal.setitimer(signal.ITIMER_REAL, seconds, GRACE_SECONDS)
        else:
            import threading

            timer = threading.Timer(seconds, self._end)
            timer.daemon = True
            timer.start()

    def cancel(self) -> None:
        """Cancels the alarm: the call was answered in time."""
        if sys.platform != "win32":
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _handle_alarm(self, _number: int, _frame: FrameType | None) -> None:
        if self.passed:
            self._end()
        if not self._is_extended and is_machine_busy():
            self._is_extended = True
            signal.setitimer(signal.ITIMER_REAL, BUSY_SECONDS, GRACE_SECONDS)
            return
        self.passed = True
        raise OutOfTime
