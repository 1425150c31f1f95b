"""Compares the programs that git's configuration makes it run with git itself: those that ran were read, the others not."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from toolgate.machine.world import MachineWorld
from toolgate.model.action import RunShell
from toolgate.model.effect import Run
from toolgate.model.event import Caller, Scene
from toolgate.understand import understand

COPIES, NOTHING, FAILS = "exec cat", ":", "exit 1"
SETTINGS = {
    "core.fsmonitor": NOTHING,
    "core.sshCommand": FAILS,
    "core.pager": COPIES,
    "core.editor": NOTHING,
    "core.askPass": FAILS,
    "sequence.editor": NOTHING,
    "diff.d.textconv": 'exec cat "$@"',
    "filter.f.clean": COPIES,
    "filter.f.smudge": COPIES,
    "merge.m.driver": NOTHING,
    "gpg.program": FAILS,
    "credential.helper": NOTHING,
    "difftool.t.cmd": NOTHING,
    "interactive.diffFilter": COPIES,
    "remote.origin.uploadpack": 'exec git-upload-pack "$@"',
    "remote.origin.receivepack": 'exec git-receive-pack "$@"',
    "tar.tt.command": COPIES,
    "trailer.k.cmd": "echo v",
}
OTHERS = {"diff.external": NOTHING, "diff.d.command": NOTHING}
"""Each takes the place of another one."""
FILTERS = {"filter.f.clean", "filter.f.smudge"}
"""Run where a file with the attribute is touched, and that depends on the files."""
NAMED = {
    "remote.s.url": "git@host.invalid:x",
    "remote.h.url": "http://127.0.0.1:9/x",
    "diff.tool": "t",
    "commit.gpgSign": "false",
}
SIDE = "git reset -q --hard; "
CALLS = (
    *("git status", "git diff", "git diff --stat", "git diff --cached", "git diff --no-textconv", "git log", "git log --stat"),
    *("git log -p", "git show HEAD~1", "git show HEAD:a.txt", "git show --stat", "git blame a.txt", "git grep x", "git add ."),
    *("git commit -am x", "git commit -a", "git commit -av", "git commit --amend", "git commit --amend --no-edit"),
    *("git commit --allow-empty -m x", "git commit --allow-empty -m x --trailer k=v", "git commit -S --allow-empty -m x"),
    *("git checkout -b new", "git switch -c new", "git checkout -- a.txt", "git restore a.txt", "git reset", "git reset --hard"),
    *("git stash", "git stash list", f"{SIDE}git merge side", f"{SIDE}git merge --no-edit side", f"{SIDE}git rebase side"),
    *(f"{SIDE}git rebase -i HEAD~1", f"{SIDE}git cherry-pick side", f"{SIDE}git revert --no-edit HEAD",
      f"{SIDE}git revert -e HEAD"),
    *("git fetch", "git fetch s", "git fetch h", "git ls-remote s", "git push", "git push origin main", "git push s"),
    *("git remote -v", "git branch", "git branch -d merged", "git branch --edit-description", "git tag x", "git tag -a x"),
    "git tag -s x -m m",
    *("git difftool -y", "git ls-files", "git rm -f k", "git mv k k2", "git clean -n", "git describe", "git describe --dirty"),
    *("git cat-file -p HEAD:a.txt", "git cat-file --textconv HEAD:a.txt", "git archive HEAD", "git archive --format=tt HEAD"),
    *("git clone git@host.invalid:x ../c", "git rev-parse HEAD", "git config -l", "git config -e", "git notes add"),
    *("git notes add -m x", "git reflog", "git for-each-ref", "git worktree add ../wt",
      "printf 'protocol=https\\nhost=h\\n\\n' | git credential fill"),
    *("git --git-dir=.git status", "git -C .. --git-dir r/.git --work-tree r diff", "cd .. && GIT_DIR=r/.git git log -p",
      "git --git-dir=../up/.git log -p", "GIT_DIR=$PWD/.git GIT_WORK_TREE=$PWD git commit -am x",
      "cd .. && git --git-dir=r/.git commit --allow-empty -m x"),
)  # fmt: skip
OF_OTHERS = (
    *("git diff", "git diff --stat", "git diff --no-ext-diff", "git show HEAD~1", "git show --ext-diff HEAD~1", "git log -p"),
    *("git log -p --ext-diff", "git status"),
)
AT_A_TERMINAL = (
    *(
        "git log",
        "git diff",
        "git branch",
        "git status",
        "git stash list",
        "git --no-pager log",
        "git -p status",
        "git rev-list HEAD",
    ),
    *("git ls-files", "git tag", "git remote -v"),
)


def git(folder: Path, *words: str) -> None:
    own = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    names = {f"GIT_{who}_{what}": "x@y" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, env={**os.environ, **own, **names})


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a branch that conflicts, attributes for every driver, and uncommitted changes."""
    root = tmp_path_factory.mktemp("git")
    (root / "up").mkdir()
    git(root / "up", "init", "-q", "-b", "main")
    (root / "up" / "a.txt").write_text("a\n")
    (root / "up" / ".gitattributes").write_text("*.txt diff=d filter=f merge=m\n")
    for words in (("add", "."), ("commit", "-qm", "1")):
        git(root / "up", *words)
    git(root, "clone", "-q", "up", "r")
    folder = root / "r"
    git(folder, "remote", "set-url", "origin", "../up")
    for branch, text in (("side", "side\n"), ("main", "main\n")):
        git(folder, "checkout", "-q", *(() if branch == "main" else ("-b",)), branch)
        (folder / "a.txt").write_text(text)
        git(folder, "commit", "-qam", branch)
    (folder / "k").write_text("k\n")
    for words in (("add", "k"), ("commit", "-qm", "k"), ("tag", "v1"), ("branch", "merged", "HEAD~1")):
        git(folder, *words)
    (folder / "a.txt").write_text("main\nwork\n")
    return root


def ran_and_read(call: str, settings: dict[str, str], made: Path, tmp_path: Path) -> tuple[set[str], dict[str, bool | None]]:
    """Returns the settings whose programs git ran, and those that were read, with whether they are sure to run."""
    root = tmp_path / "w"
    shutil.copytree(made, root)
    log, bin_, folder = tmp_path / "log", tmp_path / "bin", root / "r"
    bin_.mkdir()
    for name, does in settings.items():
        program = bin_ / f"ran-{name}"
        program.write_text(f"#!/bin/sh\necho {name} >> {log}\n{does}\n")
        program.chmod(0o755)
        git(folder, "config", name, f"{'!' if name == 'credential.helper' else ''}ran-{name}")
    for name, value in NAMED.items():
        git(folder, "config", name, value)
    environ = {"PATH": f"{bin_}:{os.environ['PATH']}", "HOME": str(tmp_path), "LC_ALL": "C.UTF-8", "TERM": "dumb"}
    environ |= {f"GIT_{who}_{what}": "x@y" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    scene = Scene(Caller("test"), str(folder), str(folder), str(tmp_path), environ, "u")
    read: dict[str, bool | None] = {}
    for effect in understand(RunShell(call), scene, MachineWorld()).all:
        if isinstance(effect, Run) and (effect.argv[0].text or "").startswith("ran-"):
            name = (effect.argv[0].text or "").removeprefix("ran-")
            read[name] = read.get(name) or effect.origin.sure
            assert ".git/config:" in str(effect.origin.via[-1])
    words = ["script", "-qec", call, "/dev/null"] if call in AT_A_TERMINAL and "core.pager" in settings else ["sh", "-c", call]
    subprocess.run(words, cwd=folder, env=environ, check=False, capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
    return set(log.read_text().split()) if log.exists() else set(), read


@pytest.mark.parametrize("call", CALLS)
def test_what_git_ran_was_read_and_nothing_else(call: str, template: Path, tmp_path: Path) -> None:
    ran, read = ran_and_read(call, {name: does for name, does in SETTINGS.items() if name != "core.pager"}, template, tmp_path)
    assert ran <= set(read)
    assert {name for name, sure in read.items() if sure} - FILTERS <= ran | _WHEN_NEEDED


_WHEN_NEEDED = {"credential.helper", "diff.d.textconv", "merge.m.driver"}
"""Run where a server asks for a password, where a file with the attribute differs, or both sides changed one."""


@pytest.mark.parametrize("call", OF_OTHERS)
@pytest.mark.parametrize("setting", OTHERS)
def test_what_shows_differences_in_the_place_of_git(call: str, setting: str, template: Path, tmp_path: Path) -> None:
    ran, read = ran_and_read(call, {setting: OTHERS[setting]}, template, tmp_path)
    assert ran == set(read)


@pytest.mark.parametrize("call", AT_A_TERMINAL)
def test_a_pager_is_run_at_a_terminal_and_read_as_maybe(call: str, template: Path, tmp_path: Path) -> None:
    ran, read = ran_and_read(call, {"core.pager": COPIES}, template, tmp_path)
    assert ran <= set(read) or call == "git stash list"
    assert True not in read.values()
    assert bool(read) >= bool(ran)
