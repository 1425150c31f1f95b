"""Tests the gate at the real Gemini CLI's hooks."""

import json
from collections.abc import Mapping

import pytest

from e2e import clients
from e2e.host_scenarios import HostScenarios
from e2e.host_session import HostSandbox
from toolgate.canary.gemini import CLIENT
from toolgate.canary.scripted_server import ScriptedCall, ScriptedTurn

pytestmark = pytest.mark.e2e


class TestGemini(HostScenarios):
    CLIENT, PROGRAM = CLIENT, clients.gemini
    CALL_EVENT = "BeforeTool"
    UNKNOWN_KEY = """echo '{"decision": "deny", "reason": "no", "unheard-of": 1}'"""

    def further_calls(self, sandbox: HostSandbox) -> Mapping[str, ScriptedCall]:
        (sandbox.project / "sub").mkdir()
        settings = sandbox.project / ".gemini" / "settings.json"
        return {
            "pass: write": ScriptedCall("write_file", {"file_path": "made.txt", "content": "hello\n"}),
            "pass: edit": ScriptedCall(
                "replace", {"file_path": "made.txt", "instruction": "i", "old_string": "hello", "new_string": "bye"}
            ),
            "stop: project settings": ScriptedCall("write_file", {"file_path": str(settings), "content": "{}"}),
            "stop: background": CLIENT.background(f"touch {sandbox.home}/behind"),  # type: ignore[misc]
            "stop: its own folder": ScriptedCall(
                "run_shell_command", {"command": "rm -rf ../.git", "description": "d", "dir_path": "sub"}
            ),
        }

    def test_a_rewritten_call_runs_as_it_was_rewritten(self, sandbox: HostSandbox) -> None:
        """Also tests the effect of a folder's `.env` on hooks. Wrapping needs a substitution, which the client refuses."""
        sandbox.policy("rewrite = true\nwrap_commands = true\n")
        outcome = sandbox.talk(ScriptedTurn((CLIENT.shell("git push --force origin main; touch ran"),)))
        assert (sandbox.project / "ran").exists()
        assert "modified by a hook" in outcome.heard
        (sandbox.project / ".env").write_text(f"TOOLGATE_HOME={sandbox.scratch.root}/elsewhere\n")
        outcome = sandbox.talk(ScriptedTurn((CLIENT.shell("touch moved"),)))
        assert not (sandbox.project / "moved").exists()
        assert outcome.results == []

    def test_a_folder_that_is_not_trusted_has_no_hooks(self, sandbox: HostSandbox) -> None:
        sandbox.install_stand_in("echo called >> $HOME/called; exit 2")
        settings = CLIENT.settings(sandbox.home)
        trust = {"security": {"folderTrust": {"enabled": True}, "auth": {"selectedType": "gemini-api-key"}}}
        settings.write_text(json.dumps({**json.loads(settings.read_text()), **trust}))
        sandbox.talk(ScriptedTurn((ScriptedCall("read_file", {"file_path": "x"}),)), environ={"GEMINI_CLI_TRUST_WORKSPACE": ""})
        assert not (sandbox.home / "called").exists()
