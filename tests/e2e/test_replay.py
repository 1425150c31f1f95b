"""Reads the real client's complete record of a session, with the outcome of each call."""

import json
import subprocess
import sys

import pytest

from e2e.claude_session import Sandbox, bash, turn
from toolgate.canary.scripted_server import ScriptedCall

pytestmark = pytest.mark.e2e


def test_a_session_is_judged_again(sandbox: Sandbox) -> None:
    sandbox.use(sandbox.stand_in("as_told", "PreToolUse"))
    sandbox.talk(
        turn(bash("touch passed")),
        turn(bash("false")),
        turn(bash("rm -rf ~ # DENY-ME")),
        turn(ScriptedCall("Write", {"file_path": str(sandbox.home / ".bashrc"), "content": "DENY-ME"})),
    )
    result = subprocess.run(
        [sys.executable, "-m", "toolgate", "replay", "--json"],
        env={"HOME": str(sandbox.home), "PATH": "/usr/bin:/bin"},
        cwd=sandbox.project,
        capture_output=True,
        text=True,
        check=False,
    )
    *groups, total = map(json.loads, result.stdout.splitlines())
    assert (total["calls"], total["sessions"], total["indeterminate"], total["stopped"]) == (4, 1, {}, 2), result.stderr
    assert {(group["rule"], tuple(group["outcomes"].items())) for group in groups} == {
        ("filesystem.delete-protected", (("refused", 1),)),
        ("persistence.start-up", (("refused", 1),)),
    }
