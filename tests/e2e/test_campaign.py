"""Tests an unattended campaign and the launcher in the real client, by what is on the disk afterwards."""

import json
import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from e2e.claude_session import SECONDS, TOOLGATE, Sandbox, bash, run_toolgate, turn
from e2e.terminal import terminal
from e2e.test_installed import keep
from toolgate.canary.claude_code import build_environment
from toolgate.canary.scripted_model import ScriptedModel
from toolgate.canary.scripted_server import CallResult, ScriptedCall, ScriptedTurn

pytestmark = pytest.mark.e2e


def run_launcher(
    sandbox: Sandbox, *turns: ScriptedTurn, options: tuple[str, ...] = (), arguments: tuple[str, ...] = ()
) -> tuple[int, list[CallResult], str]:
    """Runs `toolgate run -- claude -p go`. Returns the exit code, the results that the model received, and the output."""
    with ScriptedModel(turns, {}) as model:
        environ = build_environment(os.environ, str(sandbox.home), model.url)
        environ = {**environ, "PATH": f"{sandbox.program.parent}:{environ['PATH']}"}
        words = [*TOOLGATE, "run", *options, "--", "claude", "-p", "go", *arguments]
        result = subprocess.run(
            words,
            cwd=sandbox.project,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    return result.returncode, model.call_results(), result.stdout + result.stderr


def write(path: Path) -> ScriptedCall:
    return ScriptedCall("Write", {"file_path": str(path), "content": "x"})


@pytest.fixture
def campaign(sandbox: Sandbox) -> Path:
    """A sandbox with the campaign's folder and a program that its plan names."""
    program = sandbox.project / "blis"
    program.write_text("#!/bin/sh\ntouch ran\n")
    program.chmod(0o755)
    plan = sandbox.root / "experiment_plan.yaml"
    plan.write_text("arms: [{arm_id: a, conditions: [{command: ./blis run}]}]\n")
    result = run_toolgate(sandbox, "settings", "init", "--repo", str(sandbox.project), "--run", "7", "--plan", str(plan))
    assert result.returncode == 0, result.stderr
    return sandbox.project / ".nous" / "7"


def test_nothing_is_written_outside_of_a_campaign(sandbox: Sandbox, campaign: Path) -> None:
    """With the settings alone, as a program that does not use the launcher starts the client."""
    outside = keep(sandbox.root / "outside")
    settings = campaign / ".claude" / "settings.json"
    outcome = sandbox.talk(
        turn(write(outside / "w")),
        turn(bash(f"echo x > {outside}/b")),
        turn(bash(f"python3 -c \"open('{outside}/p', 'w')\"")),
        turn(ScriptedCall("Read", {"file_path": str(outside / "kept")})),
        turn(bash(f"cat {outside}/kept")),
        turn(bash("curl https://127.0.0.1:9/")),
        turn(write(campaign / "notes")),
        turn(write(sandbox.project / "notes")),
        turn(bash("./blis run")),
        mode="",
        arguments=("--settings", str(without_hooks(settings, sandbox.root))),
    )
    assert [path.name for path in outside.iterdir()] == ["kept"]
    assert [result.refused for result in outcome.results] == [True] * 6 + [False] * 3
    assert (campaign / "notes").exists()
    assert {"notes", "ran"} <= sandbox.list_created()


def without_hooks(settings: Path, folder: Path) -> Path:
    """Returns the settings without their hooks."""
    whole: dict[str, Any] = json.loads(settings.read_text())
    path = folder / "bare.json"
    path.write_text(json.dumps({key: value for key, value in whole.items() if key not in ("hooks", "disableAllHooks")}))
    return path


def test_the_launcher_takes_the_place_of_the_bypass(sandbox: Sandbox, campaign: Path) -> None:
    outside = keep(sandbox.root / "outside")
    settings = str(campaign / ".claude" / "settings.json")
    (sandbox.project / ".claude" / "settings.json").write_text('{"disableAllHooks": true}')
    code, results, printed = run_launcher(
        sandbox,
        turn(write(outside / "w")),
        turn(bash("git push --force origin main")),
        turn(write(sandbox.project / "notes")),
        options=("--strict",),
        arguments=("--dangerously-skip-permissions", "--settings", settings),
    )
    assert code == 0, printed
    assert [path.name for path in outside.iterdir()] == ["kept"]
    assert [result.refused for result in results] == [True, True, False]
    assert "force-push" in results[1].text  # the gate's own words: a project that switches hooks off did not
    assert "--dangerously-skip-permissions is left out" in printed


def test_settings_that_are_emptied_on_the_way_change_nothing(sandbox: Sandbox) -> None:
    """The client reads the launcher's file once; what a project changes during the session has no effect."""
    work = keep(sandbox.home / "work")

    def empty_settings() -> None:
        for path in (sandbox.home / ".config" / "toolgate" / "launcher").iterdir():
            path.write_text("{}")
        (sandbox.project / ".claude" / "settings.json").write_text('{"disableAllHooks": true}')

    _, results, _ = run_launcher(
        sandbox, turn(bash("true")), ScriptedTurn((bash("true"),), empty_settings), turn(bash("rm -rf ~/work; touch ~/made"))
    )
    assert results[-1].refused
    assert (work / "kept").exists()


def test_no_client_is_started_without_the_gate(sandbox: Sandbox) -> None:
    (sandbox.home / ".config").write_text("a file where a folder should be")
    code, results, printed = run_launcher(sandbox, turn(bash("touch started")))
    assert (code, results, sandbox.list_created()) == (65, [], set()), printed


def test_without_the_gate_only_for_a_person_and_on_record(sandbox: Sandbox) -> None:
    """A number is typed at a terminal of their own; the client is ended when its time is over."""
    program = sandbox.root / "claude"
    program.write_text(f'#!/bin/sh\necho "$@" >{sandbox.root}/started\nexec sleep 60\n')
    program.chmod(0o755)
    run = shlex.join([*TOOLGATE, "run", "--no-hooks", "--for", "0.1", "--reason", "the gate is upgraded", "--", str(program)])
    environ = [f"HOME={sandbox.home}", f"PATH={os.environ['PATH']}", "TERM=xterm-256color"]
    words = ["env", "-i", *environ, "sh", "-c", f"{run}; echo code $?; sleep 60"]
    with terminal(words, sandbox.project) as session_terminal:
        screen = session_terminal.wait_until(lambda screen: "Type " in screen)
        assert "nothing stands between the agent and this machine" in screen
        assert not (sandbox.root / "started").exists()
        number = re.findall(r"Type (\d{4}) to start", screen)[0]
        session_terminal.press_keys(number, "Enter")
        session_terminal.wait_until(lambda screen: "code 124" in screen and "the client was ended" in screen)
    assert (sandbox.root / "started").read_text() == '--settings {"disableAllHooks": true}\n'
    (file,) = (sandbox.home / ".local/state/toolgate/audit").glob("*.jsonl")
    record = json.loads(file.read_text())
    assert (record["tool"], record["operation"]) == ("run --no-hooks", str(program))
    assert record["reason"] == "without the gate for 0.1 minutes: the gate is upgraded"
