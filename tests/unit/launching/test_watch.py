"""`toolgate watch` reports what changes in the gate's own files."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from toolgate.designs.safety_hook.deployment import HOOK_PATH
from unit.launching.conftest import Run

OFF = '{"disableAllHooks": true}'


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (lambda project: (project / HOOK_PATH).unlink(), "claude-safety-hook.sh: it is not there"),
        (lambda project: (project / HOOK_PATH).chmod(0o755), "its mode is not 555"),
        (lambda project: (project / ".claude" / "settings.json").write_text("{}"), "does not register"),
        (lambda project: (project / ".claude" / "settings.json").write_text("{"), "settings.json"),
        (
            lambda project: (project / ".claude" / "settings.local.json").write_text('{"disableAllHooks": true}'),
            "disableAllHooks",
        ),
    ],
)
def test_once(harm: Callable[[Path], object], message: str, project: Path, run: Run) -> None:
    run("deploy", project)
    assert run("watch", "--once").exit_code == 0
    harm(project)
    result = run("watch", "--once")
    assert (result.exit_code, message in result.stdout) == (1, True)
    rows = [json.loads(line) for line in run("watch", "--once", "--json").stdout.splitlines()]
    assert all(set(row) == {"time", "where", "what"} for row in rows)


def test_the_users_own_registration(home: Path, project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    assert run("watch", "--once").exit_code == 0  # nothing is registered, and nothing is missed
    run("install", "claude-code")
    assert run("watch", "--once").exit_code == 0
    file = home / ".claude" / "settings.json"
    file.write_text(file.read_text().replace('"onFailure": "block"', '"onFailure": "continue"'))
    assert run("watch", "--once").exit_code == 1


INTERRUPTIBLE = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"
"""As at a terminal: what a script starts in the background hears no interrupt."""


def test_changes_are_told_as_they_come(home: Path, project: Path, run: Run) -> None:
    run("deploy", project)
    words = [sys.executable, "-c", INTERRUPTIBLE, sys.executable, "-m", "toolgate", "watch", "--every", "0.1", "--json"]
    environ = {**os.environ, "PYTHONUNBUFFERED": "1"}
    policy = home / ".config" / "toolgate" / "policy.toml"
    pipe = subprocess.PIPE
    with subprocess.Popen(words, cwd=project, env=environ, stdout=pipe, stderr=pipe, text=True) as watching:
        assert watching.stdout is not None
        assert watching.stderr is not None
        assert watching.stderr.readline().startswith("watching")
        policy.write_text('profile = "observe"')
        first = json.loads(watching.stdout.readline())
        (project / HOOK_PATH).unlink()
        second = json.loads(watching.stdout.readline())
        watching.send_signal(signal.SIGINT)
    assert (first["where"], first["what"]) == (str(policy), "is new")
    assert (second["where"], second["what"]) == (str(project / HOOK_PATH), "is gone")
    assert watching.returncode == 0
