"""Tests what makes a folder a repository on a real disk: a `.git` folder, or a `.git` file (worktrees, submodules), that existed
before.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from toolgate.machine.world import MachineWorld
from toolgate.model.world import ABSENT, GitState
from unit.sessions.simulated_client import client_in


def as_folder(git: Path) -> None:
    git.mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/topic\n")


def as_file(git: Path) -> None:
    """Creates the file as `git worktree add` and submodules do."""
    real = git.parent.parent / "kept"
    as_folder(real)
    git.parent.mkdir()
    git.write_text("gitdir: ../kept\n")


@pytest.mark.parametrize("made", [as_folder, as_file])
def test_a_repository_is_found_upwards(tmp_path: Path, made: Callable[[Path], None]) -> None:
    made(tmp_path / "other" / ".git")
    deep = tmp_path / "other" / "src" / "deep"
    deep.mkdir(parents=True)
    assert MachineWorld().git(str(deep)) == GitState(str(tmp_path / "other"), "topic", ours=True)
    assert MachineWorld().git("/usr/lib") is ABSENT


@pytest.mark.parametrize("made", [as_folder, as_file])
def test_what_lies_in_one_is_work_in_that_design(tmp_path: Path, made: Callable[[Path], None]) -> None:
    client = client_in(tmp_path, 'profile = "guardrail-confirm"')
    other = client.home / "other"
    assert client.bash("rm -rf ~/other/src/build").startswith("deny: GUARDRAIL")
    assert client.bash("mkdir -p ~/other/.git && rm -rf ~/other/src/build").startswith("deny: GUARDRAIL")
    made(other / ".git")
    (other / "src").mkdir()
    assert client.bash("rm -rf ~/other/src/build") == "runs"
