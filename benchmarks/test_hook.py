"""Cost of a whole hook call as a host sees it, with and without a daemon."""

import socket
import statistics
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hook import CALL, TWIN, Gate, format_median, frame, memory, on_cpu, program, rounds, workers
from measuring import BARE, ONE, mixed_lines, ratio, request_for

from toolgate.install import own_command

Figure = Callable[..., None]


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gate]:
    gate = Gate(tmp_path_factory.mktemp("hook") / "home").prepare()
    yield gate
    gate.stop_daemons()


def test_warm(gate: Gate, figure: Figure, tmp_path: Path) -> None:
    """The shell with the C program in the client's place shows the cost of the shell. It stays, to refuse for a client that is
    killed: so it forks."""
    client, floor = (*own_command(), *CALL), str(program("floor", tmp_path))
    figures = rounds(
        250,
        tmp_path,
        gate,
        gate.environ,
        floor=(floor,),
        client=client,
        shell=("/bin/sh", "-c", f"{' '.join(client)} || exit 2"),
        shell_alone=("/bin/sh", "-c", f"{floor} || exit 2"),
    )
    for name, what, bar in (
        ("client", "a whole call, warm", "1.7x"),
        ("shell", "a whole call, warm, as `sh -c '... || exit 2'`", "2.3x"),
        ("shell_alone", "that C program as `sh -c '... || exit 2'`", ""),
    ):
        times = ratio(figures, name, "floor")
        description = (
            f"{format_median(figures, name)}, {times:.2f}x a C program that reads its input ({format_median(figures, 'floor')})"
        )
        figure(what, description, bar)
    description = f"{ratio(figures, 'shell', 'shell_alone'):.2f}x what the shell costs with that C program in the client's place"
    figure("a whole call, warm, beside the shell alone", description)


def test_the_client_in_python(gate: Gate, figure: Figure, tmp_path: Path) -> None:
    figures = rounds(100, tmp_path, gate, gate.environ, bare=BARE, twin=(*TWIN, *CALL))
    times = ratio(figures, "twin", "bare")
    description = f"{format_median(figures, 'twin')}, {times:.2f}x `python3 -I -S -c pass` ({format_median(figures, 'bare')})"
    figure("a whole call, warm, with the client in Python", description, "1.6x")
    assert times <= 1.6


def test_without_a_daemon(gate: Gate, figure: Figure, tmp_path: Path) -> None:
    figures = rounds(30, tmp_path, gate, gate.cold_environment(), bare=BARE, cold=(*own_command(), *CALL))
    times = ratio(figures, "cold", "bare")
    description = f"{format_median(figures, 'cold')}, {times:.1f}x `python3 -I -S -c pass` ({format_median(figures, 'bare')})"
    figure("a whole call without a daemon", description, "12x")


def test_many_at_once(gate: Gate, figure: Figure, tmp_path: Path) -> None:
    """The clients use the same processors."""
    (tmp_path / "request").write_bytes(gate.frame())
    calls, load = 8_000, program("load", tmp_path)
    took = [_run_load(load, gate, tmp_path, calls) for _ in range(3)]
    figure("decisions a second, 8 clients at once", f"{calls / statistics.median(took):,.0f}", "4,000 on 2 processors")


def _run_load(load: Path, gate: Gate, folder: Path, calls: int) -> float:
    words = [str(load), gate.daemon().place.socket, str(folder / "request"), "8", str(calls)]
    return float(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


@pytest.mark.parametrize(("what", "mark"), [("the mixed set", ""), ("the mixed set, no line twice", "  # {}")])
def test_in_the_daemon(gate: Gate, figure: Figure, what: str, mark: str) -> None:
    """CPU time of both workers, call by call. A repeated line is remembered; with a mark of its own, none is."""
    daemon = gate.daemon()
    pids, costs = workers(daemon), []
    for number, line in enumerate(mixed_lines(1_200)):
        command = line + mark.format(number)
        request = frame(request_for(command, gate.project), gate.environ, daemon.build)
        before = on_cpu(pids)
        with socket.socket(socket.AF_UNIX) as conversation:
            conversation.connect(daemon.place.socket)
            conversation.sendall(request)
            while conversation.recv(65536):
                pass
        costs.append(on_cpu(pids) - before)
    costs = sorted(costs[200:])
    description = f"P50 {costs[len(costs) // 2]:.2f} ms, P99 {costs[int(len(costs) * 0.99)]:.2f} ms of CPU"
    figure(f"in the daemon, {what}, 1,000 calls", description, "P99 < 2 ms")


def test_memory(gate: Gate, figure: Figure) -> None:
    megabytes = memory(gate.daemon())
    figure("memory of the daemon and its workers, shared pages counted once", f"{megabytes:.0f} MB", "60 MB; gate 75 MB")
    assert megabytes <= 75


def test_the_line_that_is_measured_passes(gate: Gate) -> None:
    """The figure of a refusal would mean something else."""
    result = subprocess.run(
        [*own_command(), *CALL], input=gate.payload(ONE).read_bytes(), env=gate.environ, capture_output=True, check=True
    )
    assert (result.stdout, result.stderr) == (b"", b"")
