"""Cost of deploying the gate before agents start: whole `toolgate deploy` processes, by the number of folders."""

import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from measuring import BARE, child_cpu, interleave, ratio

from toolgate.designs.safety_hook.deployment import HOOK_PATH

Figure = Callable[..., None]
DEPLOY = (sys.executable, "-I", "-X", "utf8", "-m", "toolgate", "deploy")
ROUNDS = 7


@pytest.mark.parametrize(("many", "gate"), [(1, 60), (8, 150), (64, 700)])
def test_deploy(tmp_path: Path, figure: Figure, many: int, gate: float) -> None:
    """Into new projects; again, with nothing to change; and with every script changed by somebody."""
    home = tmp_path / "home"
    home.mkdir()
    projects = [tmp_path / f"project-{n}" for n in range(many)]
    environ = {"HOME": str(home), "PATH": os.environ["PATH"]}
    command = (*DEPLOY, *map(str, projects))

    def deploy() -> float:
        took = child_cpu(command, b"", environ)
        assert all((project / HOOK_PATH).stat().st_mode & 0o777 == 0o555 for project in projects)
        return took

    def deploy_fresh() -> float:
        for folder in (home, *projects):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        return deploy()

    def deploy_healing() -> float:
        for project in projects:
            (project / HOOK_PATH).chmod(0o755)
            (project / HOOK_PATH).write_text("#!/bin/sh\nexit 0\n")
        took = deploy()
        assert all((project / HOOK_PATH).read_text()[-7:] != "exit 0\n" for project in projects)
        return took

    figures = interleave(
        ROUNDS, fresh=deploy_fresh, again=deploy, healed=deploy_healing, bare=lambda: child_cpu(BARE, b"", environ)
    )
    bare = statistics.median(figures["bare"])
    for name, what in (("fresh", "afresh"), ("again", "again, nothing to do"), ("healed", "every script put back")):
        times = ratio(figures, name, "bare")
        description = f"{statistics.median(figures[name]):.0f} ms of CPU, {times:.0f}x `python3 -I -S -c pass` ({bare:.0f} ms)"
        figure(f"{many} folder{'s' if many > 1 else ''}, {what}", description, f"gate {gate:.0f}x")
        assert times <= gate


def test_what_is_measured_succeeds(tmp_path: Path) -> None:
    """The figure of a failure would mean something else."""
    (tmp_path / "home").mkdir()
    (tmp_path / "project").mkdir()
    environ = {"HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"]}
    result = subprocess.run([*DEPLOY, str(tmp_path / "project")], env=environ, capture_output=True, check=False)
    assert result.returncode == 0, result.stderr
