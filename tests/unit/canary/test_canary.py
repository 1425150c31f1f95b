"""Tests the table of canaries, and proofs without a conversation. tests/e2e/test_doctor.py shows what they prove."""

import os
import sys
import time
from pathlib import Path

import pytest

from toolgate.canary import ProofResult, Trial, client_process, load_proof
from toolgate.canary import claude_code as claude
from toolgate.hosts import HOSTS
from toolgate.hosts.capabilities import load_capabilities
from toolgate.install import own_command


def test_every_host_that_was_measured_has_a_canary() -> None:
    measured = {name for name in HOSTS if load_capabilities(name).proof == "client"}
    assert {"claude-code", "copilot", "codex", "opencode", "gemini", "qwen", "kimi", "cline", "kilo"} == measured
    assert all(callable(load_proof(name)) for name in measured)
    for name in HOSTS.keys() - measured:
        with pytest.raises(KeyError):
            load_proof(name)


def proof(folder: Path, client: str, command: tuple[str, ...] = ()) -> ProofResult:
    messages: list[str] = []
    trial = Trial(command or own_command(), client, {"PATH": f"{folder}:/bin:/usr/bin"}, str(folder / "cache"), messages.append)
    return load_proof("claude-code")(trial)


def program(folder: Path, text: str) -> str:
    path = folder / "client"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return "client"


def test_no_client(tmp_path: Path) -> None:
    assert proof(tmp_path, "no-such-client") == ProofResult(
        False, "there is no program no-such-client to prove it in", "name it: toolgate doctor --live --client PATH"
    )


def test_a_gate_that_cannot_start_is_not_tried(tmp_path: Path) -> None:
    found = proof(tmp_path, program(tmp_path, "exit 0"), ("/gone/toolgate-hook",))
    assert found == ProofResult(
        False, "the hook command /gone/toolgate-hook is no program with an absolute path", "toolgate install claude-code"
    )


def test_a_client_that_says_nothing(tmp_path: Path) -> None:
    found = proof(tmp_path, program(tmp_path, "exit 3"))
    assert found.told == f"{tmp_path}/client ended with 3 before everything was tried: it said nothing"
    assert os.listdir(tmp_path / "cache") == []


def test_a_client_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "client").write_bytes(b"\x7fELF, or not")
    (tmp_path / "client").chmod(0o755)
    assert f"{tmp_path}/client cannot be started: " in proof(tmp_path, "client").told


@pytest.mark.skipif(sys.platform == "win32", reason="no process groups there")
def test_a_client_that_hangs_is_ended_with_all_it_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_process, "TIMEOUT_SECONDS", 1)
    late = tmp_path / "late"
    found = proof(tmp_path, program(tmp_path, f"(sleep 3; touch '{late}') & sleep 60"))
    assert found.told == f"{tmp_path}/client did not come to an end within 1 seconds"
    assert os.listdir(tmp_path / "cache") == []
    time.sleep(3)
    assert not late.exists()


def test_the_client_learns_nothing_of_its_user() -> None:
    theirs = {"PATH": "/bin", "ANTHROPIC_API_KEY": "sk-theirs", "HTTPS_PROXY": "http://proxy", "CLAUDE_CONFIG_DIR": "/theirs"}
    environ = claude.build_environment(theirs, "/scratch", "http://127.0.0.1:1")
    assert (environ["PATH"], environ["HOME"], environ["ANTHROPIC_API_KEY"]) == ("/bin", "/scratch", "no-key")
    assert not {"HTTPS_PROXY", "CLAUDE_CONFIG_DIR"} & environ.keys()
