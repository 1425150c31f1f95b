"""Cost of a call compared with other guards, in the same rounds."""

import os
import statistics
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from hook import CALL, Figures, Gate, on_cpu, rounds_on_cpu, workers
from measuring import ratio
from peers import NAH, SAFETY_NET, nah, safety_net

from toolgate.install import own_command

AT_LEAST = 50
REPEATS, ROUNDS, WARMING = 15, 5, 2


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gate]:
    gate = Gate(tmp_path_factory.mktemp("peers") / "home").prepare()
    yield gate
    gate.stop_daemons()


def test_beside_other_guards(gate: Gate, figure: Callable[..., None], tmp_path: Path) -> None:
    """The daemon's share is counted, as its mean over a few rounds. First, the test checks what the others refuse and let pass,
    so that they do judge."""
    ours, net, other = (*own_command(), *CALL), safety_net(), nah()
    for words in (ours, net, other):
        assert is_stopped(words, gate, "rm -rf /"), words
        assert not is_stopped(words, gate, "git status"), words
    daemon = gate.daemon()
    pids = (daemon.pid, *workers(daemon))
    figures: Figures = {"toolgate": [], "net": [], "nah": []}
    for _ in range(REPEATS):
        before = on_cpu(pids)
        found = rounds_on_cpu(ROUNDS, tmp_path, gate, gate.environ, toolgate=ours, net=net, nah=other)
        daemons = (on_cpu(pids) - before) / (ROUNDS + WARMING)
        for name, costs in found.items():
            figures[name] += [cost + daemons for cost in costs] if name == "toolgate" else costs
    mine = statistics.median(figures["toolgate"])
    figure("toolgate, client and daemon", f"{mine:.2f} ms of CPU")
    for name, title in (("net", f"cc-safety-net {SAFETY_NET}"), ("nah", f"nah {NAH}")):
        times = ratio(figures, name, "toolgate")
        figure(title, f"{statistics.median(figures[name]):.0f} ms of CPU, {times:.0f}x", f"at least {AT_LEAST}x")


def is_stopped(words: Sequence[str], gate: Gate, command: str) -> bool:
    data, environ = gate.payload(command).read_bytes(), {**gate.environ, "PATH": os.environ["PATH"]}
    result = subprocess.run(words, input=data, env=environ, cwd=gate.project, capture_output=True, check=False).stdout
    return b'"deny"' in result or b'"ask"' in result
