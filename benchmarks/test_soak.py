"""State of a daemon after very many calls."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hook import Gate, frame, memory, program
from measuring import mixed_lines, request_for

CALLS = int(os.environ.get("SOAK_CALLS", "1000000"))
PARTS = 200  # each with a text of its own
TOLD = 10  # parts from one line to the next
MOST = 3.0  # megabytes from a quarter of the parts to the last: by then every kind of text of the mixed set was seen


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gate]:
    gate = Gate(tmp_path_factory.mktemp("soak") / "home").prepare()
    yield gate
    gate.stop_daemons()


def test_its_memory_stays_flat(gate: Gate, figure: Callable[..., None], tmp_path: Path) -> None:
    daemon, load, taken = gate.daemon(), program("load", tmp_path), []
    for number, command in enumerate(mixed_lines(PARTS)):
        text = f"{command} # {number}"
        (tmp_path / "request").write_bytes(frame(request_for(text, gate.project), gate.environ, daemon.build))
        words = [str(load), daemon.place.socket, str(tmp_path / "request"), "2", str(CALLS // PARTS)]
        subprocess.run(words, check=True, capture_output=True)
        taken.append(memory(daemon))
        if (number + 1) % TOLD == 0:
            print(f"{(number + 1) * CALLS // PARTS:9,} calls: {taken[-1]:.1f} MB", flush=True)
    assert gate.daemon() == daemon
    growth = taken[-1] - taken[PARTS // 4]
    figure(f"memory after {CALLS:,} calls", f"{taken[-1]:.0f} MB, {growth:+.1f} MB since a quarter of them", "60 MB, flat")
    assert growth <= MOST
