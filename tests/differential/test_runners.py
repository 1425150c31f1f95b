"""Compares what runners run of a project's code with what the gate reads of it (runner_projects.toml)."""

import os
import sys
from pathlib import Path

import pytest

from differential.runner_projects import Project, judge, load_projects, run
from toolgate.model.decision import Verdict

PATH = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
EVERYWHERE = ("npm", "node", "make", "python", "pip", "pytest", "unittest")
"""Runners that every machine has on which the project is built. TOOLGATE_RUNNERS=all compares every runner that is installed."""
PROJECTS = [
    project
    for project in load_projects()
    if project.is_runnable(PATH) and (project.runner in EVERYWHERE or os.environ.get("TOOLGATE_RUNNERS") == "all")
]
ROWS = [(project, command) for project in PROJECTS for command in project.commands]


@pytest.mark.parametrize(("project", "command"), ROWS, ids=[f"{project.runner}: {command}" for project, command in ROWS])
def test_what_runs_is_read(project: Project, command: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    environ = {"PATH": PATH, "HOME": str(home), "LC_ALL": "C.UTF-8", "PIP_NO_INDEX": "1"}
    environ |= {"npm_config_offline": "true", "npm_config_prefix": str(home)}
    environ |= {name: os.environ[name] for name in ("RUSTUP_HOME", "RUSTUP_TOOLCHAIN") if name in os.environ}
    ran, output = run(project, command, tmp_path / "real", environ)
    assert ran, output
    files = project.markers()
    verdicts = {marker: judge(project, command, tmp_path / "judged" / marker, marker) for marker in files}
    stopped = {marker for marker, verdict in verdicts.items() if verdict >= Verdict.ASK}
    loaded = {files[marker] for marker in ran}
    assert ran - stopped <= set(project.unread), output
    assert {marker for marker in stopped if files[marker] not in loaded} <= set(project.overread), output
    assert judge(project, command, tmp_path / "innocent") < Verdict.ASK
