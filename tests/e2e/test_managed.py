"""The managed tier in the real client: what a user, a project or a flag switches off is still asked. On a copy of /etc."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from e2e.claude_session import SECONDS, Sandbox, bash
from e2e.test_installed import TOOLGATE
from toolgate.canary.claude_code import surroundings
from toolgate.canary.script import Turn
from toolgate.canary.scripted_model import ScriptedModel
from unit.install.private_machine import SCRIPT, SETTINGS, demand_namespaces

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize("arguments", [["--bare"], ["--safe-mode"], ["--settings", '{"disableAllHooks": true}'], []])
def test_no_flag_and_no_project_takes_it_away(arguments: list[str], sandbox: Sandbox) -> None:
    demand_namespaces()
    (sandbox.project / ".claude" / "settings.json").write_text('{"disableAllHooks": true}')
    inside = f'{" ".join(TOOLGATE)} install claude-code --scope managed >/dev/null 2>&1 || exit 9; exec "$@"'
    with ScriptedModel([Turn((bash("touch ran; echo x >> ~/.bashrc"),)), Turn((bash("touch harmless"),))], {}) as model:
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
        done = subprocess.run(
            [*words, *client],
            cwd=sandbox.project,
            env=surroundings(os.environ, str(sandbox.home), model.url),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        refused, ran = model.results()
    assert (refused.refused, ran.refused) == (True, False)
    assert sandbox.made() == {"harmless"}
    assert not Path(SETTINGS).exists(), "the machine's own /etc was never touched"
