"""Logs with any content are shown safely, and no line is lost without a notice."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from toolgate.audit.segments import MAX_LINE_LENGTH
from unit.report.logs import HOSTILE, call, denied_call, write_log

VERBS = (
    ("log", "--last", "0"),
    ("log", "--json", "--last", "0"),
    ("why", "last"),
    ("stats",),
    ("stats", "--json"),
    ("stats", "--self-correction"),
    ("audit", "verify"),
    ("audit", "export", "--csv"),
)
FIELDS = (
    "id",
    "time",
    "host",
    "session",
    "agent",
    "role",
    "tool",
    "operation",
    "judged",
    "verdict",
    "reason",
    "policy",
    "allowed",
)


def run(folder: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "HOME": str(folder), "TOOLGATE_HOME": str(folder / ".home"), "FORCE_COLOR": "1", **more}
    command = [sys.executable, "-m", "toolgate", *words]
    return subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=False)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """The folder of a log with two calls."""
    folder = tmp_path / ".home" / "state" / "audit"
    write_log(folder, [call(0), denied_call(1)])
    return folder


def operations(folder: Path) -> list[str]:
    return [json.loads(line)["operation"] for line in run(folder, "log", "--json", "--last", "0").stdout.splitlines()]


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_hostile_text_in_any_field_moves_no_terminal(tmp_path: Path, verb: tuple[str, ...]) -> None:
    hostile = denied_call(1, **dict.fromkeys(FIELDS, HOSTILE), rules=[{"rule": HOSTILE, "verdict": HOSTILE}])
    write_log(tmp_path / ".home" / "state" / "audit", [hostile, denied_call(2, operation=HOSTILE, tool=HOSTILE, session=HOSTILE)])
    result = run(tmp_path, *verb)
    output = result.stdout + result.stderr
    assert "Traceback" not in output
    assert not {"\x1b[2J", "\u202e", "\u2028"} & {text for text in ("\x1b[2J", "\u202e", "\u2028") if text in output}


BAD_LINES = {
    "half": b'{"format":1,"verd\n',
    "another encoding": '{"format":1,"verdict":"deny","operation":"\xe9"}\n'.encode("latin-1"),
    "no object": b"[1,2]\n",
    "deep": b"[" * 100_000 + b"\n",
    "too long": b'{"format":1,"operation":"' + b"x" * (2 * MAX_LINE_LENGTH) + b'"}\n',
    "unknown fields": b'{"format":9,"verdict":"warn","colour":"green","rules":3,"effects":{"a":1}}\n',
    "bytes of nothing": b"\0" * 5000 + b"\n",
}


@pytest.mark.parametrize("name", BAD_LINES)
def test_a_line_that_is_none_hides_no_other_and_is_told(tmp_path: Path, log: Path, name: str) -> None:
    (day,) = log.glob("*.jsonl")
    first, second = day.read_bytes().splitlines(keepends=True)
    day.write_bytes(first + BAD_LINES[name] + second)
    summed = json.loads(run(tmp_path, "stats", "--json").stdout)
    assert (summed["records"] + summed["torn"]) == 3
    verified = run(tmp_path, "audit", "verify")
    assert verified.returncode == 1
    assert f"{day.name}:2" in verified.stdout
    assert {"ls -la folder-0", "rm -rf ~"} <= {
        json.loads(line).get("operation") for line in run(tmp_path, "log", "--json", "--last", "0").stdout.splitlines()
    }


def test_a_line_of_100_megabytes_is_read_in_part(tmp_path: Path, log: Path) -> None:
    (day,) = log.glob("*.jsonl")
    first, second = day.read_bytes().splitlines(keepends=True)
    with day.open("wb") as file:
        file.write(first + b'{"format":1,"operation":"')
        for _ in range(100):
            file.write(b"x" * 1_000_000)
        file.write(b'"}\n' + second)
    limit = "resource.setrlimit(resource.RLIMIT_DATA, (90 << 20,) * 2)"
    script = f"import resource, runpy; {limit}; runpy.run_module('toolgate', run_name='__main__')"
    environ = {**os.environ, "HOME": str(tmp_path), "TOOLGATE_HOME": str(tmp_path / ".home")}
    for verb, message in ((("log",), "rm -rf ~"), (("stats",), "1 lines cannot be read"), (("audit", "verify"), f"{day.name}:2")):
        result = subprocess.run([sys.executable, "-c", script, *verb], env=environ, capture_output=True, text=True, check=False)
        assert message in result.stdout, result.stderr


def test_a_log_that_others_write_to_meanwhile_is_read_whole(tmp_path: Path, log: Path) -> None:
    writer = (
        "import sys; from toolgate.audit.sinks import jsonl\n"
        "for n in range(300): assert not jsonl.append_record(sys.argv[1], '2026-11-22', sys.argv[2])"
    )
    command = [sys.executable, "-c", writer, str(log), json.dumps(call(7))]
    writers = [subprocess.Popen(command) for _ in range(2)]
    counts = []
    while any(each.poll() is None for each in writers):
        summed = json.loads(run(tmp_path, "stats", "--json").stdout)
        assert summed["torn"] == 0
        counts += [summed["records"], len(operations(tmp_path))]
    assert [each.returncode for each in writers] == [0, 0]
    assert counts == sorted(counts)
    assert len(operations(tmp_path)) == 602
    assert run(tmp_path, "audit", "verify").returncode == 0


def test_a_record_that_is_still_being_written_is_told(tmp_path: Path, log: Path) -> None:
    (day,) = log.glob("*.jsonl")
    day.write_bytes(day.read_bytes()[:-20])
    assert operations(tmp_path) == ["ls -la folder-0"]
    assert json.loads(run(tmp_path, "stats", "--json").stdout)["torn"] == 1


def test_records_of_a_clock_that_jumped_back_are_shown_in_the_order_of_their_days(tmp_path: Path, log: Path) -> None:
    (day,) = log.glob("*.jsonl")
    day.rename(log / "2026-11-30.jsonl")
    write = b'{"format":1,"verdict":"warn","operation":"earlier","time":"2026-11-29T00:00:00.000Z"}\n'
    (log / "2026-11-29.jsonl").write_bytes(write)
    assert operations(tmp_path) == ["earlier", "ls -la folder-0", "rm -rf ~"]


def test_a_removed_day_is_told(tmp_path: Path, log: Path) -> None:
    next(log.glob("*.jsonl")).unlink()
    assert run(tmp_path, "log").returncode == 1
    assert "the newest are missing" in run(tmp_path, "audit", "verify").stdout


def test_an_outcome_is_joined_to_its_call(tmp_path: Path, log: Path) -> None:
    with (log / "2026-11-23.jsonl").open("w") as file:
        for number, outcome in ((0, "failed"), (7, "ran")):
            line = {"kind": "outcome", "session": "session-0", "tool_use_id": f"t{number}", "outcome": outcome}
            file.write(json.dumps(line, separators=(",", ":")) + "\n")
        file.write('{"kind":"outcome"}\n')
    first, second = (json.loads(line) for line in run(tmp_path, "log", "--json").stdout.splitlines())
    assert (first["outcome"], "outcome" in second) == ("failed", False)
    assert "ran, and reported an error" in run(tmp_path, "why", first["id"]).stdout


def test_an_agent_is_shown_its_own_session(tmp_path: Path) -> None:
    write_log(tmp_path / ".home" / "state" / "audit", [call(0, session="mine"), call(1, session="another")])
    ours = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "mine"}
    assert "folder-0" in run(tmp_path, "log", **ours).stdout
    assert "folder-1" not in run(tmp_path, "log", "--session", "another", **ours).stdout
    assert run(tmp_path, "why", f"{1:012x}", **ours).returncode == 1
    script = "CLAUDE_CODE_SESSION_ID=another; export CLAUDE_CODE_SESSION_ID; exec $0 -m toolgate log"
    environ = {**os.environ, "HOME": str(tmp_path), "TOOLGATE_HOME": str(tmp_path / ".home"), **ours}
    command = ["sh", "-c", 'sh -c "$1" "$0"; :', sys.executable, script]
    result = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert "folder-1" not in result.stdout


def test_an_agent_without_a_known_session_is_shown_nothing(tmp_path: Path, log: Path) -> None:
    assert log.exists()
    result = run(tmp_path, "log", OPENCODE="1")
    assert (result.returncode, result.stdout) == (1, "")
    assert "its own session" in result.stderr
