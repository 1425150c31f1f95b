"""Tests the status line: its text, and that installing and uninstalling it changes nothing else."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from unit.report.logs import call, denied_call, write_log

THEIRS = '{\n    "model": "opus",\n    "statusLine": { "type": "command", "command": "mine" }\n}\n'
PLAIN = '{\n    "model": "opus"\n}\n'


def run(folder: Path, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "HOME": str(folder), "TOOLGATE_HOME": str(folder / ".home")}
    for name in [name for name in environ if name.startswith("CLAUDE")]:
        del environ[name]
    command = [sys.executable, "-m", "toolgate", *words]
    return subprocess.run(command, cwd=folder, env=environ, input=stdin, capture_output=True, text=True, check=False)


def settings(folder: Path) -> Path:
    return folder / ".claude" / "settings.json"


def test_without_any_state_it_shows_the_profile(tmp_path: Path) -> None:
    result = run(tmp_path, "statusline")
    assert (result.returncode, result.stdout, result.stderr) == (0, "toolgate default \u00b7 0 stops today\n", "")


def test_stops_of_today_and_copies_are_shown(tmp_path: Path) -> None:
    today = time.strftime("%Y-%m-%d", time.gmtime())
    log = tmp_path / ".home" / "state" / "audit"
    text = '"verdict":"deny","reason":'
    write_log(log, [call(0, operation=text), denied_call(1), denied_call(2), call(3, verdict="ask"), call(4, verdict="warn")])
    (log / "2026-11-22.jsonl").rename(log / f"{today}.jsonl")
    (tmp_path / ".home" / "state" / "undo" / ("a" * 16)).mkdir(parents=True)
    assert run(tmp_path, "statusline").stdout == "toolgate default \u00b7 3 stops today \u00b7 undo available\n"


def test_the_policy_of_the_project_that_the_client_names_is_shown(tmp_path: Path) -> None:
    (tmp_path / ".home").mkdir(mode=0o700)
    (tmp_path / ".home" / "policy.toml").write_text('profile = "observe"\n')
    payload = json.dumps({"workspace": {"project_dir": str(tmp_path)}})
    assert run(tmp_path, "statusline", stdin=payload).stdout.startswith("toolgate observe \u00b7 capped at warn \u00b7 ")


@pytest.mark.parametrize(
    "payload", ["", "x", "[]", '{"workspace": 3}', '{"workspace": {"project_dir": "/no/such"}}', "[" * 100_000]
)
def test_strange_input_is_no_error(tmp_path: Path, payload: str) -> None:
    assert run(tmp_path, "statusline", stdin=payload).stdout == "toolgate default \u00b7 0 stops today\n"


@pytest.mark.parametrize("before", [None, PLAIN, "{}\n"])
def test_it_is_installed_beside_the_hooks_and_gone_afterwards(tmp_path: Path, before: str | None) -> None:
    file = settings(tmp_path)
    file.parent.mkdir()
    if before is not None:
        file.write_text(before)
    for _ in range(2):
        assert run(tmp_path, "install", "claude-code", "--statusline").returncode == 0
    written = json.loads(file.read_text())
    assert written["statusLine"]["type"] == "command"
    assert "PreToolUse" in written["hooks"]
    output = subprocess.run(
        ["sh", "-c", written["statusLine"]["command"]],
        input="{}",
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "TOOLGATE_HOME": str(tmp_path / ".home"), "PATH": os.environ["PATH"]},
    )
    assert output.stdout.startswith("toolgate default \u00b7 ")
    assert run(tmp_path, "install", "claude-code").returncode == 0
    assert "statusLine" in json.loads(file.read_text())  # installing again without the option leaves it
    result = run(tmp_path, "uninstall", "claude-code")
    assert (file.read_text() if file.exists() else None) == before, result.stderr


def test_a_status_line_of_ones_own_stays(tmp_path: Path) -> None:
    file = settings(tmp_path)
    file.parent.mkdir()
    file.write_text(THEIRS)
    result = run(tmp_path, "install", "claude-code", "--statusline")
    assert "has a status line of its own, which stays" in result.stderr
    assert json.loads(file.read_text())["statusLine"] == {"type": "command", "command": "mine"}
    run(tmp_path, "uninstall", "claude-code")
    assert file.read_text() == THEIRS


def test_a_host_without_one_is_told_and_registered(tmp_path: Path) -> None:
    result = run(tmp_path, "install", "codex", "--statusline", "--dry-run")
    assert result.returncode == 0
    assert "the client of codex shows no status line" in result.stderr


def test_it_is_for_a_persons_own_settings(tmp_path: Path) -> None:
    assert run(tmp_path, "install", "claude-code", "--statusline", "--scope", "managed").returncode == 64
