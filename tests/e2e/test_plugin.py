"""Tests the plugin for Claude Code, installed from the marketplace file of this repository by the real client's own commands."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from e2e.claude_session import Sandbox, bash, turn
from toolgate.canary.claude_code import build_environment

pytestmark = pytest.mark.e2e
ROOT = Path(__file__).parents[2]


def claude(sandbox: Sandbox, *words: str) -> str:
    result = subprocess.run(
        [str(sandbox.program), *words],
        cwd=sandbox.project,
        env=build_environment(os.environ, str(sandbox.home), "http://127.0.0.1:9"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def install_plugin(sandbox: Sandbox) -> None:
    claude(sandbox, "plugin", "marketplace", "add", str(ROOT))
    claude(sandbox, "plugin", "install", "toolgate@toolgate")
    assert "toolgate" in claude(sandbox, "plugin", "list")


def test_the_plugin_is_installed_and_denies(sandbox: Sandbox) -> None:
    own = sandbox.home / ".local" / "bin" / "toolgate-hook"
    own.parent.mkdir(parents=True)
    own.symlink_to(Path(sys.executable).parent / "toolgate-hook")
    install_plugin(sandbox)
    outcome = sandbox.talk(turn(bash("touch harmless")), turn(bash("touch made; git push --force origin main")))
    assert sandbox.list_created() == {"harmless"}
    assert "force" in outcome.results[1].text.lower()


def test_without_toolgate_no_tool_runs(sandbox: Sandbox) -> None:
    install_plugin(sandbox)
    outcome = sandbox.talk(turn(bash("touch made")), environ={"PATH": "/usr/bin:/bin"})
    assert sandbox.list_created() == set()
    assert "pipx install toolgate" in outcome.results[0].text


def test_the_manifests_have_the_version_of_the_package() -> None:
    version = json.loads((ROOT / "clients" / "claude-plugin" / ".claude-plugin" / "plugin.json").read_text())["version"]
    assert f'\nversion = "{version}"\n' in (ROOT / "pyproject.toml").read_text()
    assert json.loads((ROOT / "clients" / "node" / "package.json").read_text())["version"] == version
