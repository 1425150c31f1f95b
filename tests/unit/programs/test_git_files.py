"""Compares the reading of git's configuration files with git."""

import os
import subprocess
from pathlib import Path

import pytest

from toolgate.machine.world import MachineWorld
from toolgate.model.action import RunShell
from toolgate.model.effect import Run
from toolgate.model.event import Caller, Scene
from toolgate.programs.git.config_files import parse_config
from toolgate.understand import understand

FILES = {
    "plain": "[core]\n\tbare = false\n\teditor=vim\n",
    "on one line": '[a]b=c\n[d "E.f"] g = h ; i\n',
    "comments": "# x = y\n[a] ; b = c\nd = e # f\n; g\nh = i;j\n",
    "quotes": '[alias]\na = "!echo \\"x\\" ; y" z\nb = "  c  "   \nd = e "f # g" h\n',
    "escapes": "[a]\nb = c\\\\d\\te\\nf\nlong = one \\\n  two\n",
    "true": "[a]\nb\nc = \n",
    "case": '[CoRe "Sub Sec"]\nKey = Value\n[A.B]\nc = d\n',
    "blanks": "\n  [a]\n\n   b   =   c   \n",
    "escaped subsection": '[url "git@\\"x\\\\y"]\ninsteadOf = z\n',
    "line ends": "[a]\r\n\tb = c\r\n",
}


def environment(home: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8"}


def of_git(home: Path, *arguments: str, cwd: Path | None = None) -> str:
    result = subprocess.run(
        ["git", *arguments], cwd=cwd or home, env=environment(home), check=False, capture_output=True, text=True
    )
    return result.stdout


@pytest.mark.parametrize("text", FILES.values(), ids=FILES.keys())
def test_a_file_is_read_as_git_reads_it(text: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_text(text, newline="")
    listed = of_git(tmp_path, "config", "-z", "--file", "f", "--list")
    entries = [entry.partition("\n") for entry in listed.split("\0")[:-1]]
    assert entries
    assert [(name, value) for name, value, _ in parse_config(text)] == [
        (name, value if valued else "true") for name, valued, value in entries
    ]


def ran_of(text: str, cwd: Path, home: Path) -> list[str]:
    scene = Scene(Caller("test"), str(cwd), str(cwd), str(home), environment(home), "u")
    effects = understand(RunShell(text), scene, MachineWorld()).all
    return [effect.argv[1].text or "" for effect in effects if isinstance(effect, Run) and effect.argv[0].text == "echo"]


INCLUDED = {
    "beside the file": ("[include]\npath = inc\n", ".git/inc", True),
    "above it": ("[include]\npath = ../inc\n", "inc", True),
    "at home": ("[include]\npath = ~/inc\n", "../inc", True),
    "by the folder's name": ('[includeIf "gitdir:repo/"]\npath = inc\n', ".git/inc", True),
    "by its place": ('[includeIf "gitdir:~/repo/.git"]\npath = inc\n', ".git/inc", True),
    "in any case": ('[includeIf "gitdir/i:~/REPO/"]\npath = inc\n', ".git/inc", True),
    "one that is not there": ("[include]\npath = other\n", ".git/inc", False),
}


@pytest.mark.parametrize(("config", "file", "holds"), INCLUDED.values(), ids=INCLUDED.keys())
def test_included_files_are_read_where_git_reads_them(config: str, file: str, holds: bool, tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    of_git(tmp_path, "init", "-q", "-b", "main", "repo")
    with (repo / ".git/config").open("a") as own:
        own.write(config)
    (repo / file).write_text("[alias]\nzap = !echo RAN\n")
    assert (of_git(tmp_path, "zap", cwd=repo) == "RAN\n") is holds
    assert (ran_of("git zap", repo, tmp_path) == ["RAN"]) is holds
    assert (ran_of("git -C repo zap", tmp_path, tmp_path) == ["RAN"]) is holds


HOOKS = {
    "git commit --allow-empty -qm x": "beside",
    "git -C ../repo commit --allow-empty -qm x": "beside",
    "cd .. && git -C repo commit --allow-empty -qm x": "beside",
    "cd .. && git -C . -C repo commit --allow-empty -qm x": "beside",
    "git config core.hooksPath h; git commit --allow-empty -qm x": "elsewhere",
    "git config --global core.hooksPath ~/repo/h; git commit --allow-empty -qm x": "elsewhere",
    "git config core.hooksPath h && git config --unset core.editor; git commit --allow-empty -qm x": "elsewhere",
    "git -c core.hooksPath=h commit --allow-empty -qm x": "elsewhere",
}


@pytest.mark.parametrize(("text", "which"), HOOKS.items())
def test_the_hooks_that_git_runs_are_read(text: str, which: str, tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    of_git(tmp_path, "init", "-q", "repo")
    for folder, word in ((".git/hooks", "beside"), ("h", "elsewhere")):
        (repo / folder).mkdir(exist_ok=True)
        hook = repo / folder / "pre-commit"
        hook.write_text(f"#!/bin/sh\necho {word}\n")
        hook.chmod(0o755)
    assert ran_of(text, repo, tmp_path) == [which]
    named = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    result = subprocess.run(
        ["sh", "-c", text], cwd=repo, env=environment(tmp_path) | named, check=False, capture_output=True, text=True
    )
    assert which in (result.stdout + result.stderr).split()


def test_a_setting_that_may_not_have_been_made_adds_a_reading(tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    of_git(tmp_path, "init", "-q", "repo")
    for folder, word in ((".git/hooks", "beside"), ("h", "elsewhere")):
        (repo / folder).mkdir(exist_ok=True)
        (repo / folder / "pre-commit").write_text(f"#!/bin/sh\necho {word}\n")
    text = "false && git config core.hooksPath h; git commit -m x"
    assert sorted(ran_of(text, repo, tmp_path)) == ["beside", "elsewhere"]
