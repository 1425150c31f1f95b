"""Holds one conversation of the real Copilot with a scripted model, in its own home and project, with the gate installed."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from e2e import clients
from e2e.client_sandbox import ClientSandbox, Outcome
from toolgate.canary.copilot import BYPASS_OPTION, build_environment
from toolgate.canary.scripted_chat import ScriptedChat
from toolgate.canary.scripted_server import ScriptedCall, ScriptedTurn
from toolgate.install import apply_plan, plan_install

SECONDS = 90
PATCHES = {"COPILOT_MODEL": "gpt-5.4"}
"""The model that has the tool `apply_patch` in the place of `create` and `edit`."""


def bash(command: str) -> ScriptedCall:
    return ScriptedCall("bash", {"command": command, "description": "d"})


@dataclass(frozen=True)
class CopilotSandbox(ClientSandbox):
    def prepare(self) -> "CopilotSandbox":
        self.create_folders()
        apply_plan(plan_install("copilot", "user", str(self.home), str(self.project), {}), str(self.root / "backups"))
        return self

    def environ(self, model: str) -> dict[str, str]:
        cache = {**os.environ, "COPILOT_CACHE_HOME": str(clients.CACHE / "copilot-cache")}
        return build_environment(cache, str(self.home), model)

    def talk(
        self,
        *turns: ScriptedTurn,
        threads: Mapping[str, Sequence[ScriptedTurn]] | None = None,
        more: Mapping[str, str] | None = None,
        flags: Sequence[str] = (),
    ) -> Outcome:
        with ScriptedChat(turns, threads) as model:
            result = subprocess.run(
                [str(self.program), "-p", "go", BYPASS_OPTION, *flags],
                cwd=self.project,
                env={**self.environ(model.url), **(more or {})},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
            return Outcome(result.returncode, model.call_results(), model.all_messages, result.stdout + result.stderr)
