"""Holds one conversation of a host's real client with a scripted model, in a home and a project of its own, with the gate
installed.
"""

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from e2e.client_sandbox import Outcome
from toolgate.canary.client import STUB_SERVER, Client, Launch, Scratch
from toolgate.canary.host_proof import install_gate
from toolgate.canary.scripted_server import ScriptedTurn
from toolgate.install import apply_plan, plan_uninstall

SECONDS = 150


@dataclass(frozen=True)
class HostSandbox:
    """`prepare` creates the folders. `path`: the PATH of the client."""

    client: Client
    program: Path
    path: str
    scratch: Scratch

    @property
    def home(self) -> Path:
        return self.scratch.home

    @property
    def project(self) -> Path:
        return self.scratch.project

    @property
    def gate(self) -> Path:
        """The program that replaces the gate's, once there is one."""
        return self.scratch.root / "toolgate-hook"

    def prepare(self) -> "HostSandbox":
        self.scratch.create_folders()
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)
        install_gate(self.client.name, self.scratch)
        return self

    def stand_in(self, script: str | None) -> None:
        """Puts another program in place of the gate's; None: no program."""
        if script is None:
            self.gate.unlink()
            return
        self.gate.write_text(f"#!/bin/sh\n{script}\n")
        self.gate.chmod(0o755)

    def install_stand_in(self, script: str) -> None:
        self.stand_in(script)
        install_gate(self.client.name, self.scratch, (str(self.gate),))

    def uninstall(self) -> None:
        plan = plan_uninstall(self.client.name, ("user", "project"), str(self.home), str(self.project), {})
        apply_plan(plan, str(self.scratch.root / "backups"))

    def policy(self, text: str) -> None:
        (self.scratch.forbidden_folder / "policy.toml").write_text(text)

    def records(self) -> list[dict[str, Any]]:
        audit = self.home / ".local/state/toolgate/audit"
        return [
            json.loads(line) for file in audit.glob("*.jsonl") for line in file.read_text().splitlines() if '"verdict"' in line
        ]

    def talk(
        self,
        *turns: ScriptedTurn,
        threads: Mapping[str, Sequence[ScriptedTurn]] | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> Outcome:
        with self.client.model(turns, threads or {}) as model:
            launch = Launch(str(self.program), {"PATH": self.path}, self.home, self.project, model.url, STUB_SERVER)
            words, variables = self.client.prepare(launch)
            result = subprocess.run(
                words,
                cwd=self.project,
                env={**variables, **(environ or {})},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
            return Outcome(result.returncode, model.call_results(), model.all_messages, result.stdout + result.stderr)
