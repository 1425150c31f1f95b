"""Ownership of branches and working trees: a session may delete those of its own calls, in real repositories."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from unit.sessions.creating import Call, begin_session, execute, judge
from unit.sessions.desk import Desk

AS_SOMEBODY = ("-c", "user.name=A", "-c", "user.email=a@example.org")
COMMIT = "git -c user.name=A -c user.email=a@example.org commit -q --allow-empty -m work"


def run_git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *AS_SOMEBODY, *words], cwd=folder, check=True, capture_output=True)


def commit_elsewhere(desk: Desk) -> None:
    """A commit of the user's own to the branch, in another working tree."""
    run_git(desk.project, "worktree", "add", "-q", str(desk.home / "users"), "topic")
    run_git(desk.home / "users", "commit", "-q", "--allow-empty", "-m", "theirs")
    run_git(desk.project, "worktree", "remove", str(desk.home / "users"))


def create_again(desk: Desk) -> None:
    run_git(desk.project, "branch", "-D", "topic")
    run_git(desk.project, "branch", "topic", "users")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A session in a repository with a branch of the user's that has a commit of its own."""
    desk = begin_session(tmp_path)
    (desk.home / ".gitconfig").write_text("[user]\nname = A\nemail = a@example.org\n")
    run_git(desk.project, "init", "-q", "-b", "main")
    (desk.project / "file.txt").write_text("text\n")
    run_git(desk.project, "add", "file.txt")
    run_git(desk.project, "commit", "-q", "-m", "first")
    run_git(desk.project, "checkout", "-q", "-b", "users")
    run_git(desk.project, "commit", "-q", "--allow-empty", "-m", "the user's")
    run_git(desk.project, "checkout", "-q", "main")
    time.sleep(1.1)  # git counts in seconds
    return desk


OWN_BRANCHES = {
    "checkout -b": ["git checkout -q -b topic", COMMIT, "git checkout -q main"],
    "switch -c": ["git switch -q -c topic", COMMIT, COMMIT, "git switch -q main"],
    "branch": ["git branch topic", f"git checkout -q topic && {COMMIT}", "git checkout -q main"],
    "in one call": [f"git checkout -q -b topic && {COMMIT} && git checkout -q main"],
    "an amended commit": ["git checkout -q -b topic", COMMIT, f"{COMMIT} --amend", "git checkout -q main"],
    "from a branch of the user's": ["git checkout -q -b topic users", COMMIT, "git checkout -q main"],
    "in a working tree": [
        f"git worktree add -q -b topic tree && git -C tree status && cd tree && {COMMIT}",
        "git worktree remove tree",
    ],
}


@pytest.mark.parametrize("story", OWN_BRANCHES)
def test_a_branch_of_the_session_may_be_deleted(desk: Desk, story: str) -> None:
    for command in OWN_BRANCHES[story]:
        assert execute(desk, command).status == 0, command
    assert judge(desk, "git branch -D topic") == "runs"
    assert judge(desk, "git checkout main; git branch -D topic") == "runs"
    desk.session = "s-2"
    assert judge(desk, "git branch -D topic") == "ask"


OTHER_BRANCHES = {
    "it existed before": ["git checkout -q users", COMMIT, "git checkout -q main"],
    "it existed before, and creating it again fails": [
        "git branch users",
        f"git checkout -q users && {COMMIT}; git checkout -q main",
    ],
    "commits of the user's merged into it": [
        "git checkout -q -b topic",
        "git merge -q users",
        "git branch -D users",
        "git checkout -q main",
    ],
    "a call that failed": [f"git checkout -q -b topic && {COMMIT} && git checkout -q main; false"],
    "it was renamed": ["git branch -m users topic"],
    "it holds the last commits of another branch": ["git branch topic users", "git branch -D users"],
    "a program created it": [f"./create.sh && {COMMIT} && git checkout -q main"],
    "in another repository": [f"git -C ../other checkout -q -b topic && cd ../other && {COMMIT}"],
}


@pytest.mark.parametrize("story", OTHER_BRANCHES)
def test_other_branches_ask(desk: Desk, story: str) -> None:
    script = desk.project / "create.sh"
    script.write_text("#!/bin/sh\nexec git checkout -q -b topic\n")
    script.chmod(0o755)
    run_git(desk.project, "clone", "-q", ".", "../other")
    run_git(desk.project, "add", "create.sh")
    run_git(desk.project, "commit", "-q", "-m", "script")
    for command in OTHER_BRANCHES[story]:
        execute(desk, command)
    folder = "../other" if "other repository" in story else "."
    name = "users" if story.startswith("it existed") else "topic"
    assert judge(desk, f"git -C {folder} branch -D {name}") == "ask"


MEDDLING: dict[str, Callable[[Desk], None]] = {
    "a commit of the user's": commit_elsewhere,
    "moved": lambda desk: run_git(desk.project, "branch", "-f", "topic", "users"),
    "created again": create_again,
    "its other commits lost": lambda desk: run_git(desk.project, "branch", "-D", "users"),
}


@pytest.mark.parametrize("story", MEDDLING)
def test_a_branch_that_somebody_else_changed_asks(desk: Desk, story: str) -> None:
    for command in ("git checkout -q -b topic users", COMMIT, "git checkout -q main"):
        execute(desk, command)
    assert judge(desk, "git branch -D topic") == "runs"
    MEDDLING[story](desk)
    if story in ("moved", "created again"):
        run_git(desk.project, "branch", "-D", "users")
    assert judge(desk, "git branch -D topic") == "ask"


def test_several_branches_and_other_deletions_ask(desk: Desk) -> None:
    for command in ("git checkout -q -b topic", COMMIT, "git checkout -q main"):
        execute(desk, command)
    assert judge(desk, "git branch -D topic users") == "ask"
    assert judge(desk, "git branch -f topic users") == "ask"
    assert judge(desk, f"git checkout topic && {COMMIT} && git checkout main && git branch -D topic") == "ask"


def test_a_result_that_matches_no_call_proves_no_branch(desk: Desk) -> None:
    call = Call(desk, f"git checkout -q -b topic && {COMMIT} && git checkout -q main").run()
    call.id = "unknown"
    call.report()
    assert judge(desk, "git branch -D topic") == "ask"


@pytest.mark.parametrize("folder", ["tree", "../tree"])
def test_a_working_tree_of_the_session_may_be_removed(desk: Desk, folder: str) -> None:
    execute(desk, f"git worktree add -q -b topic {folder}")
    execute(desk, f"echo more > {folder}/file.txt")
    assert judge(desk, f"git worktree remove --force {folder}") == "runs"
    (desk.project / folder / "other.txt").write_text("the user's\n")
    assert judge(desk, f"git worktree remove --force {folder}") == "ask"


def test_a_working_tree_of_the_users_asks(desk: Desk) -> None:
    run_git(desk.project, "worktree", "add", "-q", "tree", "users")
    execute(desk, "echo more > tree/file.txt")
    assert judge(desk, "git worktree remove --force tree") == "ask"
