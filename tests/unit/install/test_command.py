"""The client of this very installation is what a host's registration names."""

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from toolgate.app import App, local_scene
from toolgate.install import find_client_kind, own_command
from toolgate.machine import build
from toolgate.model.action import RunShell
from toolgate.model.decision import Verdict
from toolgate.model.rule import Policy

SCRIPTS = Path(sysconfig.get_path("scripts"))


def program(folder: Path, text: str) -> None:
    (folder / "toolgate-hook").write_text(f"#!/bin/sh\n{text}\n")
    (folder / "toolgate-hook").chmod(0o755)


@pytest.fixture
def scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for an installation's programs."""
    monkeypatch.setattr(sysconfig, "get_path", lambda *_: str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    return tmp_path


def test_the_native_client_where_it_is_of_this_build(scripts: Path) -> None:
    program(scripts, f"echo {build.installed_build()}")
    assert (find_client_kind(), own_command()) == ("native", (str(scripts / "toolgate-hook"),))


@pytest.mark.parametrize("text", ["echo another-build", "exit 1", "exec /nonexistent/loader"])
def test_the_twin_where_it_is_not(scripts: Path, text: str) -> None:
    program(scripts, text)
    assert find_client_kind() == "twin"
    python, *flags, path = own_command()
    assert (python, flags) == (str(scripts / "python"), ["-I", "-S"])
    assert path.endswith("/toolgate/transport/client.py")
    assert Path(path).exists()


def test_both_are_of_the_same_build_in_a_checkout() -> None:
    if not (SCRIPTS / "toolgate-hook").exists():
        pytest.skip("no C compiler")
    result = subprocess.run([SCRIPTS / "toolgate-hook", "--build"], capture_output=True, text=True, check=True).stdout
    assert result.strip() == build.installed_build() == build.CHECKOUT


@pytest.mark.parametrize("name", ["toolgate", "toolgate-hook"])
@pytest.mark.parametrize("command", ["rm {}", "cp /bin/true {}", "chmod -x {}", "mv {} /tmp"])
def test_the_programs_are_the_gates_own(name: str, command: str, tmp_path: Path) -> None:
    own = f"{Path(sys.executable).parent}/{name}"
    scene = local_scene(str(tmp_path), str(tmp_path), {})
    assert App().judge(RunShell(command.format(own)), scene, Policy()).decision.verdict is Verdict.DENY
