"""Tests the designs' own registrations, word for word, in the real client."""

import json
import re
from pathlib import Path

import pytest

from e2e.claude_session import Sandbox, bash, run_toolgate, turn
from toolgate.canary.scripted_server import ScriptedCall

pytestmark = pytest.mark.e2e

PAGE = Path(__file__).parents[2] / "docs" / "designs" / "coming-from-guardrail-hooks.md"


def test_the_guardrail_script_works_as_its_design_registers_it(sandbox: Sandbox) -> None:
    """The content of hooks.json is in the settings that the client reads, without the gate's own registration."""
    assert run_toolgate(sandbox, "install", "claude-code", "--layout", "guardrail").returncode == 0
    found = re.search(r"hooks\.json`.*?```json\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert found is not None
    sandbox.use({"hooks": json.loads(found[1])})
    outcome = sandbox.talk(
        turn(bash("docker rm no-such-container")),
        turn(ScriptedCall("Write", {"file_path": str(sandbox.home / ".ssh" / "config"), "content": "x"})),
        turn(bash("touch made")),
    )
    assert [result.refused for result in outcome.results] == [True, True, False]
    assert ((sandbox.project / "made").exists(), (sandbox.home / ".ssh").exists()) == (True, False)
    log = (sandbox.home / ".claude" / "logs" / "guardrail.jsonl").read_text().splitlines()
    assert [json.loads(line)["rule"] for line in log] == ["docker_rm", "write_blocked_path"]
