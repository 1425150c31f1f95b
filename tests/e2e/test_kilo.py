"""Tests the gate's plugin in the real Kilo CLI."""

from collections.abc import Mapping

import pytest

from e2e import clients
from e2e.opencode_scenarios import OpenCodeScenarios
from e2e.served_session import ServedSandbox
from toolgate.canary.kilo import CLIENT
from toolgate.canary.scripted_server import ScriptedCall

pytestmark = pytest.mark.e2e


class TestKilo(OpenCodeScenarios):
    CLIENT, PROGRAM = CLIENT, clients.kilo

    def further_calls(self, served: ServedSandbox) -> Mapping[str, ScriptedCall]:
        home, project = str(served.sandbox.home), served.sandbox.project
        start = {"action": "start", "command": "sleep 1"}
        return {
            "pass: a process": ScriptedCall("background_process", start),
            "pass: its processes": ScriptedCall("background_process", {"action": "list"}),
            "stop: a process elsewhere": ScriptedCall("background_process", {**start, "command": "touch here", "workdir": home}),
            "stop: a monitor": ScriptedCall("background_process", {"action": "monitor", "command": "cat ~/.ssh/id_rsa"}),
            "stop: a recurring task": ScriptedCall("cron_create", {"prompt": "go", "cron": "0 * * * *"}),
            "stop: a task for later": ScriptedCall("schedule_wakeup", {"prompt": "go", "delay": "1h"}),
            "pass: its tasks": ScriptedCall("cron_list", {}),
            "stop: settings": ScriptedCall("write", {"filePath": str(project / "kilo.jsonc"), "content": "{}"}),
            "stop: an earlier release's folder": ScriptedCall(
                "write", {"filePath": str(project / ".kilocode" / "plugin" / "mine.js"), "content": "export const A = 1"}
            ),
        }
