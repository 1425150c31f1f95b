"""What runners run of a project's code, against what the gate reads of it (runner_projects.toml)."""

import os
import sys
from pathlib import Path

import pytest

from differential.runner_projects import Project, judge, load_projects, run
from toolgate.model.decision import Verdict

PATH = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
ROWS = [(project, command) for project in load_projects() for command in project.commands]


@pytest.mark.parametrize(("project", "command"), ROWS, ids=[f"{project.runner}: {command}" for project, command in ROWS])
def test_what_runs_is_read(project: Project, command: str, tmp_path: Path) -> None:
    if not project.is_runnable(PATH):
        pytest.skip(f"{project.runner} is not installed")
    home = tmp_path / "home"
    home.mkdir()
    environ = {"PATH": PATH, "HOME": str(home), "LC_ALL": "C.UTF-8", "npm_config_offline": "true"}
    ran, output = run(project, command, tmp_path / "real", environ)
    assert ran, output
    stopped = {
        marker for marker in project.markers() if judge(project, command, tmp_path / "judged" / marker, marker) >= Verdict.ASK
    }
    assert ran - stopped == set(project.unread or {}) & ran, output
    assert stopped - ran == set(project.unrun or {}) - ran, output
    assert judge(project, command, tmp_path / "innocent") < Verdict.ASK
