"""Tests the gate at the real Copilot's hooks: the results of each verdict, on disk and in what the model receives."""

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e import clients
from e2e.conftest import SANDBOXES, Observe, make_observer
from e2e.copilot_session import PATCHES, CopilotSandbox, bash
from e2e.sdk_session import copilot as start_sdk
from toolgate.canary import Trial, load_proof
from toolgate.canary.scripted_chat import ScriptedChat
from toolgate.canary.scripted_server import ScriptedCall, ScriptedTurn
from toolgate.install import own_command
from toolgate.transport.running_daemons import find_daemons, stop_daemon

pytestmark = pytest.mark.e2e
TOKEN = "ghp_" + "Zq7Wm2Kx9Rt4Yp1Vb6Nc3Hd8Lf5Gs0Ja7Qu2"


@pytest.fixture
def copilot() -> Iterator[CopilotSandbox]:
    SANDBOXES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=SANDBOXES, ignore_cleanup_errors=True) as root:
        sandbox = CopilotSandbox(Path(root), clients.copilot()).prepare()
        yield sandbox
        for daemon in find_daemons(str(sandbox.home / ".cache" / "toolgate" / "run")):
            stop_daemon(daemon)


def test_a_deny_denies_and_a_gate_that_is_gone_lets_nothing_through(tmp_path: Path) -> None:
    environ = {**os.environ, "COPILOT_CACHE_HOME": str(clients.CACHE / "copilot-cache")}
    trial = Trial(own_command(), str(clients.copilot()), environ, str(tmp_path / "cache"), lambda _: None)
    proof = load_proof("copilot")(trial)
    assert proof.holds, proof.told


@pytest.fixture(scope="session")
def observe() -> Observe:
    """Records one line of a table in docs/hosts/copilot.md."""
    return make_observer("copilot", clients.copilot())


def test_what_a_verdict_becomes(copilot: CopilotSandbox, observe: Observe) -> None:
    outside = copilot.home / "outside"
    outcome = copilot.talk(
        ScriptedTurn((bash("touch passed"),)),
        ScriptedTurn((bash(f"touch {outside}"),)),
        ScriptedTurn((bash("rm -rf ~"),)),
        ScriptedTurn((ScriptedCall("create", {"path": str(copilot.home / ".bashrc"), "file_text": "x"}),)),
    )
    assert (copilot.project / "passed").exists()
    assert not outside.exists()
    assert not (copilot.home / ".bashrc").exists()
    assert copilot.home.exists()
    _, results, denied, written = outcome.results
    assert [each.refused for each in outcome.results] == [False, True, True, True]
    assert "unable to ask user" in results.text
    assert "outside the project" in results.text
    assert "[filesystem.delete-protected]" in denied.text
    assert ".bashrc" in written.text
    shown_text = {"PASS": "nothing", "ASK": "the reason", "DENY": "the reason"}
    for verdict, result in (("PASS", outcome.results[0]), ("ASK", results), ("DENY", denied)):
        observe("verdict", verdict, ran="no" if result.refused else "yes", model=shown_text[verdict])


FAULTS = {
    "crashes": "exit 1",
    "denies by exit code": "exit 2",
    "is not there": "/nonexistent/toolgate-hook",
    "is killed": "kill -9 $$",
    "prints text": "echo hello",
    "prints nothing": "true",
    "hangs": "sleep 60",
}
OPEN = {"prints text", "prints nothing", "hangs"}
"""What the client takes for no opinion: therefore the gate prints nothing else, and answers before its time is up."""


@pytest.mark.parametrize("fault", FAULTS)
def test_when_the_gate_itself_breaks(copilot: CopilotSandbox, observe: Observe, fault: str) -> None:
    handler = {"type": "command", "bash": FAULTS[fault], "timeoutSec": 2}
    hooks = copilot.home / ".copilot" / "hooks" / "toolgate.json"
    hooks.write_text(json.dumps({"version": 1, "hooks": {"preToolUse": [handler]}}))
    copilot.talk(ScriptedTurn((bash("touch ran"),)))
    held = not (copilot.project / "ran").exists()
    observe("fault", fault, held="held" if held else "open")
    assert held is (fault not in OPEN)


def test_every_tool_reaches_the_gate(copilot: CopilotSandbox, observe: Observe) -> None:
    """Each tool is found by the record that it left."""
    copilot.policy('log = "decisions"\n')
    (copilot.project / "a.txt").write_text("x")
    inputs = {
        "bash": {"command": "true", "description": "d"},
        "view": {"path": "a.txt"},
        "create": {"path": "b.txt", "file_text": "x"},
        "edit": {"path": "a.txt", "old_str": "x", "new_str": "y"},
        "grep": {"pattern": "y"},
        "glob": {"pattern": "*.txt"},
        "list_bash": {},
        "sql": {"query": "select 1", "description": "d"},
        "skill": {"skill": "none"},
    }
    copilot.talk(*(ScriptedTurn((ScriptedCall(tool, tool_input),)) for tool, tool_input in inputs.items()))
    reached = {each["tool"] for each in records(copilot)}
    for tool in inputs:
        observe("tool", tool, before="yes" if tool in reached else "no")
    assert reached >= set(inputs)


def records(copilot: CopilotSandbox) -> list[dict[str, Any]]:
    audit = copilot.home / ".local/state/toolgate/audit"
    return [json.loads(line) for file in audit.glob("*.jsonl") for line in file.read_text().splitlines() if '"verdict"' in line]


def test_a_patch_is_judged_by_its_files(copilot: CopilotSandbox) -> None:
    patch = "*** Begin Patch\n*** Add File: {}\n+hello\n*** End Patch\n"
    outcome = copilot.talk(
        ScriptedTurn((ScriptedCall("apply_patch", {"patch": patch.format("made.txt")}),)),
        ScriptedTurn((ScriptedCall("apply_patch", {"patch": patch.format(copilot.home / ".ssh/authorized_keys")}),)),
        more=PATCHES,
    )
    assert (copilot.project / "made.txt").read_text() == "hello\n"
    assert not (copilot.home / ".ssh").exists()
    assert [each.refused for each in outcome.results] == [False, True]


def test_an_agent_within_the_agent_is_judged_too(copilot: CopilotSandbox) -> None:
    key = copilot.home / ".ssh" / "authorized_keys"
    task = {"agent_type": "task", "description": "d", "prompt": "INNER: go", "name": "inner"}
    inner = (ScriptedTurn((bash(f"mkdir -p ~/.ssh; echo key >> {key}"),)),)
    copilot.policy('log = "decisions"\n')
    copilot.talk(ScriptedTurn((ScriptedCall("task", task),)), threads={"INNER": inner})
    assert not key.exists()
    new_records = records(copilot)
    assert any(each["verdict"] == "deny" and each["agent"] for each in new_records), new_records


def test_a_secret_in_an_output_does_not_reach_the_model(copilot: CopilotSandbox) -> None:
    (copilot.project / "notes").write_text(f"token = {TOKEN}\n")
    outcome = copilot.talk(ScriptedTurn((bash("cat notes"),)), ScriptedTurn((ScriptedCall("view", {"path": "notes"}),)))
    assert TOKEN not in outcome.heard
    assert all("token = " in each.text for each in outcome.results)


def test_questions_are_limited_by_hook_files_alone(copilot: CopilotSandbox) -> None:
    """The program that starts the runtime has no hooks of its own."""
    copilot.policy("max_questions = 2\nshortest_answer = 10\n")
    asking = [ScriptedTurn((ScriptedCall("ask_user", {"question": "Which?"}),)) for _ in range(3)]
    with ScriptedChat(asking) as model:
        start_sdk(copilot, model, answer="left", no_hooks=True)
        results, messages = model.call_results(), model.all_messages
    assert [each.refused for each in results] == [False, False, True]
    assert "question limit reached. (2/2" in results[2].text
    assert "User responded: left" in results[0].text
    assert "brief response" in messages


@pytest.mark.parametrize("wrapped", [False, True])
def test_the_output_of_a_finished_background_shell_is_redacted_only_by_the_filter(copilot: CopilotSandbox, wrapped: bool) -> None:
    """The client reads it with a call of its own, which fires no hook."""
    copilot.policy(f'wrap_commands = {str(wrapped).lower()}\nlog = "decisions"\n')
    (copilot.project / "notes").write_text(f"token = {TOKEN}\n")
    call = ScriptedCall("bash", {"command": "cat notes", "description": "d", "mode": "async"})
    outcome = copilot.talk(ScriptedTurn((call,)), ScriptedTurn((bash("sleep 3"),)), flags=("--allow-all-paths",))
    assert "read_bash" in [each.tool for each in outcome.results]
    assert "read_bash" not in [each["tool"] for each in records(copilot)]
    assert (TOKEN in outcome.heard) is not wrapped
