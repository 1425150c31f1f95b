"""Calls of a session that a real shell executes, for the tests of ownership."""

import os
import subprocess
import time
from itertools import count
from pathlib import Path

from unit.sessions.desk import Desk, desk_in

NO_COPIES = 'undo = "off"\n'
_NUMBERS = count()


def begin_session(folder: Path) -> Desk:
    desk = desk_in(folder, NO_COPIES)
    for name in ("Documents", "src"):
        (desk.home / name).mkdir()
    thesis = desk.home / "Documents" / "thesis.txt"
    thesis.write_text("years of work\n")
    os.utime(thesis, (1_700_000_000, 1_700_000_000))
    return desk


class Call:
    """A call of the session: judged when it is made, executed by a real shell, and reported as the host does."""

    def __init__(self, desk: Desk, command: str) -> None:
        self.desk, self.command, self.id, self.status = desk, command, f"c{next(_NUMBERS)}", 0
        desk.now = time.time()
        answer = desk.hook("PreToolUse", tool_name="Bash", tool_input={"command": command}, tool_use_id=self.id)
        self.verdict = "deny" if '"deny"' in answer.stdout else "ask" if '"ask"' in answer.stdout else "runs"

    def run(self) -> "Call":
        environ = {"HOME": str(self.desk.home), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
        self.status = subprocess.run(
            ["/bin/sh", "-c", self.command], cwd=self.desk.project, env=environ, check=False, capture_output=True
        ).returncode
        return self

    def report(self, **response: object) -> "Call":
        given: dict[str, object] = {"tool_name": "Bash", "tool_input": {"command": self.command}, "tool_use_id": self.id}
        if self.status == 0:
            self.desk.hook("PostToolUse", **given, tool_response={"stdout": "", "stderr": "", "interrupted": False, **response})
        else:
            self.desk.hook("PostToolUseFailure", **given, error=f"Exit code {self.status}")
        return self


def execute(desk: Desk, command: str) -> Call:
    """Executes a call; a person answers yes where it asks."""
    return Call(desk, command).run().report()


def judge(desk: Desk, command: str) -> str:
    return Call(desk, command).verdict
