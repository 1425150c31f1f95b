"""Law 8: the same request gets the same answer in process, from the daemon, in a new process, and through either client."""

import json
import os
import random
import re
import socket
import struct
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from faults.child import HookResult
from faults.clients import Client, Gate, open_gate, wait_until, workers
from toolgate import cases
from toolgate.app import App
from toolgate.cases import Case
from toolgate.machine import build
from toolgate.model.request import Request
from toolgate.transport.daemon import WORKERS
from toolgate.transport.running_daemons import find_daemons

CASES = [case for path in cases.iter_shipped_files() for case in cases.load_cases(path)]
SAMPLE = int(os.environ.get("LAW_CASES", "40"))
"""How many are asked in ways that start an interpreter each time, and ten times as many of the daemon. `.ci/run` wants more,
`make soak` all."""
SEED = int(os.environ.get("LAW_SEED", "0"))


def without_counts(answer: HookResult) -> HookResult:
    """Returns the answer without the counts of this machine's own folders, which other programs change."""
    return replace(answer, out=re.sub(rb"At stake: [^\[\"]*", b"", answer.out))


@pytest.fixture(scope="module", params=["native", "twin"])
def gate(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gate]:
    os.environ.setdefault("PYTEST_NATIVE", str(tmp_path_factory.mktemp("native")))
    with open_gate(tmp_path_factory.mktemp("law"), request.param) as gate:
        gate.ask("ls")
        master = gate.daemon()
        wait_until(
            lambda: "ready" in gate.log() and len(workers(master)) == WORKERS
        )  # a client asks again where one goes; we do not
        yield gate


def payload(case: Case, gate: Gate) -> bytes:
    table = {
        "session_id": "",  # of no session: no answer depends on how often it was given
        "cwd": gate.child.cwd,
        "hook_event_name": "PreToolUse",
        "permission_mode": "default",
        "tool_name": case.tool,
        "tool_input": case.input,
        "tool_use_id": "t",
    }
    return json.dumps(table).encode()


def in_process(data: bytes, gate: Gate, environ: dict[str, str]) -> HookResult:
    request = Request("claude-code", "PreToolUse", data, environ, gate.child.cwd, os.getuid(), time.time())
    answer = App().handle(request)
    return HookResult(answer.exit_code, answer.stdout.encode(), answer.stderr.encode())


def of_the_daemon(data: bytes, gate: Gate) -> HookResult:
    (daemon,) = find_daemons(str(gate.run))
    variables = "".join(f"{name}={value}\0" for name, value in gate.child.environ.items())
    parts = [part.encode() for part in ("claude-code", "PreToolUse", gate.child.cwd, variables)] + [data]
    now = int(time.time() * 1e6)
    head = struct.pack("=4s32sqIIIIIII", b"TGQ1", build.CHECKOUT.encode(), now, os.getuid(), 8000, *map(len, parts))
    with socket.socket(socket.AF_UNIX) as conversation:
        conversation.connect(daemon.place.socket)
        conversation.sendall(head + b"".join(parts))
        reply = b"".join(iter(lambda: conversation.recv(65536), b""))
    code, out, _ = struct.unpack_from("=III", reply, 36)
    return HookResult(code, reply[48 : 48 + out], reply[48 + out :])


def test_of_the_daemon_as_in_process(gate: Gate) -> None:
    for case in random.Random(SEED + 2).sample(CASES, min(10 * SAMPLE, len(CASES))):
        data = payload(case, gate)
        expected = in_process(data, gate, gate.child.environ)
        assert without_counts(of_the_daemon(data, gate)) == without_counts(expected), case.display_text


def test_through_the_client(gate: Gate) -> None:
    for case in random.Random(SEED).sample(CASES, min(SAMPLE, len(CASES))):
        data = payload(case, gate)
        expected = in_process(data, gate, gate.child.environ)
        assert without_counts(gate.child.run(gate.client.words(), data)) == without_counts(expected), (SEED, case.display_text)


def test_without_a_daemon(gate: Gate, tmp_path: Path) -> None:
    """Every process has another hash seed, and gives the same answer."""
    client = Client(gate.client.kind, tmp_path / "bin")
    words = client.words()
    environ = gate.child.environ | {"TOOLGATE_HOME": str(tmp_path)}
    (tmp_path / "run").mkdir(mode=0o755)

    def ask(case: Case) -> None:
        data = payload(case, gate)
        assert without_counts(gate.child.run(words, data, environ=environ)) == without_counts(in_process(data, gate, environ)), (
            SEED,
            case.display_text,
        )

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(ask, random.Random(SEED + 1).sample(CASES, min(SAMPLE, len(CASES)))))
    assert not list((tmp_path / "run").iterdir())
