"""Tests the endpoint for hosts that post their hooks: a real server, called as a client calls it."""

import http.client
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from faults.clients import Gate, open_gate
from toolgate.hosts import load_host
from toolgate.transport.http import RENDERERS

PROGRAM = """
import sys
from toolgate.transport import http
endpoint = http.Endpoint(sys.argv[3:], http.load_token(sys.argv[1]), dict(__import__("os").environ))
server = http.build_server(endpoint, 0)
print(server.server_port, flush=True)
http.PATIENCE = float(sys.argv[2])
server.serve_forever()
"""


@dataclass
class Endpoint:
    gate: Gate
    port: int
    token: str

    def post(self, body: bytes, event: str = "PreToolUse", **headers: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        all_headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"} | headers
        connection.request("POST", f"/claude-code/{event}", body, all_headers)
        answer = connection.getresponse()
        status_and_body = answer.status, answer.read()
        connection.close()
        return status_and_body


@contextmanager
def serve_http(gate: Gate, patience: float = 9.0) -> Iterator[Endpoint]:
    file = gate.child.root / "gate" / "state" / "http-token"
    command = gate.client.words()[:-2]
    process = subprocess.Popen(
        [sys.executable, "-I", "-c", PROGRAM, str(file), str(patience), *command],
        env=gate.child.environ,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        port = int(process.stdout.readline())
        yield Endpoint(gate, port, file.read_text().strip())
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    with open_gate(tmp_path, "twin") as gate:
        yield gate


def test_a_deny_a_pass_and_what_cannot_be_read(gate: Gate) -> None:
    with serve_http(gate) as endpoint:
        code, body = endpoint.post(gate.payload("rm -rf /"))
        assert (code, json.loads(body)["hookSpecificOutput"]["permissionDecision"]) == (200, "deny")
        assert endpoint.post(gate.payload("git status")) == (200, b"{}")
        for event in load_host("claude-code").EVENTS:
            code, body = endpoint.post(b'{"cut', event)
            assert code == 200
            assert is_no(event, json.loads(body)), (event, body)


def is_no(event: str, table: dict[str, object]) -> bool:
    if event == "PreToolUse":
        return "deny" in json.dumps(table)
    if event == "PermissionRequest":
        return '"behavior": "deny"' in json.dumps(table)
    if event == "PostToolUse":
        return table["continue"] is False
    return table.get("decision") == "block" or bool(table.get("systemMessage"))


@pytest.mark.parametrize("token", ["", "Bearer ", "Bearer wrong", "Basic abc", "Bearer \u00e4"])
def test_without_the_token_nothing_is_judged(gate: Gate, token: str) -> None:
    with serve_http(gate) as endpoint:
        code, body = endpoint.post(gate.payload("git status"), Authorization=token)
        assert code == 401
        assert body != b""


def test_another_path_and_an_unreadable_size(gate: Gate) -> None:
    with serve_http(gate) as endpoint:
        assert endpoint.post(gate.payload("ls"), "Nonsense")[0] == 404
        assert endpoint.post(b"", **{"Content-Length": "99999999999"})[0] == 413


@pytest.mark.parametrize("engine", ["exit 0", "exit 1", "kill -9 $$"])
def test_an_engine_that_fails(gate: Gate, engine: str) -> None:
    gate.engine(engine)
    with serve_http(gate) as endpoint:
        for event in load_host("claude-code").EVENTS:
            code, body = endpoint.post(gate.payload("ls", event), event)
            assert code == 200
            assert is_no(event, json.loads(body)), (event, body)


@pytest.mark.parametrize("what", ["gone", "hangs", "fails"])
def test_a_client_that_fails(gate: Gate, what: str) -> None:
    program = gate.child.root / "client"
    if what != "gone":
        program.write_text("#!/bin/sh\n" + {"hangs": "exec sleep 60", "fails": "echo '{}'; exit 1"}[what] + "\n")
        program.chmod(0o755)
    gate.client.words = lambda *_: [str(program), "claude-code", "PreToolUse"]  # type: ignore[method-assign]
    with serve_http(gate, patience=0.5) as endpoint:
        for event in ("PreToolUse", "PostToolUse", "Stop"):
            code, body = endpoint.post(gate.payload("ls", event), event)
            assert code == 200
            assert is_no(event, json.loads(body)), (event, body)


def test_the_token_is_for_its_owner(gate: Gate) -> None:
    with serve_http(gate) as endpoint:
        file = gate.child.root / "gate" / "state" / "http-token"
        assert file.stat().st_mode & 0o777 == 0o600
        assert len(endpoint.token) >= 40
    file.chmod(0o644)
    result = subprocess.run(
        [sys.executable, "-I", "-c", PROGRAM, str(file), "9", "x"],
        env=gate.child.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "others could read it" in result.stderr


def test_it_listens_on_loopback_alone(gate: Gate) -> None:
    with serve_http(gate) as endpoint:
        listening = [line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines()[1:] if line.split()[3] == "0A"]
        assert f"0100007F:{endpoint.port:04X}" in listening
        assert f"00000000:{endpoint.port:04X}" not in listening


def test_hosts_that_are_posted_to_are_hosts() -> None:
    for name in RENDERERS:
        assert load_host(name).EVENTS
