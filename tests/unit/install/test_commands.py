"""Tests `toolgate install` and `toolgate uninstall`, as a person runs them."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from toolgate.cli import main

Run = Callable[..., "CommandResult"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in list(os.environ):
        if name.startswith(("CLAUDE", "XDG_", "TOOLGATE_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("toolgate.machine.ancestry.PROC", str(tmp_path / "no-proc"))
    return tmp_path


@dataclass
class CommandResult:
    exit_code: int
    stdout: str
    stderr: str


@pytest.fixture
def run(home: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., CommandResult]:
    def run_main(*words: str) -> CommandResult:
        code = main(words)
        captured = capsys.readouterr()
        return CommandResult(code, captured.out, captured.err)

    return run_main


def test_in_and_out(home: Path, run: Run) -> None:
    file = home / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text('{"model": "x"}')
    result = run("install", "claude-code")
    assert (result.exit_code, result.stdout.splitlines()[:2]) == (0, [f"--- {file}", f"+++ {file}"])
    assert "toolgate is registered with claude-code" in result.stderr
    assert "already" in run("install", "claude-code").stderr
    backups = list((home / ".local/state/toolgate/backups").iterdir())
    assert [backup.read_text() for backup in backups] == ['{"model": "x"}']
    result = run("uninstall", "claude-code", "--scope", "user")
    assert (result.exit_code, file.read_text()) == (0, '{"model": "x"}')
    assert "not registered" in run("uninstall", "claude-code").stderr


def test_a_dry_run_changes_nothing(home: Path, run: Run) -> None:
    result = run("install", "claude-code", "--dry-run")
    assert result.exit_code == 0
    assert result.stdout.startswith("--- /dev/null\n+++ ")
    assert list(home.iterdir()) == []


def test_json(home: Path, run: Run) -> None:
    output = json.loads(run("install", "claude-code", "--json", "--scope", "local").stdout)
    assert (output["host"], output["dry_run"], output["backups"]) == ("claude-code", False, [])
    (change,) = output["changes"]
    assert (change["path"], change["created"], change["removed"]) == (str(home / ".claude/settings.local.json"), True, False)
    output = json.loads(run("uninstall", "claude-code", "--json").stdout)
    assert [(change["created"], change["removed"]) for change in output["changes"]] == [(False, True)]


def test_a_broken_file_is_named_with_line_and_remedy(home: Path, run: Run) -> None:
    file = home / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text("{\n  // mine\n}")
    result = run("install", "claude-code")
    assert (result.exit_code, result.stdout) == (65, "")
    assert f"{file}:2: a comment, which JSON does not allow" in result.stderr
    assert "Traceback" not in result.stderr


def test_what_comes_later_says_so(home: Path, run: Run) -> None:
    assert "use one of user, project" in run("install", "copilot", "--scope", "managed").stderr


def test_an_unreadable_file_is_named(home: Path, run: Run) -> None:
    (home / ".claude" / "settings.json").mkdir(parents=True)
    result = run("install", "claude-code")
    assert result.exit_code == 65
    assert "settings.json: not a regular file; mend that" in result.stderr


def test_an_agent_may_not_take_the_gate_away(home: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("install", "claude-code")
    before = (home / ".claude/settings.json").read_bytes()
    monkeypatch.setenv("CLAUDECODE", "1")
    result = run("uninstall", "claude-code")
    assert result.exit_code == 77
    assert "CLAUDECODE is set" in result.stderr
    assert "in a terminal of your own" in result.stderr
    assert (home / ".claude/settings.json").read_bytes() == before
    assert run("uninstall", "claude-code", "--dry-run").exit_code == 0


@pytest.mark.parametrize("verb", ["install", "uninstall"])
def test_help_has_examples(run: Run, verb: str) -> None:
    result = run(verb, "--help")
    assert result.exit_code == 0
    assert f"toolgate {verb} claude-code --dry-run" in result.stdout


def test_every_host_that_is_here_goes_in_and_out(home: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A host is present if its folder exists; no client is on PATH, so nothing is proved."""
    monkeypatch.setenv("PATH", "/nowhere")
    (home / ".claude").mkdir()
    (home / ".codex").mkdir()
    result = run("install", "--all")
    assert result.exit_code == 0
    hooks, settings = home / ".codex" / "hooks.json", home / ".claude" / "settings.json"
    assert hooks.exists()
    assert settings.exists()
    assert "skips a hook that you have not trusted" in result.stderr
    assert not (home / ".codex" / "config.toml").exists()
    assert not (home / ".config" / "opencode").exists()
    assert json.loads((home / ".local/state/toolgate/hook-command.json").read_text())
    assert run("uninstall", "--all").exit_code == 0
    assert not hooks.exists()
    assert not settings.exists()


@pytest.mark.parametrize("verb", ["install", "uninstall"])
@pytest.mark.parametrize("words", [(), ("claude-code", "--all")])
def test_a_host_or_all_of_them(home: Path, run: Run, verb: str, words: tuple[str, ...]) -> None:
    assert "name a host, or use --all" in run(verb, *words).stderr


def test_a_machine_without_a_host(home: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert "none of these is on this machine" in run("install", "--all").stderr
