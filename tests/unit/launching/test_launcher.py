"""Tests `toolgate run`: what is started, what is passed, and when nothing is."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from toolgate.hosts.claude_code import settings as registration
from toolgate.install import own_command
from toolgate.launching import launcher
from toolgate.model.errors import SettingsError
from unit.launching.conftest import CommandResult, Run

CLIENT = """#!/bin/sh
case $1 in --version) echo "${VERSION:-2.1.328} (Claude Code)"; exit 0 ;; esac
printf '%s\\n' "$@" >"$CLIENT_LOG"
"""


@pytest.fixture
def client(home: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program of the client's name that records how it was started."""
    folder = home / "bin"
    folder.mkdir()
    program = folder / "claude"
    program.write_text(CLIENT)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("CLIENT_LOG", str(home / "started"))
    monkeypatch.chdir(project)
    return program


def own_file(home: Path) -> str:
    return f"{home}/.config/toolgate/launcher/claude-code.json"


def argv(result: CommandResult) -> list[str]:
    assert result.exit_code == 0, result.stderr
    found: list[str] = json.loads(result.stdout)["argv"]
    return found


# ---- what is started


@pytest.mark.parametrize(
    ("words", "passed"),
    [
        (["-p", "task"], ["-p", "task"]),
        (["--dangerously-skip-permissions", "-p", "task"], ["-p", "task"]),
        (["-p", "task", "--allow-dangerously-skip-permissions"], ["-p", "task"]),
        (["--permission-mode", "bypassPermissions", "-p", "task"], ["-p", "task"]),
        (["--permission-mode=bypassPermissions", "-p", "task"], ["-p", "task"]),
        (["--permission-mode", "plan", "-p", "task"], ["--permission-mode", "plan", "-p", "task"]),
        (["--permission-mode=plan"], ["--permission-mode", "plan"]),
        (["--resume", "abc", "--model", "x"], ["--resume", "abc", "--model", "x"]),
        (["-p", "--", "--dangerously-skip-permissions"], ["-p", "--", "--dangerously-skip-permissions"]),
    ],
)
def test_the_command_line(words: list[str], passed: list[str], home: Path, client: Path, run: Run) -> None:
    assert argv(run("run", "--dry-run", "--", "claude", *words)) == [str(client), "--settings", own_file(home), *passed]


def test_a_campaigns_settings_are_passed_with_the_gate_in_them(home: Path, project: Path, client: Path, run: Run) -> None:
    run("settings", "init", "--repo", project, "--run", "7")
    own = project / ".nous" / "7" / ".claude" / "settings.json"
    before = own.read_bytes()
    words = argv(run("run", "--dry-run", "--", "claude", "--settings", own, "-p", "x"))
    assert words[:2] == [str(client), "--settings"]
    assert words[2].startswith(f"{home}/.config/toolgate/launcher/")
    assert argv(run("run", "--dry-run", "--", "claude", f"--settings={own}", "-p", "x")) == words
    result = subprocess.run([sys.executable, "-m", "toolgate", "run", "--", "claude", "--settings", own], check=False)
    assert result.returncode == 0
    assert (home / "started").read_text().split() == ["--settings", words[2]]
    passed, report = json.loads(Path(words[2]).read_text()), json.loads(before)
    assert passed["permissions"]["allowOnly"] == report["permissions"]["allowOnly"]
    assert passed["hooks"]["PreToolUse"][0] == report["hooks"]["PreToolUse"][0]
    assert registration.list_events(passed) == set(registration.list_events(registration.register({}, own_command())))
    assert passed["disableAllHooks"] is False
    assert own.read_bytes() == before


def test_a_project_does_not_switch_it_off(home: Path, project: Path, client: Path, run: Run) -> None:
    (project / ".claude").mkdir()
    (project / ".claude" / "settings.json").write_text('{"disableAllHooks": true}')
    argv(run("run", "--dry-run", "--", "claude"))
    whole: dict[str, Any] = launcher.build_settings({"disableAllHooks": True}, own_command())
    assert whole["disableAllHooks"] is False


def test_a_dry_run_writes_nothing(home: Path, client: Path, run: Run) -> None:
    argv(run("run", "--dry-run", "--", "claude"))
    assert not (home / ".config").exists()


def test_install_writes_what_is_passed(home: Path, client: Path, run: Run) -> None:
    result = run("install", "claude-code", "--scope", "launcher")
    assert (result.exit_code, Path(own_file(home)).exists()) == (0, True)
    assert argv(run("run", "--dry-run", "--", "claude"))[2] == own_file(home)
    Path(own_file(home)).write_text("{}")
    assert subprocess.run([sys.executable, "-m", "toolgate", "run", "--", "claude"], check=False).returncode == 0
    assert registration.list_events(json.loads(Path(own_file(home)).read_text()))


# ---- when nothing is started


@pytest.mark.parametrize(
    "words",
    [
        ["claude", "--bare", "-p", "x"],
        ["claude", "--safe-mode"],
        ["claude", "--settings", "nowhere.json"],
        ["claude", "--settings", "{broken"],
        ["claude", "--settings", '{"hooks": []}'],
        ["claude", "--settings", "{}", "--settings", "{}"],
        ["sh", "-c", "true"],
        ["no-such-client"],
    ],
)
def test_nothing_is_started(words: list[str], home: Path, client: Path, run: Run) -> None:
    result = run("run", "--", *words)
    assert result.exit_code == 65
    assert not (home / "started").exists()
    assert not (home / ".config").exists()


def test_nor_in_an_environment_that_calls_no_hook(home: Path, client: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SIMPLE", "1")
    assert run("run", "--", "claude").exit_code == 65


def test_strict_refuses_a_client_that_fails_open(home: Path, client: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERSION", "2.1.197")
    result = run("run", "--strict", "--", "claude")
    assert (result.exit_code, "runs the call when the gate fails" in result.stderr) == (65, True)
    assert "runs the call when the gate fails" in run("run", "--dry-run", "--", "claude").stderr


def test_nor_where_the_settings_cannot_be_written(home: Path, client: Path, run: Run) -> None:
    (home / ".config").write_text("")
    words = [sys.executable, "-m", "toolgate", "run", "--", "claude"]
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    assert result.returncode == 65
    assert "Traceback" not in result.stderr
    assert not (home / "started").exists()


# ---- its equivalent for the SDK


def test_the_sdk_is_given_the_same(home: Path, project: Path) -> None:
    options = launcher.sdk_options(str(home), dict(os.environ))
    assert options == {"settings": own_file(home), "permission_mode": "default"}
    passed = json.loads(Path(options["settings"]).read_text())
    assert (bool(registration.list_events(passed)), passed["disableAllHooks"]) == (True, False)
    named = launcher.sdk_options(str(home), dict(os.environ), '{"model": "x"}', "acceptEdits")
    assert json.loads(Path(named["settings"]).read_text())["model"] == "x"
    with pytest.raises(SettingsError, match="permission_mode"):
        launcher.sdk_options(str(home), dict(os.environ), permission_mode="bypassPermissions")


# ---- without the gate


@pytest.mark.parametrize(
    "words",
    [
        ["--no-hooks"],
        ["--no-hooks", "--for", "5"],
        ["--no-hooks", "--for", "61", "--reason", "two words"],
        ["--no-hooks", "--for", "0", "--reason", "two words"],
        ["--no-hooks", "--for", "5", "--reason", "because"],
        ["--for", "5"],
    ],
)
def test_a_bypass_wants_its_time_and_its_reason(words: list[str], home: Path, client: Path, run: Run) -> None:
    assert run("run", *words, "--", "claude").exit_code == 64
    assert not (home / "started").exists()


def test_a_bypass_wants_a_person(home: Path, client: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("run", "--no-hooks", "--for", "5", "--reason", "two words", "--", "claude")
    result = run(*words)
    assert (result.exit_code, "be at a terminal" in result.stderr) == (77, True)
    monkeypatch.setenv("CLAUDECODE", "1")
    result = run(*words)
    assert (result.exit_code, "an agent may not" in result.stderr) == (77, True)
    assert not (home / "started").exists()
