"""Tests `@toolgate/hooks` with the real npm packages of both SDKs and scripted models, by what is left on the disk."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from e2e import clients
from e2e.conftest import SANDBOXES
from toolgate.canary.scripted_chat import ScriptedChat
from toolgate.canary.scripted_model import ScriptedModel
from toolgate.canary.scripted_server import ScriptedCall, ScriptedServer, ScriptedTurn
from toolgate.install import find_node_package, own_command
from toolgate.transport.running_daemons import find_daemons, stop_daemon

pytestmark = pytest.mark.e2e
PROGRAMS = Path(__file__).parent / "programs"
SECONDS = 120
TOKEN = "ghp_" + "Zq7Wm2Kx9Rt4Yp1Vb6Nc3Hd8Lf5Gs0Ja7Qu2"


@dataclass(frozen=True)
class Sdk:
    """`shell`: returns a call of its tool for commands."""

    program: str
    model: Callable[[list[ScriptedTurn]], ScriptedServer]
    shell: Callable[[str], ScriptedCall]


SDKS = {
    "claude": Sdk(
        "claude_agent_hooks.mjs", lambda turns: ScriptedModel(turns, {}), lambda text: ScriptedCall("Bash", {"command": text})
    ),
    "copilot": Sdk("copilot_hooks.mjs", ScriptedChat, lambda text: ScriptedCall("bash", {"command": text, "description": "d"})),
}


@dataclass(frozen=True)
class Place:
    root: Path

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def project(self) -> Path:
        return self.root / "project"

    def talk(self, sdk: Sdk, command: tuple[str, ...], *commands: str) -> ScriptedServer:
        node = shutil.which("node") or clients.skip_or_fail("there is no node")
        with sdk.model([ScriptedTurn((sdk.shell(text),)) for text in commands]) as model:
            tool_input = {
                "sdks": str(clients.node_sdks()),
                "package": find_node_package(),
                "options": {"command": command},
                "url": model.url,
                "home": str(self.home),
                "project": str(self.project),
                "cache": str(clients.CACHE / "copilot-cache"),
            }
            subprocess.run(
                [node, str(PROGRAMS / sdk.program), json.dumps(tool_input)],
                cwd=self.project,
                env={"PATH": os.environ["PATH"], "HOME": str(self.home)},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
                check=True,
            )
            return model


@pytest.fixture
def place() -> Iterator[Place]:
    SANDBOXES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=SANDBOXES, ignore_cleanup_errors=True) as root:
        found = Place(Path(root))
        found.home.mkdir()
        found.project.mkdir()
        yield found
        for daemon in find_daemons(str(found.home / ".cache" / "toolgate" / "run")):
            stop_daemon(daemon)


@pytest.mark.parametrize("name", SDKS)
def test_what_each_answer_becomes(name: str, place: Place) -> None:
    sdk = SDKS[name]
    (place.project / "notes").write_text(f"token = {TOKEN}\n")
    outside = place.home / "outside"
    model = place.talk(
        sdk, own_command(), "touch passed", f"touch {outside}", f"mkdir ~/.ssh; touch {place.home}/.ssh/key", "cat notes"
    )
    assert (place.project / "passed").exists()
    assert not outside.exists()
    assert not (place.home / ".ssh").exists()
    assert "outside the project" in model.all_messages
    assert "token = " in model.all_messages
    assert TOKEN not in model.all_messages


@pytest.mark.parametrize("name", SDKS)
def test_a_gate_that_breaks_lets_no_call_through(name: str, place: Place) -> None:
    """The gate crashes at calls only: without a gate, the prompt is refused as well, and the model is never called."""
    gate = place.root / "toolgate-hook"
    gate.write_text('#!/bin/sh\ncase "$*" in *[pP]reToolUse) exit 1;; esac\n')
    gate.chmod(0o755)
    model = place.talk(SDKS[name], (str(gate),), "touch ran")
    assert not (place.project / "ran").exists()
    assert "toolgate doctor" in model.all_messages
    gone = place.talk(SDKS[name], ("/nonexistent/toolgate-hook",), "touch ran")
    assert not (place.project / "ran").exists()
    assert gone.all_messages == "[]"
