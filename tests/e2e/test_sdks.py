"""The gate in programs that use the SDKs: the real runtimes, the real SDKs, and what is left on the disk."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

import toolgate
from e2e import clients
from e2e.claude_session import Sandbox
from e2e.claude_session import bash as claude_bash
from e2e.conftest import SANDBOXES
from e2e.copilot_session import PATCHES, CopilotSandbox, bash
from toolgate.canary.claude_code import surroundings
from toolgate.canary.scripted_chat import ScriptedChat
from toolgate.canary.scripted_model import ScriptedModel, Turn, Use

pytestmark = pytest.mark.e2e
PROGRAMS = Path(__file__).parent / "programs"
TOKEN = "ghp_" + "Zq7Wm2Kx9Rt4Yp1Vb6Nc3Hd8Lf5Gs0Ja7Qu2"
SECONDS = 90


@pytest.fixture
def place() -> Iterator[CopilotSandbox]:
    """A home without any hooks of its own."""
    SANDBOXES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=SANDBOXES, ignore_cleanup_errors=True) as root:
        made = CopilotSandbox(Path(root), clients.copilot())
        made.home.mkdir()
        made.project.mkdir()
        subprocess.run(["git", "init", "-q", str(made.project)], check=True)
        yield made


def run(program: str, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """In a process of its own, which has the SDKs on its path."""
    path = os.pathsep.join((str(Path(toolgate.__file__).parents[1]), str(clients.sdks())))
    done = subprocess.run(
        [sys.executable, str(PROGRAMS / program), json.dumps(wanted)],
        env={**os.environ, "PYTHONPATH": path, "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def copilot(
    place: CopilotSandbox, model: ScriptedChat, variables: Mapping[str, str] | None = None, **more: Any
) -> dict[str, Any]:
    environ = {**place.environ(model.url), **(variables or {})}
    wanted = {"project": str(place.project), "program": str(place.program), "environ": environ, "model": model.url}
    return run("copilot_sdk.py", {**wanted, **more})


def test_copilot_a_verdict_on_disk(place: CopilotSandbox) -> None:
    outside = place.home / "outside"
    turns = (
        Turn((bash("touch passed"),)),
        Turn((bash(f"touch {outside}"),)),
        Turn((bash("rm -rf ~"),)),
        Turn((Use("create", {"path": str(place.project / "made"), "file_text": "x"}),)),
        Turn((Use("view", {"path": str(place.home / ".ssh" / "id_ed25519")}),)),
    )
    with ScriptedChat(turns) as model:
        told = copilot(place, model)
        results = model.results()
    assert (place.project / "passed").exists()
    assert (place.project / "made").read_text() == "x"
    assert not outside.exists()
    assert place.home.exists()
    assert [each.refused for each in results] == [False, True, True, False, True]
    assert "Nobody is there who could be asked" in results[1].text
    assert told["unjudged"] == []


def test_copilot_whoever_is_there_is_asked_once(place: CopilotSandbox) -> None:
    outside = place.home / "outside"
    with ScriptedChat((Turn((bash(f"touch {outside}"),)),)) as model:
        told = copilot(place, model, yes=True)
    assert outside.exists()
    assert told["asked"] == ["hook"]


def test_copilot_a_resumed_session_is_guarded(place: CopilotSandbox) -> None:
    turns = (Turn((bash("touch first"),), pauses=True), Turn((bash("git push --force origin main"),)))
    with ScriptedChat(turns) as model:
        copilot(place, model, resumed=True, profile="squad")
        _, result = model.results()
    assert (place.project / "first").exists()
    assert result.refused
    assert "git.force-push" in result.text


def test_copilot_without_hooks_permission_is_refused_all_the_same(place: CopilotSandbox) -> None:
    """As where the runtime fails to call a hook: the second line holds."""
    key = place.home / ".ssh" / "authorized_keys"
    with ScriptedChat((Turn((bash(f"mkdir -p ~/.ssh; echo k >> {key}"),)), Turn((bash("touch passed"),)))) as model:
        copilot(place, model, no_hooks=True)
        results = model.results()
    assert not key.exists()
    assert (place.project / "passed").exists()
    assert [each.refused for each in results] == [True, False]


def test_copilot_patches_and_secrets(place: CopilotSandbox) -> None:
    (place.project / "notes").write_text(f"token = {TOKEN}\n")
    patch = "*** Begin Patch\n*** Add File: {}\n+hello\n*** End Patch\n"
    turns = (
        Turn((Use("apply_patch", {"patch": patch.format("made.txt")}),)),
        Turn((Use("apply_patch", {"patch": patch.format(place.home / ".bashrc")}),)),
        Turn((bash("cat notes"),)),
    )
    with ScriptedChat(turns) as model:
        copilot(place, model, kind=PATCHES["COPILOT_MODEL"])
        results, heard = model.results(), model.heard
    assert (place.project / "made.txt").exists()
    assert not (place.home / ".bashrc").exists()
    assert [each.refused for each in results] == [False, True, False]
    assert TOKEN not in heard
    assert "token = " in results[2].text


def claude(sandbox: Sandbox, model: ScriptedModel, **more: Any) -> dict[str, Any]:
    environ = surroundings(os.environ, str(sandbox.home), model.url)
    wanted = {"project": str(sandbox.project), "program": str(sandbox.program), "environ": environ}
    return run("claude_sdk.py", {**wanted, **more})


def talking(*turns: Turn) -> AbstractContextManager[ScriptedModel]:
    return ScriptedModel(turns, {})


def test_claude_a_verdict_on_disk(sandbox: Sandbox) -> None:
    outside = sandbox.home / "outside"
    (sandbox.project / "notes").write_text(f"token = {TOKEN}\n")
    calls = ("touch passed", f"touch {outside}", "rm -rf ~", "cat notes")
    with talking(*(Turn((claude_bash(call),)) for call in calls)) as model:
        claude(sandbox, model)
        results, heard = model.results(), model.heard
    assert (sandbox.project / "passed").exists()
    assert not outside.exists()
    assert sandbox.home.exists()
    assert [each.refused for each in results] == [False, True, True, False]
    assert TOKEN not in heard


def test_claude_whoever_is_there_is_asked(sandbox: Sandbox) -> None:
    outside = sandbox.home / "outside"
    with talking(Turn((claude_bash(f"touch {outside}"),))) as model:
        told = claude(sandbox, model, yes=True)
    assert outside.exists()
    assert told["asked"] == ["Bash"]


def test_claude_the_profile_is_the_programs_word(sandbox: Sandbox) -> None:
    with talking(Turn((claude_bash("git push --force origin main"),))) as model:
        claude(sandbox, model, yes=True, profile="squad")
        (result,) = model.results()
    assert result.refused
    assert "git.force-push" in result.text
