"""Holds one conversation of the real Codex with a scripted model, in a home and a project of its own, with the gate installed."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from e2e.client_sandbox import ClientSandbox, Outcome
from toolgate.canary.client import STUB_SERVER, Scratch
from toolgate.canary.codex import build_command_line, build_environment, render_server_settings
from toolgate.canary.host_proof import install_gate
from toolgate.canary.scripted_responses import MODEL, ScriptedResponses
from toolgate.canary.scripted_server import ScriptedCall, ScriptedTurn

SECONDS = 90


def shell(command: str, **more: object) -> ScriptedCall:
    return ScriptedCall("exec_command", {"cmd": command, **more})


def patch(text: str) -> ScriptedCall:
    return ScriptedCall("apply_patch", {"text": f"*** Begin Patch\n{text}\n*** End Patch\n"})


@dataclass(frozen=True)
class CodexSandbox(ClientSandbox):
    @property
    def hooks(self) -> Path:
        return self.home / ".codex" / "hooks.json"

    def prepare(self) -> "CodexSandbox":
        self.create_folders()
        install_gate("codex", Scratch(self.root))
        return self

    def stand_in(self, script: str | None) -> None:
        """Registers another program in place of the gate's, equally trusted; None: no program."""
        program = self.root / "toolgate-hook"
        if script is None:
            program.unlink()
            return
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        install_gate("codex", Scratch(self.root), (str(program),))

    def talk(
        self, *turns: ScriptedTurn, threads: Mapping[str, Sequence[ScriptedTurn]] | None = None, model: str = MODEL
    ) -> Outcome:
        with ScriptedResponses(turns, threads) as scripted:
            result = subprocess.run(
                build_command_line(str(self.program), scripted.url, model, render_server_settings(STUB_SERVER)),
                cwd=self.project,
                env=build_environment({}, str(self.home)),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
            return Outcome(result.returncode, scripted.call_results(), scripted.all_messages, result.stdout + result.stderr)

    def app_server(self, *calls: tuple[str, Mapping[str, object]]) -> list[Mapping[str, object]]:
        """Returns the answers of the client's own server, in order."""
        about = {"clientInfo": {"name": "e2e", "title": "e2e", "version": "1"}, "capabilities": {"experimentalApi": True}}
        with subprocess.Popen(
            [str(self.program), "app-server"],
            cwd=self.project,
            env=build_environment({}, str(self.home)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as server:
            assert server.stdin is not None
            assert server.stdout is not None
            answers = []
            for number, (method, params) in enumerate((("initialize", about), *calls)):
                server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
                server.stdin.flush()
                answers.append(next(each for each in map(json.loads, server.stdout) if each.get("id") == number)["result"])
            server.stdin.close()
            server.kill()
        return answers[1:]
