"""One conversation of the real Copilot with a scripted model, in a home and a project of its own, with the gate installed."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from e2e import clients
from toolgate.canary.copilot import BYPASS_OPTION, build_environment
from toolgate.canary.scripted_chat import ScriptedChat
from toolgate.canary.scripted_server import CallResult, ScriptedCall, ScriptedTurn
from toolgate.install import apply_plan, plan_install

SECONDS = 90
PATCHES = {"COPILOT_MODEL": "gpt-5.4"}
"""The model that has the tool `apply_patch` in the place of `create` and `edit`."""


def bash(command: str) -> ScriptedCall:
    return ScriptedCall("bash", {"command": command, "description": "d"})


@dataclass(frozen=True)
class Outcome:
    exit_code: int
    results: list[CallResult]
    heard: str
    output: str


@dataclass(frozen=True)
class CopilotSandbox:
    """The folders are made by `ready`."""

    root: Path
    program: Path

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def project(self) -> Path:
        return self.root / "project"

    def ready(self) -> "CopilotSandbox":
        self.home.mkdir()
        self.project.mkdir()
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)
        apply_plan(plan_install("copilot", "user", str(self.home), str(self.project), {}), str(self.root / "backups"))
        return self

    def policy(self, text: str) -> None:
        path = self.home / ".config" / "toolgate" / "policy.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def environ(self, model: str) -> dict[str, str]:
        cache = {**os.environ, "COPILOT_CACHE_HOME": str(clients.CACHE / "copilot-cache")}
        return build_environment(cache, str(self.home), model)

    def talk(
        self,
        *turns: ScriptedTurn,
        threads: Mapping[str, Sequence[ScriptedTurn]] | None = None,
        more: Mapping[str, str] | None = None,
    ) -> Outcome:
        with ScriptedChat(turns, threads) as model:
            done = subprocess.run(
                [str(self.program), "-p", "go", BYPASS_OPTION],
                cwd=self.project,
                env={**self.environ(model.url), **(more or {})},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
            return Outcome(done.returncode, model.call_results(), model.all_messages, done.stdout + done.stderr)
