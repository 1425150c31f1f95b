"""Starts a client without the gate, the only way to do so: for a person, for minutes, with a reason, and recorded.

The administrator's managed hooks are still called.
"""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence

from toolgate import audit
from toolgate.audit.record import Record, uuid7
from toolgate.machine.environment import find_folders

MAX_MINUTES = 60
"""Minutes."""
GRACE_SECONDS = 10
"""Seconds between terminating the client and killing it."""
EXIT_TIME_OVER = 124
"""The exit code of a client that was ended, as for `timeout`."""
HOOKS_OFF = '{"disableAllHooks": true}'


def record_bypass(deed: str, minutes: float, reason: str, home: str, environ: Mapping[str, str], now: float) -> str:
    """Writes the record. Returns what went wrong, in a sentence; empty when nothing did: without a record there is no bypass."""
    line = Record(
        id=uuid7(now, os.urandom(10)),
        time=time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(now)),
        host="toolgate",
        session="",
        agent="",
        role="",
        tool="run --no-hooks",
        tool_use_id="",
        operation=deed,
        effects=(),
        rules=(),
        judged="pass",
        verdict="pass",
        reason=f"without the gate for {minutes:g} minutes: {reason}"[:1000],
        policy="",
        microseconds=0,
    )
    return audit.write_record(f"{find_folders(environ, home).state}/audit", line)


def run_client(command: Sequence[str], minutes: float) -> int:
    """Starts the client and ends it when its time is over. Returns its exit code, or EXIT_TIME_OVER."""
    program, *arguments = command
    process = subprocess.Popen([program, "--settings", HOOKS_OFF, *arguments])
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # the client handles it
    try:
        return process.wait(minutes * 60)
    except subprocess.TimeoutExpired:
        process.terminate()
        try:
            process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        return EXIT_TIME_OVER
    finally:
        signal.signal(signal.SIGINT, before)
