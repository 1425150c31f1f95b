"""Tests the gate at the real Codex's hooks: the results of each answer and each failure, on disk and in the model's input."""

import json
import os
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from e2e import clients
from e2e.codex_session import CodexSandbox, patch, shell
from e2e.conftest import SANDBOXES
from toolgate.canary import Trial, load_proof
from toolgate.canary.codex import AGENT_MODEL
from toolgate.canary.scripted_server import ScriptedCall, ScriptedTurn
from toolgate.hosts.capabilities import load_capabilities
from toolgate.install import add_trust_removal, apply_plan, own_command, plan_uninstall
from toolgate.transport.running_daemons import find_daemons, stop_daemon

pytestmark = pytest.mark.e2e
TOKEN = "ghp_" + "Zq7Wm2Kx9Rt4Yp1Vb6Nc3Hd8Lf5Gs0Ja7Qu2"
DECLARED = load_capabilities("codex").sections
CODE_MODE = "gpt-6.1-sol"
"""A model of the client's own list whose calls are made by a script."""


@pytest.fixture
def codex() -> Iterator[CodexSandbox]:
    SANDBOXES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=SANDBOXES, ignore_cleanup_errors=True) as root:
        sandbox = CodexSandbox(Path(root), clients.codex()).prepare()
        yield sandbox
        for daemon in find_daemons(str(sandbox.home / ".cache" / "toolgate" / "run")):
            stop_daemon(daemon)


def test_the_client_is_the_one_that_was_measured() -> None:
    assert clients.version(clients.codex()) == load_capabilities("codex").version


def test_a_deny_denies(tmp_path: Path) -> None:
    trial = Trial(own_command(), str(clients.codex()), os.environ, str(tmp_path / "cache"), lambda _: None)
    proof = load_proof("codex")(trial)
    assert proof.holds, proof.told


def test_the_client_trusts_what_the_installation_recorded(codex: CodexSandbox) -> None:
    """Compares the client's own list, also after one definition is changed."""
    (before,) = codex.app_server(("hooks/list", {"cwds": [str(codex.project)]}))
    assert set(statuses(before)) == {"trusted"}
    settings = json.loads(codex.hooks.read_text())
    settings["hooks"]["PreToolUse"][0]["hooks"][0]["timeout"] = 9
    codex.hooks.write_text(json.dumps(settings))
    (after,) = codex.app_server(("hooks/list", {"cwds": [str(codex.project)]}))
    assert sorted(set(statuses(after))) == ["modified", "trusted"]


def statuses(answer: Any) -> list[str]:
    return [hook["trustStatus"] for folder in answer["data"] for hook in folder["hooks"]]


def test_what_each_answer_becomes(codex: CodexSandbox) -> None:
    """One conversation: pass, ask, deny, a folder of its own, patches, redaction, a server's tool, a shell that is typed into."""
    home, project = codex.home, codex.project
    codex.policy('log = "decisions"\n[rules."git.force-push"]\nverdict = "warn"\n')
    (project / "notes").write_text(f"token = {TOKEN}\n")
    calls = {
        "pass": shell("touch passed"),
        "ask": shell(f"touch {home}/outside"),
        "deny": shell("rm -rf ~"),
        "warn": shell("git push --force; touch warned"),
        "its own folder": shell("touch here", workdir=str(home)),
        "patch": patch("*** Add File: made.txt\n+hello"),
        "patch outside": patch(f"*** Add File: {home}/.bashrc\n+x"),
        "patch in a shell": shell(f"apply_patch <<'E'\n*** Begin Patch\n*** Add File: {home}/.profile\n+x\n*** End Patch\nE\n"),
        "its own hooks": patch(f"*** Delete File: {codex.hooks}"),
        "redact": shell("cat notes"),
        "redact a failure": shell("cat notes; false"),
        "MCP": ScriptedCall("mcp__stub.peek", {"path": str(home / ".ssh" / "id_rsa")}),
        "redact MCP": ScriptedCall("mcp__stub.peek", {"path": str(project / "notes")}),
        "a shell to type into": shell("bash", tty=True, yield_time_ms=300),
    }
    outcome = codex.talk(*(ScriptedTurn((use,)) for use in calls.values()))
    text_by_call = dict(zip(calls, (each.text for each in outcome.results), strict=True))
    refused = {name for name, each in zip(calls, outcome.results, strict=True) if each.refused}
    stopped = {
        "ask",
        "deny",
        "its own folder",
        "patch outside",
        "patch in a shell",
        "its own hooks",
        "MCP",
        "a shell to type into",
    }
    assert refused == stopped
    assert (project / "passed").exists()
    assert (project / "warned").exists()
    assert (project / "made.txt").read_text() == "hello\n"
    assert codex.hooks.exists()
    assert not [name for name in ("outside", "here", ".bashrc", ".profile") if (home / name).exists()]
    assert "outside the project" in text_by_call["ask"]
    assert load_capabilities("codex").no_question in text_by_call["ask"]
    assert "[filesystem.delete-protected]" in text_by_call["deny"]
    assert TOKEN not in outcome.heard
    assert all("token = " in text_by_call[name] for name in ("redact", "redact a failure", "redact MCP"))
    new_records = records(codex)
    assert any(each["verdict"] == "warn" for each in new_records)
    assert {"Bash", "apply_patch", "mcp__stub__peek"} <= {each["tool"] for each in new_records}


def records(codex: CodexSandbox) -> list[dict[str, Any]]:
    audit = codex.home / ".local/state/toolgate/audit"
    return [json.loads(line) for file in audit.glob("*.jsonl") for line in file.read_text().splitlines() if '"verdict"' in line]


def test_what_a_script_calls_is_judged_call_by_call(codex: CodexSandbox) -> None:
    """In code mode no hook sees the script itself."""
    key = codex.home / ".ssh" / "authorized_keys"
    script = f"await tools.exec_command({{cmd: 'touch passed'}}); await tools.exec_command({{cmd: 'mkdir ~/.ssh; touch {key}'}});"
    codex.talk(ScriptedTurn((ScriptedCall("functions.exec", {"text": script}),)), model=CODE_MODE)
    assert (codex.project / "passed").exists()
    assert not key.exists()


def test_an_agent_within_the_agent_is_judged_too(codex: CodexSandbox) -> None:
    key = codex.home / ".ssh" / "authorized_keys"
    inner = (ScriptedTurn((shell(f"mkdir -p ~/.ssh; echo key >> {key}"),)),)
    codex.policy('log = "decisions"\n')
    spawn = ScriptedCall("multi_agent_v1.spawn_agent", {"message": "INNER: write"})
    codex.talk(ScriptedTurn((spawn,)), ScriptedTurn((shell("sleep 4"),)), threads={"INNER: write": inner}, model=AGENT_MODEL)
    assert not key.exists()
    denied = [each for each in records(codex) if each["verdict"] == "deny"]
    assert any(each["agent"] for each in denied), records(codex)


FAULTS = {
    "crash": "exit 1",
    "bad output": "echo '{'",
    "no output": "true",
    "unknown key": """echo '{"decision": "block", "reason": "no", "unheard-of": 1}'""",
    "hang": "exec sleep 60",
    "missing program": None,
}


def test_when_the_gate_itself_breaks(codex: CodexSandbox) -> None:
    """One conversation: the client starts the program for each call, and runs the call whatever happens to the program."""
    codex.stand_in("true")
    program = codex.root / "toolgate-hook"

    def become(script: str | None) -> None:
        if script is None:
            program.unlink()
        else:
            program.write_text(f'#!/bin/sh\ncase "$*" in *PreToolUse) {script};; esac\n')

    codex.talk(
        *(ScriptedTurn((shell(f"touch {number}"),), partial(become, FAULTS[fault])) for number, fault in enumerate(FAULTS))
    )
    for number, fault in enumerate(FAULTS):
        ran = (codex.project / str(number)).exists()
        assert DECLARED["faults"][fault] == ("open" if ran else "held"), fault


def test_what_is_not_trusted_is_skipped_and_what_is_taken_out_is_gone(codex: CodexSandbox) -> None:
    codex.stand_in("echo no >&2; exit 2")
    configuration = codex.home / ".codex" / "config.toml"
    trusted = configuration.read_text()
    codex.talk(ScriptedTurn((shell("touch held"),)))
    configuration.write_text("")
    codex.talk(ScriptedTurn((shell("touch skipped"),)))
    configuration.write_text(trusted)
    home, project, scopes = str(codex.home), str(codex.project), ("user", "project")
    plan = add_trust_removal(plan_uninstall("codex", scopes, home, project, {}), scopes, home, project, {})
    apply_plan(plan, str(codex.root / "backups"))
    codex.talk(ScriptedTurn((shell("touch uninstalled"),)))
    assert [name for name in ("held", "skipped", "uninstalled") if (codex.project / name).exists()] == ["skipped", "uninstalled"]
    assert not codex.hooks.exists()
    assert not configuration.exists()
