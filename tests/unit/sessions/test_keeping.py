"""Tests calls that lose something: which run because a copy was kept, which still ask, and which are copied silently."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from toolgate.undo.entry import Entry
from toolgate.undo.vault import Vault
from unit.sessions.keyboard import sit_down
from unit.sessions.simulated_client import SimulatedClient, client_in

KEPT = "toolgate kept a copy"
TOOLGATE = (sys.executable, "-m", "toolgate")


@pytest.fixture
def client(tmp_path: Path) -> SimulatedClient:
    client = client_in(tmp_path, "")
    client.now = time.time()
    (client.project / ".git").rmdir()
    git(client, "init", "-q", "-b", "main")
    (client.project / "held").write_text("held")
    git(client, "add", ".")
    git(client, "commit", "-q", "-m", "one")
    (client.project / "loose").write_text("loose")
    (client.home / "other").mkdir()
    (client.home / "other" / "notes").write_text("notes")
    return client


def git(client: SimulatedClient, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", "-C", str(client.project), *who, *words], check=True)


def entries(client: SimulatedClient) -> list[Entry]:
    vault = Vault(str(client.state / "undo"))
    return sorted((vault.load_entry(id_) for id_ in vault.list_ids()), key=lambda entry: entry.at)


def list_kept_files(client: SimulatedClient) -> set[str]:
    return {Path(item.path).name for entry in entries(client) for item in entry.items if item.kind == "file"}


# ---- calls that only the loss of data would stop


def test_a_folder_outside_the_project_is_deleted_once_it_is_kept(client: SimulatedClient) -> None:
    assert client.bash("rm -rf ~/other").startswith("runs")
    assert KEPT in client.said
    assert "(1 file, 5 bytes)" in client.said
    assert list_kept_files(client) == {"notes"}


def test_the_agent_is_told_that_there_is_a_copy_and_not_how_to_reach_it(client: SimulatedClient) -> None:
    answer = client.hook("PreToolUse", tool_name="Bash", tool_input={"command": "rm -rf ~/other"}, tool_use_id="t")
    reply = json.loads(answer.stdout)["hookSpecificOutput"]
    assert "permissionDecision" not in reply
    assert "kept a copy" in reply["additionalContext"]
    assert "toolgate undo" not in reply["additionalContext"]


@pytest.mark.parametrize("command", ["git reset --hard", "git clean -fd", "git checkout -- .", "git restore ."])
def test_uncommitted_work_is_kept(client: SimulatedClient, command: str) -> None:
    (client.project / "held").write_text("changed")
    assert client.bash(command).startswith("runs")
    assert KEPT in client.said
    assert list_kept_files(client) & {"held", "loose"}


@pytest.mark.parametrize(
    "policy",
    [
        'undo = "off"\n',
        'profile = "paranoid"\n',
        '[rules."filesystem.delete-outside-project"]\nverdict = "ask"\n',
        '[rules."filesystem.delete-outside-project"]\nverdict = "deny"\n',
        '[project."~/project".rules."filesystem.delete-outside-project"]\nverdict = "ask"\n',
        "[undo]\nmax_entries = 1\n",
        '[undo]\nmax_bytes = "4 bytes"\n',
        '[undo]\ntotal_bytes = "4 bytes"\n',
        '[[rule]]\nid = "mine"\non = {path = "~/other/**"}\nverdict = "ask"\nreason = "mine"\n',
    ],
)
def test_what_somebody_decided_stays_decided(client: SimulatedClient, policy: str) -> None:
    client.policy(policy)
    command = "rm -rf ~/other/notes" if "mine" in policy else "rm -rf ~/other"
    assert client.bash(command).startswith(("ask", "deny"))
    assert entries(client) == []


def test_where_nobody_could_be_asked_it_runs(client: SimulatedClient) -> None:
    client.policy("human = false\n")
    assert client.bash("rm -rf ~/nothing-there").startswith("deny")
    assert client.bash("rm -rf ~/other").startswith("runs")
    assert list_kept_files(client) == {"notes"}


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf ~/other; touch ~/elsewhere",  # another rule asks, too
        "sudo rm -rf ~/other",
        "rm -rf ~/other && cat ~/.ssh/id_rsa",
        "rm -rf ~/nothing-there",  # there is nothing to keep
        'rm -rf ~/other "$UNKNOWN/x"',
        "rm -rf ~/other && git worktree remove --force ../tree",
        "cd ~/other && git -C /elsewhere reset --hard",
        "GIT_DIR=/elsewhere git reset --hard",
    ],
)
def test_what_else_asks_still_asks(client: SimulatedClient, command: str) -> None:
    assert client.bash(command).startswith(("ask", "deny"))
    assert entries(client) == []


@pytest.mark.parametrize("secret", [".env", "id_rsa", ".git/config", ".claude/settings.json", ".envrc"])
def test_what_may_not_be_kept_asks(client: SimulatedClient, secret: str) -> None:
    path = client.home / "other" / secret
    path.parent.mkdir(exist_ok=True)
    path.write_text("TOKEN=1")
    assert client.bash("rm -rf ~/other").startswith(("ask", "deny"))
    assert entries(client) == []


def test_a_pipe_asks_and_is_not_opened(client: SimulatedClient) -> None:
    os.mkfifo(client.home / "other" / "pipe")
    assert client.bash("rm -rf ~/other").startswith("ask")


def test_a_variable_that_names_another_repository_asks(client: SimulatedClient) -> None:
    (client.project / "held").write_text("changed")
    client.environ = {"GIT_WORK_TREE": str(client.home / "other")}
    assert client.bash("git reset --hard").startswith("ask")


def test_filters_and_hooks_of_the_repository_are_not_run(client: SimulatedClient) -> None:
    trap = f"touch {client.root}/ran; cat"
    (client.project / ".gitattributes").write_text("* filter=trap\n")
    for key in ("filter.trap.clean", "filter.trap.smudge", "filter.trap.process", "core.fsmonitor", "diff.external"):
        git(client, "config", key, trap)
    (client.project / ".git" / "hooks" / "reference-transaction").write_text(f"#!/bin/sh\n{trap}\n")
    (client.project / ".git" / "hooks" / "reference-transaction").chmod(0o755)
    (client.project / "held").write_text("hold")  # as long as before
    client.bash("git reset --hard")
    client.bash("git clean -fd")
    assert not (client.root / "ran").exists()


def test_no_ref_and_no_object_comes_into_the_repository(client: SimulatedClient) -> None:
    (client.project / "held").write_text("changed")
    before = {path: path.stat().st_mtime_ns for path in (client.project / ".git").rglob("*")}
    client.bash("git reset --hard")
    assert entries(client)
    assert {path: path.stat().st_mtime_ns for path in (client.project / ".git").rglob("*")} == before


def test_a_further_working_tree_is_kept_by_its_own_index(client: SimulatedClient) -> None:
    git(client, "worktree", "add", "-q", str(client.project / "tree"), "-b", "side")
    (client.project / "tree" / "held").write_text("changed in the tree")
    assert client.bash("cd tree && git reset --hard").startswith("runs")
    assert KEPT in client.said
    paths = {item.path for item in entries(client)[0].items}
    assert str(client.project / ".git" / "worktrees" / "tree" / "index") in paths
    assert str(client.project / "tree" / "held") in paths


def test_submodules_are_left_alone(client: SimulatedClient) -> None:
    other = client.root / "library"
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", "-C", str(other), *who, "commit", "-q", "--allow-empty", "-m", "one"], check=True)
    git(client, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "library")
    git(client, "commit", "-q", "-m", "library")
    (client.project / "library" / "draft").write_text("draft")
    (client.project / "held").write_text("changed")
    assert client.bash("git reset --hard").startswith("runs")
    assert "held" in list_kept_files(client)
    assert "draft" not in list_kept_files(client)


def test_files_that_a_sparse_checkout_leaves_out_stay_out(client: SimulatedClient) -> None:
    (client.project / "far").mkdir()
    (client.project / "far" / "file").write_text("far")
    git(client, "add", "far")
    git(client, "commit", "-q", "-m", "far")
    git(client, "sparse-checkout", "set", "--no-cone", "/held")
    assert not (client.project / "far").exists()
    (client.project / "held").write_text("changed")
    client.bash("git reset --hard")
    for entry in entries(client):
        assert {item.kind for item in entry.items if item.path.endswith("far/file")} <= {"absent"}


def test_a_nested_repository_is_left_alone(client: SimulatedClient) -> None:
    (client.project / "nested" / ".git").mkdir(parents=True)
    (client.project / "nested" / "file").write_text("another's")
    (client.project / "held").write_text("changed")
    assert client.bash("git reset --hard").startswith("runs")
    assert "file" not in list_kept_files(client)


def test_what_a_person_said_no_to_stays_denied(client: SimulatedClient) -> None:
    client.policy('ask_through = "code"\nundo = "off"\n')
    assert client.bash("rm -rf ~/other").startswith("deny")
    client.answer(yes=False)
    client.policy('ask_through = "code"\n')
    assert client.bash("rm -rf ~/other").startswith("deny")
    assert "said no" in client.bash("rm -rf ~/other")
    assert entries(client) == []


def test_what_a_person_approved_is_kept(client: SimulatedClient) -> None:
    client.policy('ask_through = "code"\n[rules."filesystem.delete-outside-project"]\nverdict = "ask"\n')
    assert client.bash("rm -rf ~/other").startswith("deny")
    client.answer()
    assert client.bash("rm -rf ~/other") == "runs"
    assert list_kept_files(client) == {"notes"}


# ---- calls that pass


def test_what_git_does_not_hold_is_kept_without_a_word(client: SimulatedClient) -> None:
    assert client.bash("rm loose") == "runs"
    assert list_kept_files(client) == {"loose"}


@pytest.mark.parametrize(
    "command",
    [
        "ls",
        "rm held",  # git holds it
        "rm -rf node_modules build",
        "echo new > fresh",
        "echo more >> loose",
        "rm -rf /tmp/elsewhere-entirely",
        "rm nothing-there",
        "mv loose moved",
        "git status && git stash list",
    ],
)
def test_what_loses_nothing_keeps_nothing(client: SimulatedClient, command: str) -> None:
    (client.project / "node_modules" / "x").mkdir(parents=True)
    (client.project / "node_modules" / "x" / "index.js").write_text("x")
    assert client.bash(command) == "runs"
    assert not (client.state / "undo").exists()


def test_what_is_written_over_is_kept_but_not_what_an_edit_changes(client: SimulatedClient) -> None:
    path = str(client.project / "loose")
    client.hook(
        "PreToolUse", tool_name="Edit", tool_input={"file_path": path, "old_string": "l", "new_string": "m"}, tool_use_id="e"
    )
    assert entries(client) == []
    client.hook("PreToolUse", tool_name="Write", tool_input={"file_path": path, "content": "new"}, tool_use_id="w")
    assert list_kept_files(client) == {"loose"}


def test_secrets_in_the_project_are_not_copied(client: SimulatedClient) -> None:
    (client.project / "work").mkdir()
    (client.project / "work" / ".env").write_text("TOKEN=1")
    (client.project / "work" / "draft").write_text("draft")
    assert client.bash("rm -rf work") == "runs"
    assert list_kept_files(client) == {"draft"}
    assert [Path(left.path).name for left in entries(client)[0].left_out] == [".env"]


def test_a_full_store_is_told_once_and_gives_nothing_up(client: SimulatedClient) -> None:
    client.policy('[undo]\ntotal_bytes = "1 kB"\n')
    (client.project / "large").write_bytes(b"x" * 900)
    assert client.bash("rm large") == "runs"
    (client.project / "second").write_bytes(b"y" * 900)
    assert client.bash("rm second").startswith("runs")
    assert "keeps no copies any more" in client.said
    (client.project / "second").write_bytes(b"y" * 901)
    assert client.bash("rm ./second") == "runs"
    assert list_kept_files(client) == {"large"}


def test_more_than_is_cheap_is_not_copied(client: SimulatedClient) -> None:
    with (client.project / "huge").open("wb") as file:
        file.write(b"x" * 100_000)
    client.policy('[undo]\nmax_bytes = "1 kB"\n')
    assert client.bash("rm huge") == "runs"
    assert entries(client) == []


# ---- the store belongs to the person


@pytest.mark.parametrize(
    "command",
    [
        "cat ~/.local/state/toolgate/undo/*/pack",
        "rm -rf ~/.local/state/toolgate/undo",
        "echo x > ~/.local/state/toolgate/undo/.index",
        "tar cf /tmp/x ~/.local/state/toolgate/undo",
        "toolgate undo last",
        "toolgate undo --expire --all",
        "toolgate undo last --force",
    ],
)
def test_an_agent_neither_reads_nor_empties_nor_uses_it(client: SimulatedClient, command: str) -> None:
    client.bash("rm loose")
    assert client.bash(command).startswith("deny")


# ---- giving back


def test_a_person_gets_it_back_and_can_undo_that(client: SimulatedClient) -> None:
    client.bash("rm -rf ~/other")
    subprocess.run(["rm", "-rf", str(client.home / "other")], check=True)
    client.hook("PostToolUse", tool_name="Bash", tool_input={"command": ""}, tool_use_id="t", tool_response={"stdout": ""})
    person = sit_down(_environ(client), "undo", "last")
    person.type(person.wait_for(r"Type (\d{4})"))
    assert person.wait_for_exit() == 0, person.shown
    assert "other/notes: comes back" in person.shown
    assert (client.home / "other" / "notes").read_text() == "notes"
    (undoing,) = (entry for entry in entries(client) if entry.host == "toolgate undo")
    person = sit_down(_environ(client), "undo", undoing.id)
    person.type(person.wait_for(r"Type (\d{4})"))
    assert person.wait_for_exit() == 0, person.shown
    assert not (client.home / "other").exists()


def test_nothing_is_given_back_while_git_is_at_work(client: SimulatedClient) -> None:
    (client.project / "held").write_text("changed")
    client.bash("git reset --hard")
    git(client, "reset", "-q", "--hard")
    (client.project / ".git" / "index.lock").touch()
    person = sit_down(_environ(client), "undo", "last")
    assert person.wait_for_exit() == 0
    assert "git is at work in this repository" in person.shown
    assert (client.project / "held").read_text() == "held"


def test_newer_work_is_not_overwritten_unless_it_is_said(client: SimulatedClient) -> None:
    client.bash("echo new > loose")
    (client.project / "loose").write_text("by a person")
    person = sit_down(_environ(client), "undo", "last")
    assert person.wait_for_exit() == 1
    assert "newer work would be overwritten" in person.shown
    assert (client.project / "loose").read_text() == "by a person"
    person = sit_down(_environ(client), "undo", "last", "--force")
    person.type(person.wait_for(r"Type (\d{4})"))
    assert person.wait_for_exit() == 0, person.shown
    assert (client.project / "loose").read_text() == "loose"


def test_the_wrong_number_gives_nothing_back(client: SimulatedClient) -> None:
    client.bash("rm loose")
    (client.project / "loose").unlink()
    person = sit_down(_environ(client), "undo", "last")
    person.wait_for(r"Type (\d{4})")
    person.type("yes")
    assert person.wait_for_exit() != 0
    assert not (client.project / "loose").exists()


def test_nobody_gives_back_without_a_terminal_or_beneath_an_agent(client: SimulatedClient) -> None:
    client.bash("rm loose")
    command = [*TOOLGATE, "undo", "last"]
    result = subprocess.run(command, env=_environ(client), capture_output=True, text=True, check=False)
    assert (result.returncode, "has to be at a terminal" in result.stderr) == (77, True), result.stderr
    person = sit_down({**_environ(client), "CLAUDECODE": "1"}, "undo", "last")
    assert person.wait_for_exit() == 77
    assert "an agent may not give anything back" in person.shown


def test_copies_are_listed_and_expire(client: SimulatedClient) -> None:
    client.bash("rm loose")
    command = [*TOOLGATE, "undo", "list", "--json"]
    (listed,) = json.loads(subprocess.run(command, env=_environ(client), capture_output=True, check=True).stdout)
    assert (listed["operation"], listed["files"], listed["size"]) == ("rm loose", 1, 5)
    person = sit_down(_environ(client), "undo", "--expire")
    assert person.wait_for_exit() == 0
    assert "0 copies deleted" in person.shown
    person = sit_down(_environ(client), "undo", "--expire", "--all")
    person.type(person.wait_for(r"Type (\d{4})"))
    assert person.wait_for_exit() == 0
    assert entries(client) == []


def _environ(client: SimulatedClient) -> dict[str, str]:
    return {"HOME": str(client.home), "PATH": "/usr/bin:/bin", "TERM": "xterm", "COLUMNS": "200"}


def test_uninstalling_takes_the_copies_along_where_that_is_said(client: SimulatedClient) -> None:
    client.bash("rm loose")
    command = [*TOOLGATE, "uninstall", "claude-code"]
    subprocess.run(command, env=_environ(client), cwd=client.project, capture_output=True, check=True)
    assert entries(client)
    subprocess.run([*command, "--purge"], env=_environ(client), cwd=client.project, capture_output=True, check=True)
    assert entries(client) == []
