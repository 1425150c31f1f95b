"""Cost of a record, and of replay, log, why, stats and report over many records."""

import json
import os
import random
import resource
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hook import CALL, TWIN, Gate, format_median, rounds
from measuring import BARE, ONE, calibration, child_cpu, cpu, interleave, mixed_lines, ratio, request_for

from toolgate.app import App
from toolgate.audit.sinks import jsonl
from toolgate.history.calls import PastCall
from toolgate.history.replay import Replayer
from toolgate.install import own_command
from toolgate.model.request import Request
from toolgate.policy import load
from unit.report.logs import call, denied_call, nearly_stopped, write_log

Figure = Callable[..., None]
RECORDS = 100_000
REPEATED, SEEN_ONCE = 20_000, 1_500
AFTER = ("claude-code", "PostToolUse")


# ---- a record


def test_a_record(figure: Figure, tmp_path: Path) -> None:
    """Whole calls with and without records, in the same rounds; and the writing of a line alone."""
    apps = {log: _make_app(tmp_path, log) for log in ("off", "decisions")}
    calls = 200
    figures = interleave(
        15,
        off=lambda: cpu(lambda: [apps["off"]() for _ in range(calls)]),
        decisions=lambda: cpu(lambda: [apps["decisions"]() for _ in range(calls)]),
        line=lambda: cpu(lambda: [jsonl.append_record(f"{tmp_path}/lines", "2026-11-23", LINE) for _ in range(calls)]),
        loop=lambda: cpu(calibration),
    )
    added = statistics.median(
        (recorded - plain) / calls for recorded, plain in zip(figures["decisions"], figures["off"], strict=True)
    )
    line, loop = statistics.median(figures["line"]) / calls, statistics.median(figures["loop"])
    figure("a record, beside the same call without one", f"{added:.3f} ms, {added / loop:.2f}x the calibration loop", "0.1 ms")
    figure("of it, appending a line to the chain", f"{line:.3f} ms, {line / loop:.2f}x the calibration loop")
    assert added / loop <= 1.0


def _make_app(folder: Path, log: str) -> Callable[[], object]:
    home = folder / log
    project = home / "project"
    project.mkdir(parents=True)
    (home / "gate").mkdir(mode=0o700)
    (home / "gate" / "policy.toml").write_text(f'log = "{log}"\n')
    hook_request = request_for("git status", project)
    environ = {**hook_request.environ, "TOOLGATE_HOME": str(home / "gate")}
    request = Request(hook_request.host, hook_request.event, hook_request.payload, environ, hook_request.cwd, os.getuid(), 1.8e9)
    app = App()
    return lambda: app.handle(request)


LINE = json.dumps(call(1), separators=(",", ":")) + "\n"


# ---- a hook call that records


@dataclass(frozen=True)
class AfterGate(Gate):
    """A gate whose host reports the result of its earlier call."""

    def payload(self, command: str = ONE) -> Path:
        path = self.folder / "payload.json"
        report = json.loads(request_for(command, self.project).payload)
        response = {"stdout": "done\n", "stderr": "", "interrupted": False, "isImage": False}
        path.write_text(json.dumps({**report, "hook_event_name": "PostToolUse", "tool_response": response}))
        return path


@pytest.mark.parametrize(("event", "make"), [(CALL, Gate), (AFTER, AfterGate)], ids=["PreToolUse", "PostToolUse"])
def test_a_hook_call(figure: Figure, tmp_path: Path, event: tuple[str, str], make: type[Gate]) -> None:
    """Every call leaves a record, or a line with its outcome."""
    gate = make(tmp_path / "home")
    Gate(gate.folder).prepare()
    try:
        variants = {"bare": BARE, "native": (*own_command(), *event), "twin": (*TWIN, *event)}
        figures = rounds(150, tmp_path, gate, gate.environ, **variants)
    finally:
        gate.stop_daemons()
    for name, what in (("native", "the native client"), ("twin", "the client in Python")):
        times = ratio(figures, name, "bare")
        description = f"{format_median(figures, name)}, {times:.2f}x `python3 -I -S -c pass` ({format_median(figures, 'bare')})"
        figure(f"{event[1]}, warm, with its record, {what}", description, "1.21x")
        assert times <= 1.6
    logs = (gate.folder / "gate" / "state" / "audit").glob("*.jsonl")
    text = b"".join(path.read_bytes() for path in logs)
    assert text.count(b'"kind":"outcome"' if event == AFTER else b'"verdict"') >= 300


# ---- replay


@pytest.mark.parametrize(
    ("what", "calls", "bar"),
    [("of 18 texts that repeat", REPEATED, 2000), ("no text twice", SEEN_ONCE, 400)],
)
def test_replay(figure: Figure, project: Path, what: str, calls: int, bar: int) -> None:
    """Judged under one policy, in one process, beside the calibration loop."""
    home = str(project.parent)
    mark = "" if calls == REPEATED else "  # {}"
    history = [_make_call(line + mark.format(number), number, str(project)) for number, line in enumerate(mixed_lines(calls))]

    def replay() -> None:
        environ = {"HOME": home, "PATH": os.defpath}
        replayer = Replayer(environ, home, lambda scene: load(scene.environ, scene.home, scene.project))
        replayer.add_calls(history)
        assert replayer.comparison.calls == calls

    figures = interleave(5, replay=lambda: cpu(replay), loop=lambda: cpu(calibration))
    took = statistics.median(figures["replay"])
    loops = took / calls / statistics.median(figures["loop"])
    figure(f"replay of {calls:,} calls, {what}", f"{calls / took * 1000:,.0f} calls a second and core", f"{bar:,}")
    assert loops <= 10


def _make_call(command: str, number: int, cwd: str) -> PastCall:
    return PastCall("claude-code", "s", f"c{number}", "", cwd, cwd, "Bash", {"command": command}, "ran", "f", number)


# ---- 100,000 records


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("log")
    dice = random.Random(1)
    make_record = (
        (denied_call if chance < 0.02 else nearly_stopped if chance < 0.05 else call) for chance in iter(dice.random, None)
    )
    write_log(folder / "state" / "audit", (make(number) for number, make in zip(range(RECORDS), make_record, strict=False)))
    return folder


def run_verb(folder: Path, *words: str) -> float:
    return child_cpu([sys.executable, "-m", "toolgate", *words], b"", {**os.environ, **home_of(folder)})


def home_of(folder: Path) -> dict[str, str]:
    return {"HOME": str(folder), "TOOLGATE_HOME": str(folder)}


@pytest.fixture
def without_index(log: Path) -> Iterator[Path]:
    """Makes the cache folder a file, so that nothing can be kept in it."""
    cache, kept_folder = log / "cache", log / "kept"
    cache.rename(kept_folder)
    cache.write_text("")
    yield log
    cache.unlink()
    kept_folder.rename(cache)


VERBS = {
    "log": ("log",),
    "log of a session": ("log", "--session", "session-77", "--deny"),
    "log of a rule": ("log", "--rule", "git.*"),
    "why": ("why", "last", "--json"),
}


def test_the_index(figure: Figure, log: Path, request: pytest.FixtureRequest) -> None:
    built = run_verb(log, "log")
    (index,) = (log / "cache").glob("audit-*.db")
    description = f"{built:.0f} ms of CPU, {index.stat().st_size / 1e6:.0f} MB; the log has {_size(log):.0f} MB"
    figure(f"building the index of {RECORDS:,} records, once", description)
    indexed = {name: statistics.median(run_verb(log, *words) for _ in range(5)) for name, words in VERBS.items()}
    request.getfixturevalue("without_index")
    for name, words in VERBS.items():
        read = statistics.median(run_verb(log, *words) for _ in range(5))
        description = f"{indexed[name]:.0f} ms of CPU, {read / indexed[name]:.1f}x less than by reading the log ({read:.0f} ms)"
        figure(f"`toolgate {name}` with {RECORDS:,} records, the process included", description)


def _size(folder: Path) -> float:
    return sum(path.stat().st_size for path in (folder / "state" / "audit").iterdir()) / 1e6


def test_everything_that_reads_the_whole_log(figure: Figure, log: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    for name, words in (("stats", ("stats",)), ("audit verify", ("audit", "verify")), ("report", ("report", str(page)))):
        took = statistics.median(run_verb(log, *words) for _ in range(3))
        figure(f"`toolgate {name}` with {RECORDS:,} records", f"{took / 1000:.1f} s of CPU")
    environ = {**os.environ, **home_of(log)}
    subprocess.run([sys.executable, "-m", "toolgate", "report", str(page)], env=environ, stdout=subprocess.DEVNULL, check=True)
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    figure("the page, and the most memory of any of these processes", f"{page.stat().st_size / 1e6:.1f} MB, {most:.0f} MB")
