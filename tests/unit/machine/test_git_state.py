"""Tells what git holds, and what nothing would refer to any more, from a real git's files."""

import os
import subprocess
from pathlib import Path

import pytest

from toolgate.ignore_rules import parse_rules
from toolgate.machine import counting
from toolgate.machine.world import MachineWorld
from toolgate.model.stakes import Stakes
from toolgate.model.world import UNKNOWN


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    return subprocess.run(("git", *who, *words), cwd=folder, check=True, capture_output=True, text=True).stdout


def commit(folder: Path, name: str, text: str = "x") -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    git(folder, "add", name)
    git(folder, "commit", "-qm", name)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    top = tmp_path / "project"
    top.mkdir()
    git(top, "init", "-q")
    commit(top, ".gitignore", "node_modules/\n*.log\n!keep.log\n/only-top\n")
    commit(top, "src/a.py")
    return top


def count_lost_commits(project: Path, dropped: str, kept: str = "") -> object:
    return MachineWorld().lost_commits(str(project), dropped, kept)


def test_a_tree_is_clean_until_something_changes(project: Path) -> None:
    assert MachineWorld().is_clean(str(project)) is True
    assert MachineWorld().as_staged(str(project / "src")) is True
    (project / "src/a.py").write_text("y")
    assert MachineWorld().is_clean(str(project)) is False
    assert MachineWorld().as_staged(str(project / "src")) is False
    git(project, "add", ".")
    assert MachineWorld().as_staged(str(project / "src")) is True
    assert MachineWorld().is_clean(str(project)) is False


def test_a_soft_reset_leaves_what_is_staged_beside_head(project: Path) -> None:
    git(project, "reset", "--soft", "HEAD~1")
    assert MachineWorld().is_clean(str(project)) is False


def test_a_file_whose_times_say_nothing_is_told_by_its_content(project: Path) -> None:
    os.utime(project / "src/a.py")
    assert MachineWorld().as_committed(str(project / "src/a.py")) is True
    (project / "src/a.py").write_text("z")
    assert MachineWorld().as_committed(str(project / "src/a.py")) is False


def test_a_merged_branch_loses_nothing(project: Path) -> None:
    git(project, "branch", "done")
    commit(project, "b.py")
    assert count_lost_commits(project, "refs/heads/done") == 0


def test_commits_of_no_other_branch_are_counted(project: Path) -> None:
    git(project, "checkout", "-qb", "topic")
    for name in ("b.py", "c.py", "d.py"):
        commit(project, name)
    git(project, "checkout", "-q", "main")
    assert count_lost_commits(project, "refs/heads/topic") == 3
    git(project, "branch", "half", "topic~1")
    assert count_lost_commits(project, "refs/heads/topic") == 1
    assert count_lost_commits(project, "refs/heads/topic refs/heads/half") == 3
    git(project, "tag", "-a", "kept", "topic", "-m", "kept")
    git(project, "pack-refs", "--all")
    assert count_lost_commits(project, "refs/heads/topic refs/heads/half") == 0


def test_packed_commits_are_read(project: Path) -> None:
    for n in range(30):
        commit(project, "b.py", f"{n}")
    git(project, "gc", "-q")
    assert count_lost_commits(project, "HEAD", "HEAD~12") == 12
    assert count_lost_commits(project, "HEAD", "HEAD") == 0


def test_what_a_reset_leads_away_from(project: Path) -> None:
    commit(project, "b.py")
    assert count_lost_commits(project, "HEAD", "HEAD~1") == 1
    assert count_lost_commits(project, "HEAD", "HEAD^") == 1
    assert count_lost_commits(project, "HEAD", "nowhere") is UNKNOWN
    git(project, "update-ref", "refs/remotes/origin/main", "HEAD")
    assert count_lost_commits(project, "HEAD", "HEAD~1") == 0


def test_working_trees_name_each_other(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    git(project, "worktree", "add", "-q", str(other), "-b", "topic")
    both = (str(project), str(other))
    assert MachineWorld().worktrees(str(project)) == both
    assert MachineWorld().worktrees(str(other)) == both
    assert MachineWorld().is_clean(str(other)) is True
    forged = project / ".git/worktrees/forged"
    forged.mkdir()
    (forged / "gitdir").write_text(f"{tmp_path}/.git\n")
    assert MachineWorld().worktrees(str(project)) == both


def test_what_lies_in_a_folder_is_counted(project: Path) -> None:
    for name in ("node_modules/m/a.js", "a.log", "keep.log", "new.py", "src/a.py"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("changed")
    found = MachineWorld().stakes(str(project))
    assert isinstance(found, Stakes)
    assert found._replace(newest=0, size=0) == Stakes(files=6, unheld=3, unheld_size=21, untracked=2, ignored=1)
    held = MachineWorld().stakes(str(project / "node_modules"))
    assert isinstance(held, Stakes)
    assert (held.files, held.unheld, held.ignored) == (1, 0, 0)


def test_rules_that_git_does_not_hold_hide_nothing(project: Path) -> None:
    (project / ".gitignore").write_text("*\n")
    (project / "new.py").write_text("new")
    found = MachineWorld().stakes(str(project / "new.py"))
    assert isinstance(found, Stakes)
    assert found.unheld == 1


def test_counting_ends_with_its_budget(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MAX_ENTRIES", 5)
    for n in range(10):
        (project / f"{n}.py").write_text("")
    found = MachineWorld().stakes(str(project))
    assert isinstance(found, Stakes)
    assert (found.files, found.more, found.more_unheld) == (5, True, True) or found.files < 5


@pytest.mark.parametrize(
    ("rules", "name", "folder", "ignored"),
    [
        ("*.log", "a/b.log", False, True),
        ("*.log\n!b.log", "a/b.log", False, False),
        ("/b.log", "a/b.log", False, None),
        ("a/*.log", "a/b.log", False, True),
        ("a/**/c", "a/x/y/c", False, True),
        ("**/c", "a/x/c", False, True),
        ("a/**", "a/x", False, True),
        ("build/", "build", False, None),
        ("build/", "x/build", True, True),
        ("[ab].py", "a.py", False, True),
        ("[!ab].py", "a.py", False, None),
        ("\\#x", "#x", False, True),
        ("# x", "# x", False, None),
    ],
)
def test_rules_are_read_as_git_reads_them(rules: str, name: str, folder: bool, ignored: bool | None) -> None:
    assert parse_rules(rules).match_path(name, folder) is ignored
