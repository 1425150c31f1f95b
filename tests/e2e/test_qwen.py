"""Tests the gate at the real Qwen Code's hooks."""

from collections.abc import Mapping

import pytest

from e2e import clients
from e2e.host_scenarios import HostScenarios
from e2e.host_session import HostSandbox
from toolgate.canary.qwen import CLIENT
from toolgate.canary.scripted_server import ScriptedCall, ScriptedTurn

pytestmark = pytest.mark.e2e


class TestQwen(HostScenarios):
    CLIENT, PROGRAM = CLIENT, clients.qwen
    CALL_EVENT = "PreToolUse"
    UNKNOWN_KEY = """echo '{"decision": "block", "reason": "no", "unheard-of": 1}'"""

    def further_calls(self, sandbox: HostSandbox) -> Mapping[str, ScriptedCall]:
        created_file = str(sandbox.project / "made.txt")
        return {
            "pass: write": ScriptedCall("write_file", {"file_path": created_file, "content": "hello\n"}),
            "pass: edit": ScriptedCall("edit", {"file_path": created_file, "old_string": "hello", "new_string": "bye"}),
            "stop: write": ScriptedCall("write_file", {"file_path": str(sandbox.home / ".bashrc"), "content": "x"}),
            "stop: background": CLIENT.background(f"touch {sandbox.home}/behind"),  # type: ignore[misc]
            "stop: its own folder": ScriptedCall(
                "run_shell_command",
                {"command": "rm -rf .git", "description": "d", "is_background": False, "directory": str(sandbox.project)},
            ),
            "stop: deferred": ScriptedCall(
                "tool_call", {"name": "mcp__stub__peek", "arguments": {"path": str(sandbox.home / ".ssh" / "id_rsa")}}
            ),
        }

    def test_a_project_cannot_move_the_gate(self, sandbox: HostSandbox) -> None:
        (sandbox.project / ".env").write_text(f"TOOLGATE_HOME={sandbox.scratch.root}/elsewhere\n")
        """The prompt itself is refused, so that no call is made."""
        outcome = sandbox.talk(ScriptedTurn((CLIENT.shell("touch moved"),)))
        assert not (sandbox.project / "moved").exists()
        assert outcome.results == []
