"""The one clock: when the time for a call is over, its answer is a refusal, or what the policy's `on_timeout` says.

The first alarm interrupts the judging, so that App answers in the host's own words. Where even that comes to nothing, the second
one ends it. Windows has no alarm: a thread waits there, and there is only the end.
"""

import signal
import sys
from collections.abc import Callable
from types import FrameType

from toolgate.model.errors import OutOfTime

GRACE = 0.25  # seconds from the first alarm to the second
MARGIN = 0.3  # seconds before the client's own deadline


class Deadline:
    """`end` is called when the time and the grace are over; it must not return."""

    def __init__(self, end: Callable[[], None]) -> None:
        self._end = end
        self.passed = False
        if sys.platform != "win32":
            signal.signal(signal.SIGALRM, self._rings)

    def begin(self, seconds: float) -> None:
        self.passed = False
        seconds = max(seconds, 0.001)
        if sys.platform != "win32":
            signal.setitimer(signal.ITIMER_REAL, seconds, GRACE)
        else:
            import threading

            timer = threading.Timer(seconds, self._end)
            timer.daemon = True
            timer.start()

    def over(self) -> None:
        """The call is answered in time."""
        if sys.platform != "win32":
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _rings(self, _number: int, _frame: FrameType | None) -> None:
        if self.passed:
            self._end()
        self.passed = True
        raise OutOfTime
