"""Calls that lose something: which run because a copy was kept, which still ask, and which are kept without a word."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from toolgate.undo.entry import Entry
from toolgate.undo.vault import Vault
from unit.sessions.desk import Desk, desk_in
from unit.sessions.keyboard import sit_down

KEPT = "toolgate kept a copy"
TOOLGATE = (sys.executable, "-m", "toolgate")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = desk_in(tmp_path, "")
    made.now = time.time()
    (made.project / ".git").rmdir()
    git(made, "init", "-q", "-b", "main")
    (made.project / "held").write_text("held")
    git(made, "add", ".")
    git(made, "commit", "-q", "-m", "one")
    (made.project / "loose").write_text("loose")
    (made.home / "other").mkdir()
    (made.home / "other" / "notes").write_text("notes")
    return made


def git(desk: Desk, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", "-C", str(desk.project), *who, *words], check=True)


def entries(desk: Desk) -> list[Entry]:
    vault = Vault(str(desk.state / "undo"))
    return sorted((vault.load_entry(id_) for id_ in vault.list_ids()), key=lambda entry: entry.at)


def list_kept_files(desk: Desk) -> set[str]:
    return {Path(item.path).name for entry in entries(desk) for item in entry.items if item.kind == "file"}


# ---- calls that only the loss of data would stop


def test_a_folder_outside_the_project_is_deleted_once_it_is_kept(desk: Desk) -> None:
    assert desk.bash("rm -rf ~/other").startswith("runs")
    assert KEPT in desk.said
    assert "(1 file, 5 bytes)" in desk.said
    assert list_kept_files(desk) == {"notes"}


def test_the_agent_is_told_that_there_is_a_copy_and_not_how_to_reach_it(desk: Desk) -> None:
    answer = desk.hook("PreToolUse", tool_name="Bash", tool_input={"command": "rm -rf ~/other"}, tool_use_id="t")
    told = json.loads(answer.stdout)["hookSpecificOutput"]
    assert "permissionDecision" not in told
    assert "kept a copy" in told["additionalContext"]
    assert "toolgate undo" not in told["additionalContext"]


@pytest.mark.parametrize("command", ["git reset --hard", "git clean -fd", "git checkout -- .", "git restore ."])
def test_uncommitted_work_is_kept(desk: Desk, command: str) -> None:
    (desk.project / "held").write_text("changed")
    assert desk.bash(command).startswith("runs")
    assert KEPT in desk.said
    assert list_kept_files(desk) & {"held", "loose"}


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
def test_what_somebody_decided_stays_decided(desk: Desk, policy: str) -> None:
    desk.policy(policy)
    command = "rm -rf ~/other/notes" if "mine" in policy else "rm -rf ~/other"
    assert desk.bash(command).startswith(("ask", "deny"))
    assert entries(desk) == []


def test_where_nobody_could_be_asked_it_runs(desk: Desk) -> None:
    desk.policy("human = false\n")
    assert desk.bash("rm -rf ~/nothing-there").startswith("deny")
    assert desk.bash("rm -rf ~/other").startswith("runs")
    assert list_kept_files(desk) == {"notes"}


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
def test_what_else_asks_still_asks(desk: Desk, command: str) -> None:
    assert desk.bash(command).startswith(("ask", "deny"))
    assert entries(desk) == []


@pytest.mark.parametrize("secret", [".env", "id_rsa", ".git/config", ".claude/settings.json", ".envrc"])
def test_what_may_not_be_kept_asks(desk: Desk, secret: str) -> None:
    path = desk.home / "other" / secret
    path.parent.mkdir(exist_ok=True)
    path.write_text("TOKEN=1")
    assert desk.bash("rm -rf ~/other").startswith(("ask", "deny"))
    assert entries(desk) == []


def test_a_pipe_asks_and_is_not_opened(desk: Desk) -> None:
    os.mkfifo(desk.home / "other" / "pipe")
    assert desk.bash("rm -rf ~/other").startswith("ask")


def test_a_variable_that_names_another_repository_asks(desk: Desk) -> None:
    (desk.project / "held").write_text("changed")
    desk.environ = {"GIT_WORK_TREE": str(desk.home / "other")}
    assert desk.bash("git reset --hard").startswith("ask")


def test_filters_and_hooks_of_the_repository_are_not_run(desk: Desk) -> None:
    trap = f"touch {desk.root}/ran; cat"
    (desk.project / ".gitattributes").write_text("* filter=trap\n")
    for key in ("filter.trap.clean", "filter.trap.smudge", "filter.trap.process", "core.fsmonitor", "diff.external"):
        git(desk, "config", key, trap)
    (desk.project / ".git" / "hooks" / "reference-transaction").write_text(f"#!/bin/sh\n{trap}\n")
    (desk.project / ".git" / "hooks" / "reference-transaction").chmod(0o755)
    (desk.project / "held").write_text("hold")  # as long as before
    desk.bash("git reset --hard")
    desk.bash("git clean -fd")
    assert not (desk.root / "ran").exists()


def test_no_ref_and_no_object_comes_into_the_repository(desk: Desk) -> None:
    (desk.project / "held").write_text("changed")
    before = {path: path.stat().st_mtime_ns for path in (desk.project / ".git").rglob("*")}
    desk.bash("git reset --hard")
    assert entries(desk)
    assert {path: path.stat().st_mtime_ns for path in (desk.project / ".git").rglob("*")} == before


def test_a_further_working_tree_is_kept_by_its_own_index(desk: Desk) -> None:
    git(desk, "worktree", "add", "-q", str(desk.project / "tree"), "-b", "side")
    (desk.project / "tree" / "held").write_text("changed in the tree")
    assert desk.bash("cd tree && git reset --hard").startswith("runs")
    assert KEPT in desk.said
    paths = {item.path for item in entries(desk)[0].items}
    assert str(desk.project / ".git" / "worktrees" / "tree" / "index") in paths
    assert str(desk.project / "tree" / "held") in paths


def test_submodules_are_left_alone(desk: Desk) -> None:
    other = desk.root / "library"
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", "-C", str(other), *who, "commit", "-q", "--allow-empty", "-m", "one"], check=True)
    git(desk, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "library")
    git(desk, "commit", "-q", "-m", "library")
    (desk.project / "library" / "draft").write_text("draft")
    (desk.project / "held").write_text("changed")
    assert desk.bash("git reset --hard").startswith("runs")
    assert "held" in list_kept_files(desk)
    assert "draft" not in list_kept_files(desk)


def test_files_that_a_sparse_checkout_leaves_out_stay_out(desk: Desk) -> None:
    (desk.project / "far").mkdir()
    (desk.project / "far" / "file").write_text("far")
    git(desk, "add", "far")
    git(desk, "commit", "-q", "-m", "far")
    git(desk, "sparse-checkout", "set", "--no-cone", "/held")
    assert not (desk.project / "far").exists()
    (desk.project / "held").write_text("changed")
    desk.bash("git reset --hard")
    for entry in entries(desk):
        assert {item.kind for item in entry.items if item.path.endswith("far/file")} <= {"absent"}


def test_a_nested_repository_is_left_alone(desk: Desk) -> None:
    (desk.project / "nested" / ".git").mkdir(parents=True)
    (desk.project / "nested" / "file").write_text("another's")
    (desk.project / "held").write_text("changed")
    assert desk.bash("git reset --hard").startswith("runs")
    assert "file" not in list_kept_files(desk)


def test_what_a_person_said_no_to_stays_denied(desk: Desk) -> None:
    desk.policy('ask_through = "code"\nundo = "off"\n')
    assert desk.bash("rm -rf ~/other").startswith("deny")
    desk.answer(yes=False)
    desk.policy('ask_through = "code"\n')
    assert desk.bash("rm -rf ~/other").startswith("deny")
    assert "said no" in desk.bash("rm -rf ~/other")
    assert entries(desk) == []


def test_what_a_person_approved_is_kept(desk: Desk) -> None:
    desk.policy('ask_through = "code"\n[rules."filesystem.delete-outside-project"]\nverdict = "ask"\n')
    assert desk.bash("rm -rf ~/other").startswith("deny")
    desk.answer()
    assert desk.bash("rm -rf ~/other") == "runs"
    assert list_kept_files(desk) == {"notes"}


# ---- calls that pass


def test_what_git_does_not_hold_is_kept_without_a_word(desk: Desk) -> None:
    assert desk.bash("rm loose") == "runs"
    assert list_kept_files(desk) == {"loose"}


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
def test_what_loses_nothing_keeps_nothing(desk: Desk, command: str) -> None:
    (desk.project / "node_modules" / "x").mkdir(parents=True)
    (desk.project / "node_modules" / "x" / "index.js").write_text("x")
    assert desk.bash(command) == "runs"
    assert not (desk.state / "undo").exists()


def test_what_is_written_over_is_kept_but_not_what_an_edit_changes(desk: Desk) -> None:
    path = str(desk.project / "loose")
    desk.hook(
        "PreToolUse", tool_name="Edit", tool_input={"file_path": path, "old_string": "l", "new_string": "m"}, tool_use_id="e"
    )
    assert entries(desk) == []
    desk.hook("PreToolUse", tool_name="Write", tool_input={"file_path": path, "content": "new"}, tool_use_id="w")
    assert list_kept_files(desk) == {"loose"}


def test_secrets_in_the_project_are_not_copied(desk: Desk) -> None:
    (desk.project / "work").mkdir()
    (desk.project / "work" / ".env").write_text("TOKEN=1")
    (desk.project / "work" / "draft").write_text("draft")
    assert desk.bash("rm -rf work") == "runs"
    assert list_kept_files(desk) == {"draft"}
    assert [Path(left.path).name for left in entries(desk)[0].left_out] == [".env"]


def test_a_full_store_is_told_once_and_gives_nothing_up(desk: Desk) -> None:
    desk.policy('[undo]\ntotal_bytes = "1 kB"\n')
    (desk.project / "large").write_bytes(b"x" * 900)
    assert desk.bash("rm large") == "runs"
    (desk.project / "second").write_bytes(b"y" * 900)
    assert desk.bash("rm second").startswith("runs")
    assert "keeps no copies any more" in desk.said
    (desk.project / "second").write_bytes(b"y" * 901)
    assert desk.bash("rm ./second") == "runs"
    assert list_kept_files(desk) == {"large"}


def test_more_than_is_cheap_is_not_copied(desk: Desk) -> None:
    with (desk.project / "huge").open("wb") as file:
        file.write(b"x" * 100_000)
    desk.policy('[undo]\nmax_bytes = "1 kB"\n')
    assert desk.bash("rm huge") == "runs"
    assert entries(desk) == []


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
def test_an_agent_neither_reads_nor_empties_nor_uses_it(desk: Desk, command: str) -> None:
    desk.bash("rm loose")
    assert desk.bash(command).startswith("deny")


# ---- giving back


def test_a_person_gets_it_back_and_can_undo_that(desk: Desk) -> None:
    desk.bash("rm -rf ~/other")
    subprocess.run(["rm", "-rf", str(desk.home / "other")], check=True)
    desk.hook("PostToolUse", tool_name="Bash", tool_input={"command": ""}, tool_use_id="t", tool_response={"stdout": ""})
    person = sit_down(_environ(desk), "undo", "last")
    person.type(person.wait_for(r"Type (\d{4})"))
    assert person.wait_for_exit() == 0, person.shown
    assert "other/notes: comes back" in person.shown
    assert (desk.home / "other" / "notes").read_text() == "notes"
    (undoing,) = (entry for entry in entries(desk) if entry.host == "toolgate undo")
    person = sit_down(_environ(desk), "undo", undoing.id)
    person.type(person.wait_for(r"Type (\d{4})"))
    assert person.wait_for_exit() == 0, person.shown
    assert not (desk.home / "other").exists()


def test_nothing_is_given_back_while_git_is_at_work(desk: Desk) -> None:
    (desk.project / "held").write_text("changed")
    desk.bash("git reset --hard")
    git(desk, "reset", "-q", "--hard")
    (desk.project / ".git" / "index.lock").touch()
    person = sit_down(_environ(desk), "undo", "last")
    assert person.wait_for_exit() == 0
    assert "git is at work in this repository" in person.shown
    assert (desk.project / "held").read_text() == "held"


def test_newer_work_is_not_overwritten_unless_it_is_said(desk: Desk) -> None:
    desk.bash("echo new > loose")
    (desk.project / "loose").write_text("by a person")
    person = sit_down(_environ(desk), "undo", "last")
    assert person.wait_for_exit() == 1
    assert "newer work would be overwritten" in person.shown
    assert (desk.project / "loose").read_text() == "by a person"
    person = sit_down(_environ(desk), "undo", "last", "--force")
    person.type(person.wait_for(r"Type (\d{4})"))
    assert person.wait_for_exit() == 0, person.shown
    assert (desk.project / "loose").read_text() == "loose"


def test_the_wrong_number_gives_nothing_back(desk: Desk) -> None:
    desk.bash("rm loose")
    (desk.project / "loose").unlink()
    person = sit_down(_environ(desk), "undo", "last")
    person.wait_for(r"Type (\d{4})")
    person.type("yes")
    assert person.wait_for_exit() != 0
    assert not (desk.project / "loose").exists()


def test_nobody_gives_back_without_a_terminal_or_beneath_an_agent(desk: Desk) -> None:
    desk.bash("rm loose")
    command = [*TOOLGATE, "undo", "last"]
    done = subprocess.run(command, env=_environ(desk), capture_output=True, text=True, check=False)
    assert (done.returncode, "has to be at a terminal" in done.stderr) == (77, True), done.stderr
    person = sit_down({**_environ(desk), "CLAUDECODE": "1"}, "undo", "last")
    assert person.wait_for_exit() == 77
    assert "an agent may not give anything back" in person.shown


def test_copies_are_listed_and_expire(desk: Desk) -> None:
    desk.bash("rm loose")
    command = [*TOOLGATE, "undo", "list", "--json"]
    (listed,) = json.loads(subprocess.run(command, env=_environ(desk), capture_output=True, check=True).stdout)
    assert (listed["operation"], listed["files"], listed["size"]) == ("rm loose", 1, 5)
    person = sit_down(_environ(desk), "undo", "--expire")
    assert person.wait_for_exit() == 0
    assert "0 copies deleted" in person.shown
    person = sit_down(_environ(desk), "undo", "--expire", "--all")
    person.type(person.wait_for(r"Type (\d{4})"))
    assert person.wait_for_exit() == 0
    assert entries(desk) == []


def _environ(desk: Desk) -> dict[str, str]:
    return {"HOME": str(desk.home), "PATH": "/usr/bin:/bin", "TERM": "xterm", "COLUMNS": "200"}


def test_uninstalling_takes_the_copies_along_where_that_is_said(desk: Desk) -> None:
    desk.bash("rm loose")
    command = [*TOOLGATE, "uninstall", "claude-code"]
    subprocess.run(command, env=_environ(desk), cwd=desk.project, capture_output=True, check=True)
    assert entries(desk)
    subprocess.run([*command, "--purge"], env=_environ(desk), cwd=desk.project, capture_output=True, check=True)
    assert entries(desk) == []
