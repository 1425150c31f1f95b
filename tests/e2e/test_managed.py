"""Tests the managed tier in the real client, on a copy of /etc: the gate is called even if a user, a project or a flag switches
hooks off.
"""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from e2e import clients
from e2e.claude_session import SECONDS, TOOLGATE, Sandbox, bash
from toolgate.canary.claude_code import build_environment
from toolgate.canary.client import Client, Launch
from toolgate.canary.scripted_model import ScriptedModel
from toolgate.canary.scripted_server import ScriptedTurn
from toolgate.machine.supervision import STATE_FOLDER
from unit.install.private_machine import ALONE, SCRIPT, SETTINGS, demand_namespaces

pytestmark = pytest.mark.e2e
STAND_IN = SCRIPT.parent / "stand_in"


@pytest.mark.parametrize("arguments", [["--bare"], ["--safe-mode"], ["--settings", '{"disableAllHooks": true}'], []])
def test_no_flag_and_no_project_takes_it_away(arguments: list[str], sandbox: Sandbox) -> None:
    demand_namespaces()
    (sandbox.project / ".claude" / "settings.json").write_text('{"disableAllHooks": true}')
    inside = f'{" ".join(TOOLGATE)} install claude-code --scope managed >/dev/null 2>&1 || exit 9; exec "$@"'
    with ScriptedModel(
        [ScriptedTurn((bash("touch ran; echo x >> ~/.bashrc"),)), ScriptedTurn((bash("touch harmless"),))], {}
    ) as model:
        client = [str(sandbox.program), "-p", "go", "--dangerously-skip-permissions", *arguments]
        words = [
            "unshare",
            "-m",
            "sh",
            str(SCRIPT),
            str(sandbox.root),
            os.path.realpath(sys.executable),
            "sh",
            "-c",
            inside,
            "sh",
        ]
        result = subprocess.run(
            [*words, *client],
            cwd=sandbox.project,
            env=build_environment(os.environ, str(sandbox.home), model.url),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert result.returncode == 0, result.stdout + result.stderr
        refused, ran = model.call_results()
    assert (refused.refused, ran.refused) == (True, False)
    assert sandbox.list_created() == {"harmless"}
    assert not Path(SETTINGS).exists(), "the machine's own /etc was never touched"


@pytest.mark.parametrize("host", ["gemini", "qwen"])
def test_a_host_without_settings_of_its_user_is_guarded_by_the_managed_ones(host: str, sandbox: Sandbox) -> None:
    demand_namespaces()
    client: Client = import_module(f"toolgate.canary.{host}").CLIENT
    program = getattr(clients, host)()
    inside = f'{" ".join(TOOLGATE)} install {host} --scope managed >/dev/null 2>&1 || exit 9; exec "$@"'
    calls = (client.shell("touch ran; echo x >> ~/.bashrc"), client.shell("touch harmless"))
    with client.model([ScriptedTurn((call,)) for call in calls], {}) as model:
        environ = {"PATH": f"{clients.node()}:{os.environ['PATH']}"}
        words, variables = client.prepare(Launch(str(program), environ, sandbox.home, sandbox.project, model.url))
        script = [
            "unshare",
            "-m",
            "sh",
            str(SCRIPT),
            str(sandbox.root),
            os.path.realpath(sys.executable),
            "sh",
            "-c",
            inside,
            "sh",
        ]
        result = subprocess.run(
            [*script, *words],
            cwd=sandbox.project,
            env=variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert result.returncode == 0, result.stdout + result.stderr
        refused, _ = model.call_results()
    assert ".bashrc" in refused.text
    assert sandbox.list_created() == {"harmless"}


def test_an_agent_on_another_account_is_judged_by_the_supervisor(sandbox: Sandbox) -> None:
    """It is stopped as usual, and can reach nothing of what stops it; the record belongs to another account."""
    demand_namespaces()
    places = f"/etc/toolgate/* /etc/claude-code/* /run/toolgate/* {STATE_FOLDER}"
    reach = f"for each in {places}; do echo x >> $each && touch reached; done 2>/dev/null"
    calls = [bash("git push --force"), bash(f"touch ran; {reach}; ls {STATE_FOLDER} && touch looked"), bash("touch harmless")]
    setup = " && ".join(
        (
            "mkdir -p /run/systemd/system",
            f"PATH={STAND_IN}:$PATH",
            f"{' '.join(TOOLGATE)} install claude-code --scope managed >/dev/null 2>&1",
            f"chown -R 12345:12345 {sandbox.root}/home {sandbox.project}",
            f"chmod a+rx {sandbox.root}",
        )
    )
    record = f"cat {STATE_FOLDER}/users/12345/audit/*"
    inside = f'{setup} || exit 9; setpriv --reuid 12345 --regid 12345 --clear-groups -- "$@"; code=$?; {record} >&2; exit $code'
    with ScriptedModel([ScriptedTurn((call,)) for call in calls], {}) as model:
        client = [str(sandbox.program), "-p", "go", "--dangerously-skip-permissions"]
        python = os.path.realpath(sys.executable)
        words = [*ALONE, "sh", str(SCRIPT), str(sandbox.root), python, "sh", "-c", inside, "sh"]
        result = subprocess.run(
            [*words, *client],
            cwd=sandbox.project,
            env=build_environment(os.environ, str(sandbox.home), model.url),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert result.returncode == 0, result.stdout + result.stderr
        refused = [each.refused for each in model.call_results()]
    assert refused == [True, True, False]
    assert sandbox.list_created() == {"harmless"}
    assert '"git.force-push"' in result.stderr, "recorded where the agent's account cannot write"
