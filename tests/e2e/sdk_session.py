"""Programs with an SDK and the gate in them, each in a process of its own, and the real runtimes that they drive."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import toolgate
from e2e import clients
from e2e.claude_session import Sandbox
from e2e.conftest import SANDBOXES
from e2e.copilot_session import CopilotSandbox
from toolgate.canary.claude_code import build_environment
from toolgate.canary.scripted_chat import ScriptedChat
from toolgate.canary.scripted_model import ScriptedModel

PROGRAMS = Path(__file__).parent / "programs"
SECONDS = 120


@pytest.fixture
def place() -> Iterator[CopilotSandbox]:
    """A home without hooks of its own."""
    SANDBOXES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=SANDBOXES, ignore_cleanup_errors=True) as root:
        sandbox = CopilotSandbox(Path(root), clients.copilot())
        sandbox.home.mkdir()
        sandbox.project.mkdir()
        subprocess.run(["git", "init", "-q", str(sandbox.project)], check=True)
        yield sandbox


def run(program: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Runs a program in a process that has the SDKs on its path."""
    path = os.pathsep.join((str(Path(toolgate.__file__).parents[1]), str(clients.sdks())))
    result = subprocess.run(
        [sys.executable, str(PROGRAMS / program), json.dumps(options)],
        env={**os.environ, "PYTHONPATH": path, "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-3000:]
    report: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return report


def copilot(
    place: CopilotSandbox, model: ScriptedChat, variables: Mapping[str, str] | None = None, **more: Any
) -> dict[str, Any]:
    environ = {**place.environ(model.url), **(variables or {})}
    wanted = {"project": str(place.project), "program": str(place.program), "environ": environ, "model": model.url}
    return run("copilot_sdk.py", {**wanted, **more})


def claude(sandbox: Sandbox, model: ScriptedModel, *, variables: Mapping[str, str] = {}, **more: Any) -> dict[str, Any]:
    environ = {**build_environment(os.environ, str(sandbox.home), model.url), **variables}
    wanted = {"project": str(sandbox.project), "program": str(sandbox.program), "environ": environ}
    return run("claude_sdk.py", {**wanted, **more})
