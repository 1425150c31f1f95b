"""Tests the gate's plugin in the real OpenCode."""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from e2e import clients
from e2e.conftest import SANDBOXES
from e2e.host_session import HostSandbox
from e2e.opencode_scenarios import OpenCodeScenarios, bash
from e2e.served_session import ServedSandbox
from toolgate.canary.client import Scratch
from toolgate.canary.opencode import build_client
from toolgate.canary.scripted_server import ScriptedCall, ScriptedTurn
from toolgate.hosts.opencode.settings import REGISTRATION

pytestmark = pytest.mark.e2e


class TestOpenCode(OpenCodeScenarios):
    CLIENT, PROGRAM = build_client("opencode", REGISTRATION), clients.opencode

    def further_calls(self, served: ServedSandbox) -> Mapping[str, ScriptedCall]:
        return {
            "stop: settings": ScriptedCall("write", {"filePath": str(served.sandbox.project / "opencode.json"), "content": "{}"})
        }


def test_a_client_without_plugins_asks_nobody() -> None:
    SANDBOXES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=SANDBOXES, ignore_cleanup_errors=True) as root:
        client = build_client("opencode", REGISTRATION, "--pure")
        sandbox = HostSandbox(client, clients.opencode(), os.environ["PATH"], Scratch(Path(root))).prepare()
        sandbox.install_stand_in("exit 1")
        sandbox.talk(ScriptedTurn((bash("touch pure"),)))
        assert (sandbox.project / "pure").exists()
