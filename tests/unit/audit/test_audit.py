"""Tests the records of decisions: their fields in order, what they must not contain, many processes that write to one file."""

import json
import multiprocessing
import os
import resource
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgate import audit
from toolgate.audit.record import Record, build_record, uuid7
from toolgate.audit.verification import verify_log
from toolgate.model.decision import NO_OBJECTION, Decision, Finding, Match, Verdict
from toolgate.model.effect import DEFAULT_ORIGIN, Connect, Delete, Effects, Operation, Run
from toolgate.model.event import Caller, Scene
from toolgate.model.place import Place
from toolgate.model.rule import LogLimits, Policy
from toolgate.model.word import known_word, unknown_word

NOW = 1_795_280_000.25  # 2026-11-21T16:53:20.250Z
SCENE = Scene(Caller("claude-code", "s-1", "main"), cwd="/p", project="/p", home="/home/u")


def example(*, effects: Effects = Effects(), decision: Decision = NO_OBJECTION, tool: str = "Bash") -> Record:  # noqa: B008
    return build_record(SCENE, tool, "call-1", effects, decision, Policy(digest="built-in"), now=NOW, microseconds=412)


def record_push() -> Record:
    words = (known_word("git"), known_word("push"), known_word("--force"), known_word("https://user:hunter2@example.com/x"))
    push = Operation("git.push", DEFAULT_ORIGIN, known_word("secret-branch"))
    gone = Delete(Place(known_word("/home/u/.ssh"), path="/home/u/.ssh", inside=frozenset({"credentials"})), True, DEFAULT_ORIGIN)
    effects = Effects((Run(words, DEFAULT_ORIGIN), push, gone, gone, Connect(words[3], DEFAULT_ORIGIN)))
    finding = Finding("git.force-push", Verdict.ASK, Match(push, "This force-pushes secret-branch."))
    return example(effects=effects, decision=Decision(Verdict.ASK, Verdict.DENY, (finding, finding)))


def test_a_record_from_end_to_end() -> None:
    line = json.loads(record_push().render_line())
    assert list(line) == [
        "format", "id", "time", "host", "session", "agent", "role", "tool", "tool_use_id", "operation", "effects", "rules",
        "judged", "verdict", "reason", "policy", "microseconds", "cwd", "project", "exact",
        "gate",
    ]  # fmt: skip
    assert line.pop("id")[14] == "7"
    assert line == {
        "format": 1,
        "time": "2026-11-21T16:53:20.250Z",
        "host": "claude-code",
        "session": "s-1",
        "agent": "main",
        "role": "",
        "tool": "Bash",
        "tool_use_id": "call-1",
        "operation": "git",
        "effects": [
            {"kind": "Operation", "name": "git.push", "count": 1},
            {"kind": "Delete", "zones": ["credentials"], "count": 2},
            {"kind": "Connect", "count": 1},
        ],
        "rules": [{"rule": "git.force-push", "verdict": "ask"}],
        "judged": "ask",
        "verdict": "deny",
        "reason": "Force-pushing, which rewrites a branch that others may have built on, or deleting it on the server.",
        "policy": "built-in",
        "microseconds": 412,
        "cwd": "",
        "project": "",
        "exact": False,
        "gate": "checkout",
    }


@given(st.text(min_size=1))
def test_nothing_of_a_commands_words_is_kept_but_names_of_programs(text: str) -> None:
    secret = f"hunter2{text}"
    effects = Effects(
        (
            Run((known_word("curl"), known_word(secret)), DEFAULT_ORIGIN),
            Run((known_word(f"/tmp/{text}hunter2 x"),), DEFAULT_ORIGIN),
            Run((unknown_word(f"$hunter2{text}"),), DEFAULT_ORIGIN),
            Delete(Place(known_word(secret), path=secret), True, DEFAULT_ORIGIN),
        )
    )
    decision = Decision(Verdict.DENY, Verdict.DENY, (Finding("x", Verdict.DENY, Match(effects.all[0], secret, secret)),))
    assert "hunter2" not in example(effects=effects, decision=decision).render_line()


@given(st.text())
def test_a_record_is_one_line_whatever_the_host_calls_its_tools(tool: str) -> None:
    line = example(tool=tool).render_line()
    assert line.count("\n") == 1
    assert line.isascii()
    assert len(json.loads(line)["tool"]) <= 120


def test_a_record_stays_small() -> None:
    runs = tuple(Run((known_word(f"program-{n}"),), DEFAULT_ORIGIN) for n in range(10_000))
    assert len(example(effects=Effects(runs)).render_line()) < 8192


def test_ids_sort_by_time() -> None:
    assert uuid7(1.0, b"\xff" * 10) < uuid7(1.5, b"\0" * 10)
    assert uuid7(0, b"\xff" * 10) == "00000000-0000-7fff-bfff-ffffffffffff"


@pytest.mark.parametrize(
    ("log", "verdict", "answer"),
    [
        ("interventions", Verdict.PASS, False),
        ("interventions", Verdict.WARN, True),
        ("decisions", Verdict.PASS, True),
        ("off", Verdict.DENY, False),
    ],
)
def test_the_policy_says_what_is_recorded(log: str, verdict: Verdict, answer: bool) -> None:
    policy = Policy(audit=log)  # type: ignore[arg-type]
    assert audit.should_record(policy, Decision(verdict, verdict)) is answer
    assert audit.should_record(policy, Decision(verdict, Verdict.PASS)) is answer


def test_the_log_is_the_users_alone(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "audit"
    before = os.umask(0)
    try:
        assert audit.write_record(str(folder), record_push()) == ""
    finally:
        os.umask(before)
    file = folder / "2026-11-21.jsonl"
    assert [stat.S_IMODE(path.stat().st_mode) for path in (folder.parent, folder, file)] == [0o700, 0o700, 0o600]
    assert json.loads(file.read_text())["rules"] == [{"rule": "git.force-push", "verdict": "ask"}]


def append_many(folder: str, number: int) -> None:
    for n in range(100):
        assert audit.write_record(folder, example(tool=f"{number}-{n}")) == ""


def test_eight_processes_tear_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3]))  # the new processes look for this module by its name
    folder = str(tmp_path / "audit")
    processes = [multiprocessing.get_context("spawn").Process(target=append_many, args=(folder, n)) for n in range(8)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    lines = [line for line in (tmp_path / "audit" / "2026-11-21.jsonl").read_text().splitlines() if line]
    tools = [json.loads(line)["tool"] for line in lines]
    assert [process.exitcode for process in processes] == [0] * 8
    assert sorted(tools) == sorted(f"{number}-{n}" for number in range(8) for n in range(100))
    assert len({json.loads(line)["id"] for line in lines}) == 800
    report = verify_log(folder)
    assert (report.records, report.faults) == (800, [])


@pytest.mark.parametrize("spoil", ["a file in the way", "a link in the way", "others may write", "a link for the file"])
def test_a_log_that_cannot_be_written_is_reported(tmp_path: Path, spoil: str) -> None:
    folder = tmp_path / "audit"
    match spoil:
        case "a file in the way":
            folder.write_text("")
        case "a link in the way":
            (tmp_path / "elsewhere").mkdir()
            folder.symlink_to(tmp_path / "elsewhere")
        case "others may write":
            folder.mkdir()
            folder.chmod(0o777)
        case _:
            folder.mkdir(0o700)
            (folder / "2026-11-21.jsonl").symlink_to(tmp_path / "elsewhere")
    problem = audit.write_record(str(folder), record_push())
    assert problem.startswith(f"the audit log {folder}/2026-11-21.jsonl cannot be written: ")
    assert not (tmp_path / "elsewhere" / "2026-11-21.jsonl").exists()


def test_a_full_disk_is_reported_and_leaves_no_part_of_a_record(tmp_path: Path) -> None:
    """A limit on the size of files stands for the full disk."""
    program = (
        "import resource, sys\n"
        "from unit.audit.test_audit import record_push\n"
        "from toolgate import audit\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, (300, {resource.RLIM_INFINITY}))\n"
        "print(audit.write_record(sys.argv[1], record_push()))\n"
        "print(audit.write_record(sys.argv[1], record_push()))\n"
    )
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    result = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "audit")], capture_output=True, text=True, env=environ, check=False
    )
    first, second = result.stdout.splitlines()
    assert "only a part" in first, result.stderr
    assert "only a part" in second
    assert audit.write_record(str(tmp_path / "audit"), record_push()) == ""
    (whole,) = (tmp_path / "audit" / "2026-11-21.jsonl").read_text().splitlines()
    assert json.loads(whole)["tool"] == "Bash"


def test_the_first_record_of_a_day_removes_days_long_past(tmp_path: Path) -> None:
    folder = tmp_path / "audit"
    assert audit.write_record(str(folder), record_push()) == ""  # of 2026-11-21
    for day in ("2026-08-22", "2026-08-23", "2026-11-20"):
        (folder / f"{day}.jsonl").write_text("{}\n" * 10)
    (folder / "notes.txt").write_text("mine")
    (folder / "2026-11-21.jsonl").unlink()
    assert audit.write_record(str(folder), record_push()) == ""
    assert _days(folder) == ["2026-08-23", "2026-11-20", "2026-11-21"]
    (folder / "2026-11-21.jsonl").unlink()
    assert audit.write_record(str(folder), record_push(), LogLimits(keep_bytes=40)) == ""
    assert _days(folder) == ["2026-11-20", "2026-11-21"]
    assert (folder / "notes.txt").exists()


def _days(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.jsonl"))


def test_a_folder_that_is_taken_away_is_made_again(tmp_path: Path) -> None:
    folder = tmp_path / "audit"
    assert audit.write_record(str(folder), record_push()) == ""
    shutil.rmtree(folder)
    assert audit.write_record(str(folder), record_push()) == ""
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
