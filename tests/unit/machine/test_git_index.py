"""Compares what git's index says about a file with a real git."""

import os
import subprocess
from pathlib import Path

import pytest

from toolgate.machine.world import MachineWorld
from toolgate.model.world import ABSENT, UNKNOWN

LONG_AGO = (1_600_000_000, 1_600_000_000)


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    subprocess.run(("git", *who, *words), cwd=folder, check=True, capture_output=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    git(tmp_path, "init")
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(name)
        os.utime(tmp_path / name, LONG_AGO)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "deep.py").write_text("deep")
    os.utime(tmp_path / "src" / "deep.py", LONG_AGO)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "one")
    return tmp_path


def is_committed(path: Path) -> object:
    return MachineWorld().as_committed(str(path))


def test_what_was_committed_is_held(project: Path) -> None:
    assert is_committed(project / "a.py") is True
    assert is_committed(project / "src" / "deep.py") is True


def test_what_was_changed_since_is_not(project: Path) -> None:
    (project / "a.py").write_text("A.py")
    assert is_committed(project / "a.py") is False
    assert is_committed(project / "b.py") is True


def test_what_is_only_staged_is_not(project: Path) -> None:
    (project / "a.py").write_text("other")
    os.utime(project / "a.py", LONG_AGO)
    git(project, "add", "a.py")
    assert is_committed(project / "a.py") is False


def test_what_git_does_not_know_or_was_told_to_overlook_is_not_told(project: Path) -> None:
    (project / "new.py").write_text("new")
    assert is_committed(project / "new.py") is UNKNOWN
    git(project, "update-index", "--assume-unchanged", "b.py")
    assert is_committed(project / "b.py") is UNKNOWN


def test_another_format_is_not_told(project: Path) -> None:
    git(project, "update-index", "--index-version", "4")
    assert is_committed(project / "a.py") is UNKNOWN
    (project / ".git" / "index").write_bytes(b"DIRC\0\0\0\2\0\0\xff\xff")
    assert is_committed(project / "a.py") is UNKNOWN


def test_where_there_is_no_repository_or_file(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("bare") / "a.py"
    elsewhere.write_text("a")
    assert is_committed(elsewhere) is UNKNOWN
    (project / "a.py").unlink()
    assert is_committed(project / "a.py") is ABSENT
