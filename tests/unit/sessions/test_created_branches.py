"""Tests ownership of branches and working trees: a session may delete those that its own calls created, in real repositories."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from unit.sessions.creating import Call, begin_session, execute, judge
from unit.sessions.simulated_client import SimulatedClient

AS_SOMEBODY = ("-c", "user.name=A", "-c", "user.email=a@example.org")
COMMIT = "git -c user.name=A -c user.email=a@example.org commit -q --allow-empty -m work"


def run_git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *AS_SOMEBODY, *words], cwd=folder, check=True, capture_output=True)


def commit_elsewhere(client: SimulatedClient) -> None:
    """Adds a commit of the user's own to the branch, in another working tree."""
    run_git(client.project, "worktree", "add", "-q", str(client.home / "users"), "topic")
    run_git(client.home / "users", "commit", "-q", "--allow-empty", "-m", "theirs")
    run_git(client.project, "worktree", "remove", str(client.home / "users"))


def create_again(client: SimulatedClient) -> None:
    run_git(client.project, "branch", "-D", "topic")
    run_git(client.project, "branch", "topic", "users")


@pytest.fixture
def client(tmp_path: Path) -> SimulatedClient:
    """A client in a repository with a branch of the user's that has a commit of its own."""
    client = begin_session(tmp_path)
    (client.home / ".gitconfig").write_text("[user]\nname = A\nemail = a@example.org\n")
    run_git(client.project, "init", "-q", "-b", "main")
    (client.project / "file.txt").write_text("text\n")
    run_git(client.project, "add", "file.txt")
    run_git(client.project, "commit", "-q", "-m", "first")
    run_git(client.project, "checkout", "-q", "-b", "users")
    run_git(client.project, "commit", "-q", "--allow-empty", "-m", "the user's")
    run_git(client.project, "checkout", "-q", "main")
    time.sleep(1.1)  # git counts in seconds
    return client


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
def test_a_branch_of_the_session_may_be_deleted(client: SimulatedClient, story: str) -> None:
    for command in OWN_BRANCHES[story]:
        assert execute(client, command).status == 0, command
    assert judge(client, "git branch -D topic") == "runs"
    assert judge(client, "git checkout main; git branch -D topic") == "runs"
    client.session = "s-2"
    assert judge(client, "git branch -D topic") == "ask"


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
def test_other_branches_ask(client: SimulatedClient, story: str) -> None:
    script = client.project / "create.sh"
    script.write_text("#!/bin/sh\nexec git checkout -q -b topic\n")
    script.chmod(0o755)
    run_git(client.project, "clone", "-q", ".", "../other")
    run_git(client.project, "add", "create.sh")
    run_git(client.project, "commit", "-q", "-m", "script")
    for command in OTHER_BRANCHES[story]:
        execute(client, command)
    folder = "../other" if "other repository" in story else "."
    name = "users" if story.startswith("it existed") else "topic"
    assert judge(client, f"git -C {folder} branch -D {name}") == "ask"


MEDDLING: dict[str, Callable[[SimulatedClient], None]] = {
    "a commit of the user's": commit_elsewhere,
    "moved": lambda client: run_git(client.project, "branch", "-f", "topic", "users"),
    "created again": create_again,
    "its other commits lost": lambda client: run_git(client.project, "branch", "-D", "users"),
}


@pytest.mark.parametrize("story", MEDDLING)
def test_a_branch_that_somebody_else_changed_asks(client: SimulatedClient, story: str) -> None:
    for command in ("git checkout -q -b topic users", COMMIT, "git checkout -q main"):
        execute(client, command)
    assert judge(client, "git branch -D topic") == "runs"
    MEDDLING[story](client)
    if story in ("moved", "created again"):
        run_git(client.project, "branch", "-D", "users")
    assert judge(client, "git branch -D topic") == "ask"


def test_several_branches_and_other_deletions_ask(client: SimulatedClient) -> None:
    for command in ("git checkout -q -b topic", COMMIT, "git checkout -q main"):
        execute(client, command)
    assert judge(client, "git branch -D topic users") == "ask"
    assert judge(client, "git branch -f topic users") == "ask"
    assert judge(client, f"git checkout topic && {COMMIT} && git checkout main && git branch -D topic") == "ask"


def test_a_result_that_matches_no_call_proves_no_branch(client: SimulatedClient) -> None:
    call = Call(client, f"git checkout -q -b topic && {COMMIT} && git checkout -q main").run()
    call.id = "unknown"
    call.report()
    assert judge(client, "git branch -D topic") == "ask"


@pytest.mark.parametrize("folder", ["tree", "../tree"])
def test_a_working_tree_of_the_session_may_be_removed(client: SimulatedClient, folder: str) -> None:
    execute(client, f"git worktree add -q -b topic {folder}")
    execute(client, f"echo more > {folder}/file.txt")
    assert judge(client, f"git worktree remove --force {folder}") == "runs"
    (client.project / folder / "other.txt").write_text("the user's\n")
    assert judge(client, f"git worktree remove --force {folder}") == "ask"


def test_a_working_tree_of_the_users_asks(client: SimulatedClient) -> None:
    run_git(client.project, "worktree", "add", "-q", "tree", "users")
    execute(client, "echo more > tree/file.txt")
    assert judge(client, "git worktree remove --force tree") == "ask"
