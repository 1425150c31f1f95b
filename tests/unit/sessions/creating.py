"""Calls of a session that a real shell executes, for the tests of ownership."""

import os
import subprocess
import time
from itertools import count
from pathlib import Path

from unit.sessions.simulated_client import SimulatedClient, client_in

NO_COPIES = 'undo = "off"\n'
_NUMBERS = count()


def begin_session(folder: Path) -> SimulatedClient:
    client = client_in(folder, NO_COPIES)
    for name in ("Documents", "src"):
        (client.home / name).mkdir()
    thesis = client.home / "Documents" / "thesis.txt"
    thesis.write_text("years of work\n")
    os.utime(thesis, (1_700_000_000, 1_700_000_000))
    return client


class Call:
    """A call of the session: judged when it is made, executed by a real shell, and reported as the host does."""

    def __init__(self, client: SimulatedClient, command: str) -> None:
        self.client, self.command, self.id, self.status = client, command, f"c{next(_NUMBERS)}", 0
        client.now = time.time()
        answer = client.hook("PreToolUse", tool_name="Bash", tool_input={"command": command}, tool_use_id=self.id)
        self.verdict = "deny" if '"deny"' in answer.stdout else "ask" if '"ask"' in answer.stdout else "runs"

    def run(self) -> "Call":
        environ = {"HOME": str(self.client.home), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
        self.status = subprocess.run(
            ["/bin/sh", "-c", self.command], cwd=self.client.project, env=environ, check=False, capture_output=True
        ).returncode
        return self

    def report(self, **response: object) -> "Call":
        tool_input: dict[str, object] = {"tool_name": "Bash", "tool_input": {"command": self.command}, "tool_use_id": self.id}
        if self.status == 0:
            self.client.hook(
                "PostToolUse", **tool_input, tool_response={"stdout": "", "stderr": "", "interrupted": False, **response}
            )
        else:
            self.client.hook("PostToolUseFailure", **tool_input, error=f"Exit code {self.status}")
        return self


def execute(client: SimulatedClient, command: str) -> Call:
    """Executes a call; a person approves it if it asks."""
    return Call(client, command).run().report()


def judge(client: SimulatedClient, command: str) -> str:
    return Call(client, command).verdict
