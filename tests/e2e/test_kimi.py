"""Tests the gate at the real Kimi Code's hooks."""

from collections.abc import Mapping

import pytest

from e2e import clients
from e2e.host_scenarios import HostScenarios
from e2e.host_session import HostSandbox
from toolgate.canary.kimi import CLIENT
from toolgate.canary.scripted_server import ScriptedCall, ScriptedTurn

pytestmark = pytest.mark.e2e


class TestKimi(HostScenarios):
    CLIENT, PROGRAM = CLIENT, clients.kimi
    CALL_EVENT = "PreToolUse"
    UNKNOWN_KEY = (
        """echo '{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "no"}, "unheard-of": 1}'"""
    )

    def further_calls(self, sandbox: HostSandbox) -> Mapping[str, ScriptedCall]:
        return {
            "pass: write": ScriptedCall("Write", {"path": "made.txt", "content": "hello\n"}),
            "pass: edit": ScriptedCall("Edit", {"path": "made.txt", "old_string": "hello", "new_string": "bye"}),
            "stop: write": ScriptedCall("Write", {"path": str(sandbox.home / ".bashrc"), "content": "x"}),
            "stop: background": CLIENT.background(f"touch {sandbox.home}/behind"),  # type: ignore[misc]
            "stop: its own folder": ScriptedCall("Bash", {"command": "rm -rf project", "cwd": ".."}),
        }

    def test_one_unknown_key_of_anybody_drops_the_gate(self, sandbox: HostSandbox) -> None:
        sandbox.install_stand_in("exit 2")
        settings = CLIENT.settings(sandbox.home)
        settings.write_text(settings.read_text() + '\n[[hooks]]\nevent = "Stop"\ncommand = "true"\nfail_mode = "closed"\n')
        sandbox.talk(ScriptedTurn((CLIENT.shell("touch dropped"),)))
        assert (sandbox.project / "dropped").exists()
