"""One conversation of the real OpenCode with a scripted model, in a home and a project of its own, with the gate installed."""

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from e2e.client_sandbox import ClientSandbox, Outcome
from toolgate.canary.client import STUB_SERVER
from toolgate.canary.opencode import build_environment
from toolgate.canary.scripted_chat import ScriptedChat
from toolgate.canary.scripted_server import ScriptedCall, ScriptedTurn
from toolgate.hosts.opencode.settings import REGISTRATION as registration
from toolgate.install import apply_plan, find_node_package, plan_install

SECONDS = 120


def bash(command: str, **more: object) -> ScriptedCall:
    return ScriptedCall("bash", {"command": command, **more})


@dataclass(frozen=True)
class OpenCodeSandbox(ClientSandbox):
    @property
    def plugin(self) -> Path:
        return self.home / ".config" / "opencode" / "plugin" / "toolgate.js"

    def ready(self) -> "OpenCodeSandbox":
        self.create_folders()
        apply_plan(plan_install("opencode", "user", str(self.home), str(self.project), {}), str(self.root / "backups"))
        return self

    def break_gate(self, script: str | None) -> None:
        """The plugin with another program in the place of the gate's; None: with none."""
        program = self.root / "toolgate-hook"
        if script is None:
            program.unlink()
            return
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        self.plugin.write_text(registration.render((str(program),), find_node_package()))

    def talk(
        self, *turns: ScriptedTurn, threads: Mapping[str, Sequence[ScriptedTurn]] | None = None, flags: Sequence[str] = ()
    ) -> Outcome:
        more = {"mcp": {"stub": {"type": "local", "command": [*STUB_SERVER["stub"]], "enabled": True}}}
        with ScriptedChat(turns, threads) as model:
            done = subprocess.run(
                [str(self.program), "run", *flags, "go"],
                cwd=self.project,
                env=build_environment({}, str(self.home), model.url, more),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
            return Outcome(done.returncode, model.call_results(), model.all_messages, done.stdout + done.stderr)
