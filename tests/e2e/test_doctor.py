"""Tests the proof of `toolgate doctor --live` on the real client."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from e2e.claude_session import Sandbox, run_toolgate
from toolgate.canary import ROWS
from toolgate.hosts.claude_code import settings as registration

pytestmark = pytest.mark.e2e

HOLDS = (
    "a denied command and a write to the settings left nothing, a harmless command ran, and the model read why; "
    "with the gate's program gone, nothing ran"
)


def proof(sandbox: Sandbox) -> tuple[int, dict[str, str]]:
    result = run_toolgate(sandbox, "doctor", "--live", "--json", "--client", str(sandbox.program))
    found = next(check for check in json.loads(result.stdout) if check["about"] == "canary of claude-code")
    return result.returncode, found


def gate(sandbox: Sandbox, name: str, text: str) -> Path:
    """A gate registered in place of ours."""
    program = sandbox.root / name
    program.write_text(text)
    program.chmod(0o755)
    sandbox.settings.write_text(json.dumps(registration.register({}, (str(program),))))
    return program


def test_it_holds_with_the_gate(sandbox: Sandbox) -> None:
    assert run_toolgate(sandbox, "install", "claude-code").returncode == 0
    before = sandbox.settings.read_bytes()
    code, found = proof(sandbox)
    assert found["state"] == "fine"
    assert found["found"] == f"the gate of the user settings: in {sandbox.program}, {HOLDS}"
    assert code == 0
    assert sandbox.settings.read_bytes() == before
    assert sandbox.list_created() == set()
    assert [path.name for path in (sandbox.home / ".cache" / "toolgate").glob("canary-*")] == []


def test_it_does_not_hold_with_a_gate_that_answers_nothing(sandbox: Sandbox) -> None:
    gate(sandbox, "toolgate-hook", "#!/bin/sh\nexit 0\n")
    code, found = proof(sandbox)
    assert (code, found["state"]) == (1, "wrong")
    assert (
        "a denied command ran; a command that needs a question ran without one; a denied call of an MCP tool ran; "
        in found["found"]
    )
    assert "a write to the settings that register the gate went through" in found["found"]
    assert "no agent should work here until it holds" in found["remedy"]


def test_it_does_not_hold_with_a_gate_that_refuses_everything(sandbox: Sandbox) -> None:
    gate(sandbox, "toolgate-hook", '#!/bin/sh\n[ "$2" = PreToolUse ] || exit 0\necho no >&2\nexit 2\n')
    code, found = proof(sandbox)
    assert (code, found["state"]) == (1, "wrong")
    assert "the model did not read why a command was denied" in found["found"]
    assert "a harmless command did not run" in found["found"]


def test_as_people_call_it(sandbox: Sandbox) -> None:
    """The client is the one on PATH; without a terminal, no progress is shown."""
    assert run_toolgate(sandbox, "install", "claude-code").returncode == 0
    words = [sys.executable, "-m", "toolgate", "doctor", "--live"]
    environ = {**os.environ, "HOME": str(sandbox.home), "PATH": f"{sandbox.program.parent}:{os.environ['PATH']}"}
    result = subprocess.run(words, cwd=sandbox.project, env=environ, capture_output=True, text=True, check=False)
    assert result.returncode == 0
    lines = result.stdout.splitlines()
    start = lines.index("ok    table of claude-code: everything that was tried is held")
    assert lines[start - 1].startswith("ok    canary of claude-code: the gate of the user settings: in ")
    width = max(map(len, ROWS.values()))
    assert lines[start + 1 : start + 1 + len(ROWS)] == [f"      {statement:{width}}  held" for statement in ROWS.values()]
    assert result.stderr == ""
