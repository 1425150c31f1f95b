"""Tests an agent that starts an agent of another host: the gate is registered there, too, or the start is stopped."""

import json
from pathlib import Path

import pytest

from toolgate.app import App
from toolgate.install import apply_plan, plan_install, plan_trust
from toolgate.model.request import Request


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path


def install(home: Path, host: str, *, trusted: bool = True) -> None:
    project, backups = str(home / "project"), str(home / "backups")
    apply_plan(plan_install(host, "user", str(home), project, {}), backups)
    if trusted:
        apply_plan(plan_trust(host, "user", str(home), project, {}), backups)


def is_stopped(home: Path, command: str) -> bool:
    project = str(home / "project")
    payload = {"session_id": "s", "cwd": project, "tool_name": "Bash", "tool_input": {"command": command}}
    environ = {"HOME": str(home), "TOOLGATE_HOME": str(home / "gate"), "CLAUDE_PROJECT_DIR": project}
    answer = App().handle(Request("claude-code", "PreToolUse", json.dumps(payload).encode(), environ, project, 1000, 0.0))
    assert not answer.stdout or "gate.unguarded-agent" in answer.stdout
    return bool(answer.stdout)


def test_an_agent_of_a_host_without_the_gate_is_stopped(home: Path) -> None:
    install(home, "claude-code")
    commands = ("codex exec 'review this'", "cd sub && gemini -p go", "bash -c 'kimi -p go'")
    assert [is_stopped(home, command) for command in commands] == [True] * 3


def test_an_agent_of_a_guarded_host_passes(home: Path) -> None:
    for host in ("claude-code", "codex", "gemini", "kimi", "cline"):
        install(home, host)
    commands = ("codex exec 'review this'", "gemini -p go", "kimi -p go", "cline 'please go'", "claude -p go")
    assert not any(is_stopped(home, command) for command in commands)


def test_hooks_that_nobody_trusts_guard_nothing(home: Path) -> None:
    install(home, "claude-code")
    install(home, "codex", trusted=False)
    assert is_stopped(home, "codex exec 'review this'")


@pytest.mark.parametrize("command", ["codex --version", "claude -p go", "echo codex exec go", "git commit -m 'codex exec'"])
def test_what_starts_no_agent_of_another_host_passes(home: Path, command: str) -> None:
    install(home, "claude-code")
    assert not is_stopped(home, command)


def test_settings_that_do_not_show_the_gate_itself_prove_nothing(home: Path) -> None:
    assert not is_stopped(home, "codex exec 'review this'")
