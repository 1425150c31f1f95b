"""Tests toolgate on a platform without what only POSIX or Linux has: without the daemon, each call in a process of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from toolgate.hosts.copilot import settings

FAKE = Path(__file__).parent / "fake_platform.py"
WINDOWS_HOME = r"C:\Users\me"
WINDOWS_PROJECT = rf"{WINDOWS_HOME}\project"
NAMES = ("windows", "macos")


def start(platform: str, words: tuple[str, ...], home: Path, text: str = "", **environ: str) -> subprocess.CompletedProcess[str]:
    variables = {"HOME": str(home), "PATH": os.environ["PATH"], **environ}
    program = [sys.executable, "-W", "error", str(FAKE), platform, *words]
    return subprocess.run(program, env=variables, cwd=home, input=text, capture_output=True, text=True, check=False)


def judge(
    platform: str, home: Path, command: str, cwd: str, tool: str = "Bash", environ: Mapping[str, str] | None = None
) -> tuple[str, str]:
    """Returns the permission and the reason; both are empty if the gate is silent."""
    payload = {
        "hook_event_name": "PreToolUse",
        "session_id": "s",
        "cwd": cwd,
        "tool_name": tool,
        "tool_input": {"command": command},
    }
    result = start(platform, ("hook", "claude-code", "PreToolUse"), home, json.dumps(payload), **(environ or {}))
    if not result.stdout:
        assert (result.returncode, result.stderr) == (0, "")
        return "", ""
    output: dict[str, Any] = json.loads(result.stdout)["hookSpecificOutput"]
    return output["permissionDecision"], output["permissionDecisionReason"]


@pytest.mark.parametrize("platform", NAMES)
def test_a_call_is_judged_and_recorded(platform: str, tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("x")
    assert judge(platform, tmp_path, "cat notes", str(tmp_path / "project")) == ("", "")
    answer, why = judge(platform, tmp_path, "git push --force origin main", str(tmp_path / "project"))
    assert (answer, "[git.force-push]" in why) == ("ask", True)
    denied, why = judge(platform, tmp_path, "rm -rf ~", str(tmp_path / "project"))
    assert (denied, "[filesystem.delete-protected]" in why) == ("deny", True)
    (log,) = (tmp_path / ".local/state/toolgate/audit").glob("*.jsonl")
    records = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(each["number"], each["verdict"]) for each in records] == [(1, "pass"), (2, "ask"), (3, "deny")]
    assert start(platform, ("audit", "verify"), tmp_path).returncode == 0


@pytest.mark.parametrize("platform", NAMES)
def test_a_call_that_loses_files_is_judged(platform: str, tmp_path: Path) -> None:
    """Copies for undo need descriptors of folders, which Windows does not have: the question remains a question there."""
    project = tmp_path / "project"
    (project / "build").mkdir(parents=True)
    (project / "build" / "a").write_text("x")
    permission, why = judge(platform, tmp_path, f"rm -rf {tmp_path}/project/build", str(project))
    assert "could not judge" not in why
    assert permission in ("", "ask")


@pytest.mark.parametrize("platform", NAMES)
@pytest.mark.parametrize("line", ["check -- ls", "explain -- ls", "doctor", "log", "approvals", "why last", "policy check"])
def test_a_verb_runs(platform: str, line: str, tmp_path: Path) -> None:
    result = start(platform, tuple(line.split()), tmp_path)
    assert "Traceback" not in result.stderr
    assert result.returncode in (0, 1, 64), result.stderr


@pytest.mark.parametrize(
    ("command", "permission", "rule"),
    [
        (rf"Remove-Item -Recurse -Force {WINDOWS_HOME}", "deny", "filesystem.delete-protected"),
        (r"Remove-Item -Recurse -Force C:\Windows", "deny", "filesystem.delete-protected"),
        (r"Remove-Item -Recurse -Force $HOME", "deny", "filesystem.delete-protected"),
        (rf"Get-Content {WINDOWS_HOME}\.ssh\id_rsa", "deny", "credentials.read"),
        (r"Set-Content C:\Windows\System32\drivers\etc\hosts x", "deny", "filesystem.write-system"),
        ("git push --force origin main", "ask", "git.force-push"),
        (rf"Get-ChildItem {WINDOWS_PROJECT}", "", ""),
        (rf"Get-Content {WINDOWS_PROJECT}\README.md", "", ""),
        (r"Remove-Item -Recurse -Force .\build", "", ""),
        pytest.param(
            rf"Set-Content {WINDOWS_PROJECT}\notes.txt x",
            "",
            "",
            marks=pytest.mark.xfail(strict=True, reason="a project on a drive is not compared with absolute paths there"),
        ),
        (r"Set-Content .\notes.txt x", "", ""),
        (r"Write-Output 'Remove-Item -Recurse C:\Windows'", "", ""),
    ],
)
def test_powershell_in_a_project_on_a_drive(command: str, permission: str, rule: str, tmp_path: Path) -> None:
    environ = {"HOME": WINDOWS_HOME, "USERPROFILE": WINDOWS_HOME, "TOOLGATE_HOME": str(tmp_path)}
    found, why = judge("windows", tmp_path, command, WINDOWS_PROJECT, "PowerShell", environ)
    assert (found, f"[{rule}]" in why if rule else why == "") == (permission, True), why


def test_a_hook_that_powershell_starts_names_a_program_with_its_quotes() -> None:
    """Copilot runs the same registration in PowerShell, where a quoted word alone is a text and not a command."""
    additions = settings.build_additions((r"C:\Program Files\toolgate\it's.exe",))
    assert {str(entry["powershell"]).partition(" 'copilot'")[0] for _, entry in additions if isinstance(entry, dict)} == {
        r"& 'C:\Program Files\toolgate\it''s.exe'"
    }
