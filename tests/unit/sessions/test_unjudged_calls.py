"""A call that is refused without a judgement is recorded with the cause, and counted."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from toolgate.app import App
from toolgate.audit.fields import RecordLine
from toolgate.audit.summary import iter_lines, summarize
from toolgate.machine.world import MachineWorld
from toolgate.model.errors import OutOfTime
from toolgate.model.request import Answer, Request
from unit.audit.test_hostile_log import run
from unit.report.logs import call


def ask(folder: Path, world: Callable[[], MachineWorld], data: bytes = b"") -> Answer:
    (folder / ".home").mkdir(mode=0o700, exist_ok=True)
    payload = {"session_id": "s", "cwd": str(folder), "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "t1"}
    tool_input = data or json.dumps({**payload, "tool_input": {"command": "cat notes/Hunter2xyz"}}).encode()
    environ = {"HOME": str(folder), "TOOLGATE_HOME": str(folder / ".home"), "PATH": os.defpath}
    return App(world).handle(Request("claude-code", "PreToolUse", tool_input, environ, str(folder), os.getuid(), 1.8e9))


def records(folder: Path) -> list[RecordLine]:
    return list(iter_lines(str(folder / ".home" / "state" / "audit")))


def fail() -> MachineWorld:
    raise RuntimeError("a text that is not to be recorded")


def hang() -> MachineWorld:
    raise OutOfTime


@pytest.mark.parametrize(
    ("world", "cause"),
    [(fail, "toolgate could not judge this call (RuntimeError"), (hang, "toolgate ran out of time judging this call")],
)
def test_a_call_that_could_not_be_judged_is_on_record(tmp_path: Path, world: Callable[[], MachineWorld], cause: str) -> None:
    assert ask(tmp_path, world).exit_code == 2
    (line,) = records(tmp_path)
    assert (line["verdict"], line["tool"], line["tool_use_id"], line["session"]) == ("deny", "Bash", "t1", "s")
    assert (line["operation"], line["rules"], str(line["failure"]).startswith(cause)) == ("(not recorded)", [], True)
    assert "not to be recorded" not in json.dumps(line)
    assert "Hunter2" not in json.dumps(line)
    assert summarize([line]).failed_closed == {line["failure"]: 1}
    assert f"1 calls were answered without a judgement: {cause}" in run(tmp_path, "stats").stdout
    assert cause in run(tmp_path, "log").stdout
    assert f"answered without a judgement: {cause}" in run(tmp_path, "why", "last").stdout
    assert "1 chained records: nothing was altered" in run(tmp_path, "audit", "verify").stdout


def test_a_payload_that_cannot_be_read_is_on_record(tmp_path: Path) -> None:
    assert ask(tmp_path, MachineWorld, b'{"hook_event_name": "PreToolUse", "tool_na').exit_code == 2
    (line,) = records(tmp_path)
    assert (line["verdict"], line["failure"]) == ("deny", "toolgate cannot read this call")


def test_a_call_that_the_policy_lets_go_on_is_on_record_as_such(tmp_path: Path) -> None:
    (tmp_path / ".home").mkdir(mode=0o700)
    (tmp_path / ".home" / "policy.toml").write_text('on_error = "warn"\n')
    assert ask(tmp_path, fail).exit_code == 0
    (line,) = records(tmp_path)
    assert (line["verdict"], bool(line["failure"])) == ("warn", True)


def test_a_call_that_is_judged_has_no_failure(tmp_path: Path) -> None:
    ask(tmp_path, MachineWorld)
    (line,) = records(tmp_path)
    assert "failure" not in line
    assert summarize([line]).failed_closed == {}


def test_what_is_at_stake_and_the_copy_are_on_record(tmp_path: Path) -> None:
    project = tmp_path / "project"
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    (project / "work").mkdir()
    for number in range(3):
        (project / "work" / f"{number}.txt").write_text("text " * 100)
    for command in ("rm -rf work", "git clean -fd"):
        tool_input = {"session_id": "s", "cwd": str(project), "hook_event_name": "PreToolUse", "tool_name": "Bash"}
        ask(tmp_path, MachineWorld, json.dumps({**tool_input, "tool_input": {"command": command}}).encode())
    removed, cleaned = records(tmp_path)
    assert f"toolgate undo {removed['undo']}" in run(tmp_path, "why", str(removed["id"])).stdout
    assert summarize([removed, cleaned]).undo_copies == 1
    assert isinstance(cleaned["stakes"], dict)
    assert cleaned["stakes"]["untracked"] >= 3
    assert "at stake: " in run(tmp_path, "why", str(cleaned["id"])).stdout


@pytest.mark.parametrize(
    ("head", "policy", "is_told"), [(False, "", True), (True, "", False), (False, 'log = "interventions"', False)]
)
def test_the_change_of_the_default_is_announced_after_an_upgrade(tmp_path: Path, head: bool, policy: str, is_told: bool) -> None:
    folder = tmp_path / ".home" / "state" / "audit"
    folder.mkdir(parents=True, mode=0o700)
    (tmp_path / ".home" / "policy.toml").write_text(policy)
    (folder / "2026-11-01.jsonl").write_text(json.dumps(call(1)) + "\n")
    if head:
        ask(tmp_path, MachineWorld)
    payload = {"session_id": "s", "cwd": str(tmp_path), "hook_event_name": "SessionStart", "source": "startup"}
    environ = {"HOME": str(tmp_path), "TOOLGATE_HOME": str(tmp_path / ".home"), "PATH": os.defpath}
    data = json.dumps(payload).encode()
    answer = App().handle(Request("claude-code", "SessionStart", data, environ, str(tmp_path), os.getuid(), 1.8e9))
    assert ("records every decision" in answer.stdout) is is_told
