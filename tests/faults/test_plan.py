"""Tests a plan that is broken, read concurrently, or judged by another process: one well-formed answer, and no way around it."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from faults.child import Child, is_refusal, is_silence
from faults.clients import Gate

PLAN = "arms: [{arm_id: a, conditions: [{command: ./blis run}]}]"
NOUS = 'profile = "nous-plan"\n'


@pytest.fixture
def child(tmp_path: Path) -> Child:
    return experiment(Child(tmp_path))


def experiment(child: Child, mode: str = "strict") -> Child:
    folder = iteration(child)
    folder.mkdir()
    (folder / "experiment_plan.yaml").write_text(PLAN)
    child.policy(NOUS)
    child.environ |= {"NOUS_ITER_DIR": str(folder), "NOUS_PLAN_ENFORCEMENT": mode}
    return child


def iteration(child: Child) -> Path:
    return child.root / "iter"


def validated_by(child: Child, script: str, seconds: float = 5.0) -> None:
    argv = json.dumps([sys.executable, "-I", "-c", script])
    child.policy(f'{NOUS}[rules."plan.unfinished".options]\nvalidator = {argv}\nseconds = {seconds}\n')
    (iteration(child) / "principle_updates.json").write_text("[]")


# ---- through the client and the daemon


def test_the_callers_plan_is_the_callers(gate: Gate) -> None:
    """A call without a plan started the daemon that answers."""
    assert is_silence(gate.ask("ls"))
    gate.daemon()
    experiment(gate.child)
    for _ in range(2):
        assert is_refusal("PreToolUse", gate.ask("ls"))
        assert is_silence(gate.ask("./blis run"))
        assert is_silence(gate.ask("ls # nous: ad-hoc"))
    gate.child.environ["NOUS_PLAN_ENFORCEMENT"] = "warn"
    assert gate.ask("ls").code == 0
    del gate.child.environ["NOUS_ITER_DIR"]
    assert is_silence(gate.ask("ls"))


def test_a_plan_that_changes_is_read_again(gate: Gate) -> None:
    experiment(gate.child)
    assert is_refusal("PreToolUse", gate.ask("ls"))
    (iteration(gate.child) / "experiment_plan.yaml").write_text(PLAN.replace("./blis run", "ls"))
    assert is_silence(gate.ask("ls -la"))
    assert is_refusal("PreToolUse", gate.ask("./blis run"))


def test_a_turn_ends_when_the_validator_says_so(gate: Gate) -> None:
    experiment(gate.child)
    assert is_refusal("Stop", gate.ask("", "Stop"))
    here = iteration(gate.child)
    validated_by(gate.child, f"import os; assert os.getcwd() == {str(here)!r} and os.environ['NOUS_ITER_DIR'] == {str(here)!r}")
    assert is_silence(gate.ask("", "Stop"))
    validated_by(gate.child, "raise SystemExit('p-1: no evidence')")
    answer = gate.ask("", "Stop")
    assert is_refusal("Stop", answer)
    assert b"validation failed" in answer.err
    assert b"p-1: no evidence" in answer.err


def test_a_validator_that_hangs_is_ended_and_is_a_no(gate: Gate) -> None:
    experiment(gate.child)
    mark = gate.child.root / "pid"
    script = f"import os, time; os.fork(); open({str(mark)!r}, 'a').write(f'{{os.getpid()}} '); time.sleep(300)"
    validated_by(gate.child, script, seconds=1.0)
    assert is_refusal("Stop", gate.ask("", "Stop"))
    assert len(mark.read_text().split()) == 2
    deadline = time.monotonic() + 10
    while any(Path(f"/proc/{pid}/cmdline").exists() and _is_running(int(pid)) for pid in mark.read_text().split()):
        assert time.monotonic() < deadline, "what the validator started lives on"
        time.sleep(0.05)


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


# ---- plans that are none


def link_to(target: str) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        path.symlink_to(target)

    return make


BROKEN: dict[str, Callable[[Path], object]] = {
    "a folder": lambda path: path.mkdir(),
    "a pipe": os.mkfifo,
    "a link to itself": lambda path: path.symlink_to(path),
    "a link to nothing": link_to("/nowhere"),
    "an endless device": link_to("/dev/zero"),
    "the kernel's memory": link_to("/proc/self/mem"),
    "too large": lambda path: path.write_text("arms: []\n#" + "x" * 300_000),
    "zeros": lambda path: path.write_bytes(b"\0" * 100),
    "no UTF-8": lambda path: path.write_bytes(b"arms: \xff\xfe"),
    "very deep": lambda path: path.write_text("[" * 100_000),
    "a bomb": lambda path: path.write_text(
        "x0: &x0 [a, a]\n" + "".join(f"x{n}: &x{n} [*x{n - 1}, *x{n - 1}]\n" for n in range(1, 60)) + "arms: *x59\n"
    ),
    "of the wrong kind": lambda path: path.write_text("arms: 7"),
    "a command that is none": lambda path: path.write_text("arms: [{conditions: [{command: {a: b}}]}]"),
    "not there": lambda path: None,
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_plan_plans_nothing(child: Child, what: str) -> None:
    path = iteration(child) / "experiment_plan.yaml"
    path.unlink()
    BROKEN[what](path)
    assert is_refusal("PreToolUse", child.call(child.payload("./blis run")))
    assert is_refusal("PreToolUse", child.call(child.payload("ls")))
    child.environ["NOUS_PLAN_ENFORCEMENT"] = "warn"
    answer = child.call(child.payload("./blis run"))
    assert answer.code == 0
    assert "cannot be used as a plan" in answer.table["systemMessage"] or "it names no command" in answer.table["systemMessage"]


def test_no_yaml_is_no_plan(child: Child) -> None:
    """Without a YAML parser the gate fails closed, with a message."""
    program = "import sys; sys.modules['yaml'] = None; sys.argv = ['toolgate', 'hook', 'claude-code', 'PreToolUse']; "
    start = [sys.executable, "-I", "-X", "utf8", "-c", f"{program}from toolgate.__main__ import main; main()"]
    assert is_refusal("PreToolUse", child.run(start, child.payload("./blis run")))


# ---- who works there


def at_once(child: Child, payloads: list[bytes]) -> list[int]:
    """Runs several hooks at once. Returns their exit codes."""
    quiet = subprocess.DEVNULL
    running = [
        subprocess.Popen(
            child.arguments("PreToolUse"), stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, cwd=child.cwd, env=child.environ
        )
        for _ in payloads
    ]
    for process, payload in zip(running, payloads, strict=True):
        assert process.stdin is not None
        process.stdin.write(payload)
        process.stdin.close()
    return sorted(process.wait(60) for process in running)


def test_of_sessions_that_race_one_works(child: Child) -> None:
    payloads = [child.payload("./blis run", session_id=f"s-{n}") for n in range(8)]
    assert at_once(child, payloads) == [0] + [2] * 7


def test_of_calls_that_race_so_many_are_ad_hoc(child: Child) -> None:
    child.policy(f'{NOUS}[rules."plan.unplanned".options]\nad_hoc = 3\n')
    assert at_once(child, [child.payload("ls # nous: ad-hoc")] * 8) == [0] * 3 + [2] * 5
    rows = [json.loads(line) for line in (iteration(child) / "plan_violations.jsonl").read_text().splitlines()]
    assert sorted(row["kind"] for row in rows) == ["ad-hoc"] * 3 + ["blocked"] * 5


# ---- the log


@pytest.mark.parametrize("place", ["/dev/full", "/nowhere/else", "/proc/self/mem"])
def test_a_log_that_takes_nothing_changes_no_verdict(child: Child, place: str) -> None:
    (iteration(child) / "plan_violations.jsonl").symlink_to(place)
    answer = child.call(child.payload("ls # nous: ad-hoc"))
    assert answer.code == 0
    assert "plan_violations.jsonl" in answer.table["systemMessage"]
    assert is_refusal("PreToolUse", child.call(child.payload("ls")))


def test_the_folder_has_vanished(child: Child) -> None:
    for path in iteration(child).iterdir():
        path.unlink()
    iteration(child).rmdir()
    assert is_refusal("PreToolUse", child.call(child.payload("./blis run")))
    assert is_refusal("Stop", child.call(child.payload("", "Stop"), "Stop"))
