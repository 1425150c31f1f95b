"""The gate's plugin in the real OpenCode: what each answer and each failure comes to, on disk and in what the model is told."""

import json
import os
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from e2e import clients
from e2e.conftest import SANDBOXES
from e2e.opencode_session import OpenCodeSandbox, bash
from toolgate.canary import Trial, load_proof
from toolgate.canary.scripted_server import ScriptedCall, ScriptedTurn
from toolgate.hosts.capabilities import load_capabilities
from toolgate.install import apply_plan, own_command, plan_uninstall
from toolgate.transport.running_daemons import find_daemons, stop_daemon

pytestmark = pytest.mark.e2e
TOKEN = "ghp_" + "Zq7Wm2Kx9Rt4Yp1Vb6Nc3Hd8Lf5Gs0Ja7Qu2"
DECLARED = load_capabilities("opencode").sections


@pytest.fixture
def opencode() -> Iterator[OpenCodeSandbox]:
    SANDBOXES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=SANDBOXES, ignore_cleanup_errors=True) as root:
        sandbox = OpenCodeSandbox(Path(root), clients.opencode()).ready()
        yield sandbox
        for daemon in find_daemons(str(sandbox.home / ".cache" / "toolgate" / "run")):
            stop_daemon(daemon)


def test_the_client_is_the_one_that_was_measured() -> None:
    assert clients.version(clients.opencode()) == load_capabilities("opencode").version


def test_a_deny_denies_and_a_gate_that_is_gone_lets_nothing_through(tmp_path: Path) -> None:
    trial = Trial(own_command(), str(clients.opencode()), os.environ, str(tmp_path / "cache"), lambda _: None)
    proof = load_proof("opencode")(trial)
    assert proof.holds, proof.told


def test_what_each_answer_becomes(opencode: OpenCodeSandbox) -> None:
    """One conversation: pass, ask, deny, a folder of its own, files, a patch of a plugin, redaction, a server's tool."""
    home, project = opencode.home, opencode.project
    opencode.policy('log = "decisions"\n[rules."git.force-push"]\nverdict = "warn"\n')
    (project / "notes").write_text(f"token = {TOKEN}\n")
    (project / "keys").write_text(f"key = {TOKEN}\n")
    calls = {
        "pass": bash("touch passed"),
        "ask": bash(f"touch {home}/outside"),
        "deny": bash("rm -rf ~"),
        "warn": bash("git push --force; true"),
        "its own folder": bash("touch here", workdir=str(home)),
        "write": ScriptedCall("write", {"filePath": str(home / ".bashrc"), "content": "x"}),
        "another plugin": ScriptedCall(
            "write", {"filePath": str(opencode.plugin.parent / "mine.js"), "content": "export const A = 1"}
        ),
        "redact": bash("cat notes"),
        "redact a file": ScriptedCall("read", {"filePath": str(project / "keys")}),
        "MCP": ScriptedCall("stub_peek", {"path": str(home / ".ssh" / "id_rsa")}),
        "redact MCP": ScriptedCall("stub_peek", {"path": str(project / "notes")}),
        "edit": ScriptedCall("edit", {"filePath": str(project / "notes"), "oldString": "token", "newString": "name"}),
    }
    said = opencode.talk(*(ScriptedTurn((use,)) for use in calls.values()))
    told = dict(zip(calls, (each.text for each in said.results), strict=True))
    assert (project / "passed").exists()
    assert not (home / "outside").exists()
    assert "outside the project" in told["ask"]
    assert "lets no hook ask" in told["ask"]
    assert home.exists()
    assert "[filesystem.delete-protected]" in told["deny"]
    assert not (home / "here").exists()
    assert not (home / ".bashrc").exists()
    assert ".bashrc" in told["write"]
    assert not (opencode.plugin.parent / "mine.js").exists()
    assert "SECRET" not in told["MCP"]
    assert TOKEN not in said.heard
    assert "token = " in told["redact"]
    assert "key = " in told["redact a file"]
    assert "token = " in told["redact MCP"]
    assert (project / "notes").read_text() == f"name = {TOKEN}\n"
    kept = records(opencode)
    assert any(each["verdict"] == "warn" for each in kept)
    assert {"bash", "write", "edit", "read", "stub_peek"} <= {each["tool"] for each in kept}


def records(opencode: OpenCodeSandbox) -> list[dict[str, Any]]:
    audit = opencode.home / ".local/state/toolgate/audit"
    return [json.loads(line) for file in audit.glob("*.jsonl") for line in file.read_text().splitlines() if '"verdict"' in line]


def test_an_agent_within_the_agent_is_judged_too(opencode: OpenCodeSandbox) -> None:
    key = opencode.home / ".ssh" / "authorized_keys"
    task = {"description": "d", "prompt": "INNER: go", "subagent_type": "general"}
    inner = (ScriptedTurn((bash(f"mkdir -p ~/.ssh; echo key >> {key}"),)),)
    opencode.policy('log = "decisions"\n')
    opencode.talk(ScriptedTurn((ScriptedCall("task", task),)), threads={"INNER": inner})
    assert not key.exists()
    denied = [each for each in records(opencode) if each["verdict"] == "deny"]
    assert any(each["agent"] for each in denied), denied
    assert len({each["session"] for each in records(opencode)}) == 1


def test_a_rewritten_call_runs_as_it_was_rewritten(opencode: OpenCodeSandbox) -> None:
    opencode.policy("wrap_commands = true\n")
    (opencode.project / "notes").write_text(f"token = {TOKEN}\n")
    said = opencode.talk(ScriptedTurn((bash("cat notes; touch ran"),)))
    assert (opencode.project / "ran").exists()
    assert TOKEN not in said.heard + said.output


FAULTS = {
    "crash": "exit 1",
    "bad output": "echo hello",
    "no output": "true",
    "hang": "exec sleep 60",
    "unknown key": """echo '{"decision": "pass", "unheard-of": 1}'""",
    "missing program": None,
}


def test_when_the_gate_itself_breaks(opencode: OpenCodeSandbox) -> None:
    """One conversation: the plugin starts the gate's program for each call, whatever it is by then."""
    opencode.break_gate("true")
    turns = [
        ScriptedTurn((bash(f"touch {number}"),), partial(opencode.break_gate, FAULTS[fault]))
        for number, fault in enumerate(FAULTS)
    ]
    said = opencode.talk(*turns)
    for number, fault in enumerate(FAULTS):
        ran = (opencode.project / str(number)).exists()
        assert ran is (DECLARED["faults"][fault] == "harmless"), fault
        assert ran or "toolgate doctor" in said.results[number].text


def test_a_plugin_without_its_package_refuses_and_tells_why(opencode: OpenCodeSandbox) -> None:
    text = opencode.plugin.read_text()
    opencode.plugin.write_text(text.replace("/clients/node/index.js", "/nowhere/index.js"))
    said = opencode.talk(ScriptedTurn((bash("touch ran"),)))
    assert not (opencode.project / "ran").exists()
    assert "toolgate install opencode" in said.results[0].text


def test_what_goes_past_the_gate_is_as_the_page_says(opencode: OpenCodeSandbox) -> None:
    """`--pure` loads no plugin, and neither does a home that the gate was taken out of."""
    opencode.break_gate("exit 1")
    opencode.talk(ScriptedTurn((bash("touch pure"),)), flags=("--pure",))
    assert (opencode.project / "pure").exists()
    scopes = ("user", "project")
    apply_plan(plan_uninstall("opencode", scopes, str(opencode.home), str(opencode.project), {}), str(opencode.root / "backups"))
    assert not opencode.plugin.exists()
    opencode.talk(ScriptedTurn((bash("touch uninstalled"),)))
    assert (opencode.project / "uninstalled").exists()
