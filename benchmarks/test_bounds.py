"""Cost of the worst calls: giant ones, hung ones, and calls on a busy machine."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hook import CALL, Gate
from measuring import request_for

from toolgate.install import own_command

Figure = Callable[..., None]
MEGABYTE = 1_000_000
GIANTS: dict[str, tuple[str, Callable[[], dict[str, str]]]] = {
    "a path of 100,000 components": ("Bash", lambda: {"command": "rm -rf " + "a/" * 100_000}),
    "`key=` 2.5 million times, written": ("Write", lambda: {"file_path": "x.txt", "content": "key=" * 2_500_000}),
    "a command of 20 MB": ("Bash", lambda: {"command": "echo " + "key=" * 5 * MEGABYTE}),
    "a Write of 50 MB": ("Write", lambda: {"file_path": "x.txt", "content": "hello world, some text here\n" * 1_800_000}),
    "a million arguments": ("mcp__a__b", lambda: {f"k{n}": "v" for n in range(MEGABYTE)}),
}


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gate]:
    gate = Gate(tmp_path_factory.mktemp("bounds") / "home").prepare()
    yield gate
    gate.stop_daemons()


def ask(gate: Gate, payload: bytes) -> tuple[float, bytes]:
    began = time.perf_counter()
    words = [*own_command(), *CALL]
    result = subprocess.run(words, input=payload, env=gate.environ, cwd=gate.project, capture_output=True, check=False)
    return time.perf_counter() - began, result.stdout + result.stderr


@pytest.mark.parametrize("what", GIANTS)
def test_giant(gate: Gate, figure: Figure, what: str) -> None:
    tool, table = GIANTS[what]
    call = {**json.loads(request_for("ls", gate.project).payload), "tool_name": tool, "tool_input": table()}
    payload = json.dumps(call).encode()
    took, answer = ask(gate, payload)
    verdict = "passes" if not answer else "is refused" if b"could not judge" in answer or b"time" in answer else "is asked about"
    figure(f"{what}, from the host's side", f"{took:.2f} s, {verdict}", "2 s")
    assert took < 2.5


def test_busy(gate: Gate, figure: Figure) -> None:
    """Counts the refusals for time among 2,000 ordinary calls, beside 16 processes that compute."""
    busy = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(16)]
    try:
        answers = sorted(ask(gate, request_for(f"git log -{n} && ls src", gate.project).payload) for n in range(2_000))
    finally:
        for each in busy:
            each.kill()
    refused = sum(bool(answer) for _, answer in answers)
    half, most, worst = (answers[n][0] * 1000 for n in (1_000, 1_980, -1))
    description = f"{refused} refused; P50 {half:.0f} ms, P99 {most:.0f} ms, most {worst:.0f} ms"
    figure(f"2,000 calls beside 16 busy processes on {os.cpu_count()} processors", description, "0 refused")
    assert refused == 0


def test_hung(gate: Gate, figure: Figure, tmp_path: Path) -> None:
    """Compares a call beside four others that hang in a file system with the same call alone. Both are medians of nine."""
    if not os.access("/dev/fuse", os.W_OK):
        pytest.skip("no file system can be mounted here")
    folder = tmp_path / "hung"
    folder.mkdir()
    server = Path(__file__).parents[1] / "tests" / "faults" / "hung_mount.py"
    plain = sorted(ask(gate, request_for(f"ls {n}", gate.project).payload)[0] for n in range(9))[4]
    with subprocess.Popen(
        [sys.executable, "-S", str(server), str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as hung:
        assert hung.stdin is not None
        assert hung.stdout is not None
        assert hung.stdout.readline() == b"mounted\n"
        with ThreadPoolExecutor(4) as pool:
            calls = [request_for(f"cat {folder}/{n}", gate.project).payload for n in range(4)]
            waiting = [pool.submit(ask, gate, call) for call in calls]
            time.sleep(0.2)
            beside = sorted(ask(gate, request_for(f"ls {n}", gate.project).payload)[0] for n in range(9, 18))[4]
            longest = max(each.result()[0] for each in waiting)
        hung.stdin.close()
    figure("a call while four others hang", f"{beside * 1000:.1f} ms, {beside / plain:.2f}x the same call alone", "2x")
    figure("a call that hangs", f"refused after {longest:.2f} s", "2 s")
