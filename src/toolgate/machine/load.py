"""Whether this machine has more to run than it has processors."""

import os


def is_machine_busy() -> bool:
    """Returns whether more processes wait to run than there are processors for them. False where the system does not say."""
    try:
        with open("/proc/loadavg", encoding="ascii") as load:
            running = int(load.read().split()[3].partition("/")[0])  # 0.40 0.92 1.50 7/98 13471: seven run
        return running > len(os.sched_getaffinity(0))
    except (OSError, ValueError, IndexError, AttributeError):
        return False
