"""Tests `stats` on the records of real calls."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from toolgate.audit.summary import summarize
from toolgate.cli.stats import draw_sparkline
from unit.report.logs import denied_call, nearly_stopped, write_log

TOOLGATE = [sys.executable, "-m", "toolgate"]


def run(folder: Path, *words: str, stdin: str = "") -> str:
    environ = {**os.environ, "HOME": str(folder), "TOOLGATE_HOME": str(folder / ".home")}
    result = subprocess.run(
        [*TOOLGATE, *words], cwd=folder, input=stdin, capture_output=True, env=environ, check=False, text=True
    )
    assert result.returncode in ((0, 2) if stdin else (0,)), result.stderr  # a call may be stopped
    return result.stdout


def call(folder: Path, session: str, command: str) -> None:
    payload = {"session_id": session, "cwd": str(folder), "hook_event_name": "PreToolUse", "tool_name": "Bash"}
    run(folder, "hook", "claude-code", "PreToolUse", stdin=json.dumps({**payload, "tool_input": {"command": command}}))


@pytest.fixture
def recorded_home(tmp_path: Path) -> Path:
    for session, command in (("a", "rm -rf /"), ("a", "rm -rf ~"), *[("b", "rm -rf /usr")] * 3, ("b", "git reset --hard")):
        call(tmp_path, session, command)
    with next((tmp_path / ".home").rglob("*.jsonl")).open("a") as file:
        file.write('{"format":1,"verd')
    return tmp_path


def test_what_was_answered_is_summed_up(recorded_home: Path) -> None:
    report = json.loads(run(recorded_home, "stats", "--json"))
    assert (report["records"], report["torn"], report["sessions"]) == (6, 1, 2)
    assert report["verdicts"] == {"deny": 5, "ask": 1}
    assert report["rules"]["filesystem.delete-protected"] == 5
    assert 0 < report["microseconds"]["p50"] <= report["microseconds"]["p99"]
    assert run(recorded_home, "stats").splitlines()[0].startswith("6 calls in 2 sessions: ")
    assert json.loads(run(recorded_home, "stats", "--since", "2999-01-01", "--json"))["records"] == 0


def test_a_denial_was_taken_in_where_the_user_never_heard_of_it(recorded_home: Path) -> None:
    report = json.loads(run(recorded_home, "stats", "--self-correction", "--json"))
    assert (report["denials"], report["corrected"], report["share"]) == (5, 2, 0.4)
    assert report["rules"]["filesystem.delete-protected"] == {"denials": 5, "corrected": 2}
    assert (
        run(recorded_home, "stats", "--self-correction").splitlines()[0] == "  40 % of 5 denials were taken in without the user"
    )


def test_nothing_is_recorded_yet(tmp_path: Path) -> None:
    assert run(tmp_path, "stats") == "nothing is recorded yet\n"
    assert run(tmp_path, "stats", "--self-correction") == "nothing was denied yet\n"


@pytest.mark.parametrize(
    "line", [{}, {"verdict": "deny", "rules": 3, "microseconds": "x"}, {"verdict": "deny", "rules": [None, {}]}]
)
def test_a_strange_line_is_counted_and_no_error(line: dict[str, object]) -> None:
    found = summarize([line])
    assert (found.records, found.torn) == ((1, 0) if line else (0, 1))
    assert found.stopped == {}


def test_days_are_drawn_and_rules_whose_questions_are_nearly_always_approved_are_named(tmp_path: Path) -> None:
    asking_call = nearly_stopped(
        0, verdict="ask", judged="ask", rules=[{"rule": "git.force-push", "verdict": "ask"}], outcome="ran"
    )
    days = [{**asking_call, "time": f"2026-11-{day}T10:00:00.000Z", "operation": f"push {day}"} for day in (10, 11, 11, 12, 12)]
    found = summarize([*days, denied_call(1, operation="rm [REDACTED:token:0123abcd]"), denied_call(2), denied_call(3)])
    assert (found.approvals, found.retries, found.redacted) == ({"git.force-push": (5, 5)}, 3, 1)
    assert found.days["2026-11-11"] == {"ask": 2}
    assert draw_sparkline([0, 1, 4, 8]) == " ▁▄█"
    write_log(tmp_path / ".home" / "state" / "audit", [*days, denied_call(1)])
    assert "  ask   ▄██" in run(tmp_path, "stats")
