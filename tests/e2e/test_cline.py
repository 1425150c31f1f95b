"""Tests the gate's plugin in the real Cline."""

from collections.abc import Mapping

import pytest

from e2e import clients
from e2e.host_scenarios import HostScenarios
from e2e.host_session import HostSandbox
from toolgate.canary.cline import CLIENT
from toolgate.canary.host_proof import TOKEN
from toolgate.canary.scripted_server import ScriptedCall, ScriptedTurn

pytestmark = pytest.mark.e2e


class TestCline(HostScenarios):
    CLIENT, PROGRAM = CLIENT, clients.cline
    CALL_EVENT = "beforeTool"
    UNKNOWN_KEY = """echo '{"decision": "deny", "reason": "no", "unheard-of": 1}'"""

    def further_calls(self, sandbox: HostSandbox) -> Mapping[str, ScriptedCall]:
        created_file, home = str(sandbox.project / "made.txt"), sandbox.home
        return {
            "pass: write": ScriptedCall("editor", {"path": created_file, "new_text": "hello\n"}),
            "pass: edit": ScriptedCall("editor", {"path": created_file, "old_text": "hello", "new_text": "bye"}),
            "pass: two commands": ScriptedCall("run_commands", {"commands": ["cd /", "rm -rf ./sub"]}),
            "stop: ask, a file": ScriptedCall("editor", {"path": str(home / ".bashrc"), "new_text": "x"}),
            "stop: a file of hooks": ScriptedCall(
                "editor", {"path": str(sandbox.project / ".clinerules" / "hooks" / "PreToolUse"), "new_text": "#!/bin/sh\n"}
            ),
            "stop: the second command": ScriptedCall("run_commands", {"commands": ["echo '", "rm -rf ~ #'"]}),
            "stop: the second file": ScriptedCall(
                "read_files", {"files": [{"path": created_file}, {"path": str(home / ".ssh" / "id_rsa")}]}
            ),
        }

    def test_a_rewritten_call_runs_as_it_was_rewritten(self, sandbox: HostSandbox) -> None:
        sandbox.policy("wrap_commands = true\n")
        (sandbox.project / "notes").write_text(f"token = {TOKEN}\n")
        outcome = sandbox.talk(ScriptedTurn((CLIENT.shell("cat notes; touch ran"),)))
        assert (sandbox.project / "ran").exists()
        assert TOKEN not in outcome.heard

    def test_a_plugin_without_its_package_refuses_and_tells_why(self, sandbox: HostSandbox) -> None:
        plugin = CLIENT.settings(sandbox.home)
        plugin.write_text(plugin.read_text().replace("/clients/node/index.js", "/nowhere/index.js"))
        outcome = sandbox.talk(ScriptedTurn((CLIENT.shell("touch ran"),)))
        assert not (sandbox.project / "ran").exists()
        assert "toolgate install cline" in outcome.results[0].text
