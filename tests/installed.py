"""toolgate as an installer leaves it: its programs, and a home to be registered in."""

import json
import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from faults.child import HookResult
from faults.clients import wait_until


@dataclass
class Installed:
    """`programs`: the folder of its commands."""

    root: Path
    programs: Path

    @property
    def environ(self) -> dict[str, str]:
        return {"HOME": str(self.root / "home"), "TOOLGATE_HOME": str(self.root / "gate"), "PATH": "/usr/bin:/bin"}

    def toolgate(self, *words: str) -> str:
        (self.root / "home").mkdir(exist_ok=True)
        result = subprocess.run(
            [self.programs / "toolgate", *words], env=self.environ, cwd=self.root, capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, result.stderr
        return result.stdout

    def registered_command(self, event: str = "PreToolUse") -> list[str]:
        settings = json.loads((self.root / "home" / ".claude" / "settings.json").read_text())
        (handler,) = settings["hooks"][event][0]["hooks"]
        return [handler["command"], *handler["args"]]

    def ask(self, words: list[str], command: str) -> HookResult:
        call = {"hook_event_name": "PreToolUse", "cwd": str(self.root), "tool_name": "Bash", "tool_input": {"command": command}}
        result = subprocess.run(words, input=json.dumps(call).encode(), env=self.environ, capture_output=True, check=False)
        return HookResult(result.returncode, result.stdout, result.stderr)

    def until_it_answers(self) -> None:
        logs = self.root / "gate" / "run"
        wait_until(lambda: "ready" in "".join(log.read_text() for log in logs.glob("*.log")))

    def end(self) -> None:
        for lock in (self.root / "gate" / "run").glob("*.lock"):
            pid = lock.read_text().partition(" ")[0]
            if pid.isdigit():
                try:
                    os.killpg(int(pid), signal.SIGKILL)
                except ProcessLookupError:
                    continue
