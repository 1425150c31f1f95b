"""A home and a project of their own, in an environment without any agent's variables."""

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from toolgate.cli import main


@dataclass
class CommandResult:
    exit_code: int
    stdout: str
    stderr: str


Run = Callable[..., CommandResult]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in list(os.environ):
        if name.startswith(("CLAUDE", "XDG_", "TOOLGATE_", "NOUS_")):
            monkeypatch.delenv(name)
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setattr("toolgate.machine.ancestry.PROC", str(tmp_path / "no-proc"))
    return folder


@pytest.fixture
def project(home: Path) -> Path:
    folder = home.parent / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def run(home: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def run_main(*words: object) -> CommandResult:
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        return CommandResult(code, captured.out, captured.err)

    return run_main


def ask_hook(program: Path | list[str], payload: object, **more: str) -> subprocess.CompletedProcess[str]:
    """Calls a hook as a host does, with text unchanged and anything else as JSON."""
    text = payload if isinstance(payload, str) else json.dumps(payload)
    words = program if isinstance(program, list) else [str(program)]
    return subprocess.run(words, input=text, env={**os.environ, **more}, capture_output=True, text=True, check=False)


def bash(command: str) -> dict[str, Any]:
    return {"tool_name": "Bash", "tool_input": {"command": command}}
