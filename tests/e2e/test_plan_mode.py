"""Tests a host's own plan mode, in which its agent only reads: the calls that the client allows reach the gate."""

import os
import subprocess
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from e2e import clients
from e2e.conftest import SANDBOXES
from e2e.host_session import SECONDS, HostSandbox
from toolgate.canary.client import Client, Launch, Scratch
from toolgate.canary.scripted_server import ScriptedCall, ScriptedTurn
from toolgate.hosts import HOSTS
from toolgate.hosts.capabilities import load_capabilities
from toolgate.transport.running_daemons import find_daemons, stop_daemon

pytestmark = pytest.mark.e2e


def replace_word(old: str, *new: str) -> Callable[[list[str]], list[str]]:
    return lambda words: [each for word in words for each in (new if word == old else (word,))]


PLAN_MODES: dict[str, tuple[Callable[[list[str]], list[str]], ScriptedCall]] = {
    "claude-code": (
        replace_word("--dangerously-skip-permissions", "--permission-mode", "plan"),
        ScriptedCall("Read", {"file_path": "notes"}),
    ),
    "cline": (
        lambda words: [words[0], "--plan", *words[1:]],
        ScriptedCall("read_files", {"files": [{"path": "notes"}]}),
    ),
    "copilot": (lambda words: [*words, "--mode", "plan"], ScriptedCall("view", {"path": "notes"})),
    "gemini": (replace_word("--yolo", "--approval-mode", "plan"), ScriptedCall("read_file", {"file_path": "notes"})),
    "qwen": (replace_word("--yolo", "--approval-mode", "plan"), ScriptedCall("read_file", {"file_path": "notes"})),
}
"""Host -> its headless command line in plan mode, and a call that reads the file `notes`. Codex and Kimi have a plan mode only in
an attended session; `opencode_scenarios.py` has that of OpenCode and Kilo."""


@pytest.mark.parametrize("host", PLAN_MODES)
def test_a_call_in_plan_mode_reaches_the_gate(host: str) -> None:
    prepare_plan, call = PLAN_MODES[host]
    client: Client = import_module(f"toolgate.canary.{HOSTS[host]}").CLIENT
    program: Path = getattr(clients, HOSTS[host])()
    SANDBOXES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=SANDBOXES, ignore_cleanup_errors=True) as root:
        path = f"{clients.node()}:{os.environ['PATH']}"
        sandbox = HostSandbox(client, program, path, Scratch(Path(root))).prepare()
        sandbox.policy('log = "decisions"\n')
        (sandbox.project / "notes").write_text("hello\n")
        fields = {key: str(sandbox.project / "notes") if text == "notes" else text for key, text in call.input.items()}
        turns = [ScriptedTurn((ScriptedCall(call.tool, fields),)), ScriptedTurn((client.shell("touch ~/.bashrc"),))]
        environ = {"PATH": path, "COPILOT_CACHE_HOME": str(clients.CACHE / "copilot-cache")}
        with client.model(turns, {}) as model:
            words, variables = client.prepare(Launch(str(program), environ, sandbox.home, sandbox.project, model.url))
            result = subprocess.run(
                prepare_plan(words),
                cwd=sandbox.project,
                env=variables,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
        for daemon in find_daemons(str(sandbox.home / ".cache" / "toolgate" / "run")):
            stop_daemon(daemon)
        assert call.tool in [each["tool"] for each in sandbox.records()], result.stdout + result.stderr
        assert not (sandbox.home / ".bashrc").exists()
    assert load_capabilities(host).sections["reach"]["plan mode"] == "yes"
