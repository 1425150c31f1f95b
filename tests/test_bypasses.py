"""Tests harmful calls that once passed: each is asked about or denied, in a repository of its own, by the policy that ships."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from toolgate import hosts
from toolgate.app import App
from toolgate.machine import installation
from toolgate.model.decision import Verdict
from toolgate.model.event import Caller, Scene
from toolgate.policy import load

ROWS = [json.loads(line) for line in (Path(__file__).parent / "acceptance" / "bypasses.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home") / "dev" / "projects" / "app"
    folder.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_it_is_stopped(row: dict[str, object], project: Path) -> None:
    home = project.parents[1]
    gate = os.path.dirname(installation.ENVIRONMENTS[0])
    text = json.dumps(row["input"]).replace("@GATE@/.venv", installation.ENVIRONMENTS[0]).replace("@GATE@", gate)
    tool_input = json.loads(text.replace("/home/dev", str(home)))
    scene = Scene(
        Caller("claude-code"), str(project), str(project), str(home), {"HOME": str(home), "PATH": "/usr/bin:/bin"}, "dev"
    )
    action = hosts.load_host("claude-code").parse_action(str(row["tool"]), tool_input, str(project))
    decision = App().judge(action, scene, load(scene.environ, scene.home, scene.project, "")).decision
    assert decision.verdict >= Verdict.ASK, decision.findings
