"""Tests `log` and `why` on the records of real calls."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

TOOLGATE = [sys.executable, "-m", "toolgate"]
CALLS = (
    ("morning", "ls -la"),
    ("morning", "rm -rf ~"),
    ("evening", "git push --force origin main"),
    ("evening", "mysql -pHunter2xyz -e 'select 1'"),
)


def run(folder: Path, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "HOME": str(folder), "TOOLGATE_HOME": str(folder / ".home")}
    return subprocess.run([*TOOLGATE, *words], cwd=folder, input=stdin, capture_output=True, env=environ, check=False, text=True)


@pytest.fixture(scope="module")
def recorded_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    (folder / ".home").mkdir(mode=0o700)
    for session, command in CALLS:
        call(folder, session, command)
    return folder


def call(folder: Path, session: str, command: str) -> None:
    payload = {"session_id": session, "cwd": str(folder), "hook_event_name": "PreToolUse", "tool_name": "Bash"}
    run(folder, "hook", "claude-code", "PreToolUse", stdin=json.dumps({**payload, "tool_input": {"command": command}}))


def list_operations(folder: Path, *words: str) -> list[str]:
    return [json.loads(line)["operation"] for line in run(folder, "log", "--json", *words).stdout.splitlines()]


def test_every_decision_is_on_record_without_its_secrets(recorded_home: Path) -> None:
    operations = list_operations(recorded_home)
    assert operations[:3] == [command for _, command in CALLS[:3]]
    assert operations[3].startswith("mysql -p[REDACTED")
    assert "Hunter2" not in "".join(operations)


@pytest.mark.parametrize(
    ("words", "which"),
    [
        (("--session", "morn"), [0, 1]),
        (("--verdict", "deny"), [1]),
        (("--rule", "git.*"), [2]),
        (("--text", "push"), [2]),
        (("--tool", "Bash", "--last", "1"), [3]),
        (("--last", "0"), [0, 1, 2, 3]),
        (("--since", "2999-01-01"), []),
        (("--until", "2000-01-01"), []),
    ],
)
def test_records_are_selected(recorded_home: Path, words: tuple[str, ...], which: list[int]) -> None:
    every = list_operations(recorded_home)
    assert list_operations(recorded_home, *words) == [every[n] for n in which]
    assert run(recorded_home, "log", *words).returncode == (0 if which else 1)


def test_a_line_shows_the_answer_the_call_and_its_rules(recorded_home: Path) -> None:
    line = run(recorded_home, "log", "--verdict", "deny").stdout
    assert "deny  Bash: rm -rf ~" in line
    assert "filesystem.delete-protected" in line


def test_why_names_the_rules_and_the_setting_that_decides(recorded_home: Path) -> None:
    record = json.loads(run(recorded_home, "log", "--json", "--verdict", "deny").stdout)
    output = run(recorded_home, "why", record["id"][-8:]).stdout
    assert "Bash was denied: rm -rf ~" in output
    assert "deny  filesystem.delete-protected:" in output
    assert '[rules."filesystem.delete-protected"]' in output
    assert json.loads(run(recorded_home, "why", record["id"], "--json").stdout) == record


def test_last_is_the_last_call_that_did_not_pass_in_silence(recorded_home: Path) -> None:
    assert "git push --force" in run(recorded_home, "why", "last").stdout


def test_an_id_that_there_is_not_is_an_error_with_a_remedy(recorded_home: Path) -> None:
    result = run(recorded_home, "why", "nosuchid")
    assert result.returncode == 1
    assert "toolgate log" in result.stderr


def test_nothing_on_record_is_said_plainly(tmp_path: Path) -> None:
    result = run(tmp_path, "log")
    assert (result.returncode, result.stdout, result.stderr) == (1, "", "no call on record matches\n")


def test_near_shows_what_ran_although_a_rule_matched(tmp_path: Path) -> None:
    (tmp_path / ".home").mkdir(mode=0o700)
    (tmp_path / ".home" / "policy.toml").write_text('[rules."git.force-push"]\nverdict = "warn"\n')
    for command in ("ls", "git push --force origin topic", "rm -rf ~"):
        call(tmp_path, "s", command)
    assert list_operations(tmp_path, "--near") == ["git push --force origin topic"]


def test_repeated_calls_are_folded_but_for_json(tmp_path: Path) -> None:
    for command in ("ls", "ls", "ls", "pwd"):
        call(tmp_path, "s", command)
    first, second = run(tmp_path, "log").stdout.splitlines()
    assert first.endswith("Bash: ls  (x3)")
    assert second.endswith("Bash: pwd")
    assert list_operations(tmp_path) == ["ls", "ls", "ls", "pwd"]


def test_follow_shows_each_call_as_it_comes(tmp_path: Path) -> None:
    call(tmp_path, "s", "ls")
    environ = {**os.environ, "HOME": str(tmp_path), "TOOLGATE_HOME": str(tmp_path / ".home"), "PYTHONUNBUFFERED": "1"}
    command = [*TOOLGATE, "log", "--follow", "--text", "l"]
    with subprocess.Popen(command, cwd=tmp_path, env=environ, stdout=subprocess.PIPE, text=True) as following:
        assert following.stdout is not None
        assert "Bash: ls" in following.stdout.readline()
        for each in ("pwd", "ls -la", "rm -rf ~/lib"):
            call(tmp_path, "s", each)
        assert "Bash: ls -la" in following.stdout.readline()
        assert "Bash: rm -rf ~/lib" in following.stdout.readline()
        following.terminate()


def test_the_log_verifies_until_somebody_edits_it(tmp_path: Path) -> None:
    for command in ("ls", "pwd", "whoami"):
        call(tmp_path, "s", command)
    assert run(tmp_path, "audit", "verify").stdout.startswith("3 chained records: nothing was altered or removed")
    kept_folder = tmp_path / "checkpoints"
    kept_folder.write_text(run(tmp_path, "audit", "checkpoint").stdout)
    assert run(tmp_path, "audit", "verify", "--checkpoint", str(kept_folder)).returncode == 0
    (day,) = (tmp_path / ".home" / "state" / "audit").glob("*.jsonl")
    day.write_text(day.read_text().replace("whoami", "uptime"))
    altered = run(tmp_path, "audit", "verify", "--json", "--checkpoint", str(kept_folder))
    assert altered.returncode == 1
    assert [fault["place"] for fault in json.loads(altered.stdout)["faults"]] == [f"{day.name}:3"] * 2
    assert run(tmp_path, "audit", "checkpoint").returncode == 1


def test_only_a_person_deletes_records(tmp_path: Path) -> None:
    call(tmp_path, "s", "ls")
    refused = run(tmp_path, "audit", "delete", "s")
    assert refused.returncode == 77
    assert "a person has to be at a terminal" in refused.stderr
    assert list_operations(tmp_path) == ["ls"]


def hook(folder: Path, event: str, tool: str, fields: Mapping[str, object], **more: object) -> None:
    payload = {"session_id": "s", "cwd": str(folder), "hook_event_name": event, "tool_name": tool, "tool_use_id": "t1"}
    run(folder, "hook", "claude-code", event, stdin=json.dumps({**payload, "tool_input": fields, **more}))


def test_why_judges_again_under_the_policy_of_then_and_of_now(tmp_path: Path) -> None:
    policy = tmp_path / ".home" / "policy.toml"
    policy.parent.mkdir(mode=0o700)
    policy.write_text('[rules."git.force-push"]\nverdict = "deny"\n')
    hook(tmp_path, "PreToolUse", "Bash", {"command": "git push --force origin topic &&\necho done"})
    policy.write_text('[rules."git.force-push"]\nverdict = "warn"\n')
    output = run(tmp_path, "why", "last").stdout
    assert "under the policy at the time: deny  [git.force-push]" in output
    assert "under the current policy:     warn" in output
    assert "smallest change" not in output


def test_why_says_what_it_cannot_judge_again(tmp_path: Path) -> None:
    (tmp_path / ".home").mkdir(mode=0o700)
    for tool_input in ({"command": "mysql -pHunter2xyz -e 'drop database x'"}, {"command": f"rm -rf ~ {'x' * 600}"}):
        hook(tmp_path, "PreToolUse", "Bash", tool_input)
        assert "not judged again: its text was redacted or cut" in run(tmp_path, "why", "last").stdout
    hook(tmp_path, "PreToolUse", "Write", {"file_path": str(tmp_path / ".bashrc"), "content": "x"})
    assert "not judged again: the record holds what it was about" in run(tmp_path, "why", "last").stdout
    hook(tmp_path, "PreToolUse", "Read", {"file_path": str(tmp_path / ".ssh" / "id_rsa")})
    assert "under the current policy:     deny  [credentials.read]" in run(tmp_path, "why", "last").stdout


def test_what_became_of_a_call_is_on_record(tmp_path: Path) -> None:
    (tmp_path / ".home").mkdir(mode=0o700)
    hook(tmp_path, "PreToolUse", "Bash", {"command": "ls"})
    hook(tmp_path, "PostToolUse", "Bash", {"command": "ls"}, tool_response={"stdout": "", "stderr": ""})
    assert json.loads(run(tmp_path, "log", "--json").stdout)["outcome"] == "ran"
    assert run(tmp_path, "audit", "verify").stdout.startswith("2 chained records: nothing was altered")


@pytest.mark.parametrize(("words", "shows"), [(("--since", "2d"), True), (("--until", "2000-01-01"), False), (("--ask",), False)])
def test_a_time_may_be_told_by_how_long_ago_it_was(tmp_path: Path, words: tuple[str, ...], shows: bool) -> None:
    call(tmp_path, "s", "ls")
    assert bool(list_operations(tmp_path, *words)) is shows
