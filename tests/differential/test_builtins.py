"""Compares what builtins run of their arguments with the real shells: every builtin of a shell, and what it did."""

import shutil
import subprocess
from pathlib import Path

import pytest

from differential.builtins import RUNNING, SILENT, texts
from differential.execution import Scratch, find_missed, is_unread, read_log
from differential.test_execution import find_shell

STARTED = {"bash": ["--norc", "--noprofile"], "dash": [], "zsh": ["-f"]}
LISTED = {"bash": "compgen -b", "zsh": "print -l ${(k)builtins}"}
SHELLS = ("bash", "dash", "zsh")
OF_DASH = """. : [ alias bg break cd chdir command continue echo eval exec exit export false fg getopts hash jobs kill local
    printf pwd read readonly return set shift test times trap true type ulimit umask unalias unset wait"""


def builtins_of(shell: str) -> set[str]:
    """Returns the builtins of a shell, from its manual where the shell cannot list them."""
    if shell == "dash":
        return set(OF_DASH.split())
    return set(subprocess.check_output([find_shell(shell), *STARTED[shell], "-c", LISTED[shell]], text=True).split())


@pytest.mark.parametrize("shell", SHELLS)
def test_every_builtin_is_in_the_table(shell: str) -> None:
    found, running, silent = builtins_of(shell), set(RUNNING[shell]) - {""}, SILENT[shell]
    some, none = len(found & running), len((found & silent) - running)
    print(f"{shell}: {len(found)} builtins, {some} that run an argument, {none} that run none")
    assert found - running - silent == set()


@pytest.mark.parametrize(("shell", "text"), [(shell, text) for shell in SHELLS for text in texts(shell)])
def test_what_a_builtin_ran_was_read(shell: str, text: str, tmp_path: Path) -> None:
    path = find_shell(shell)
    scratch = Scratch(tmp_path)
    folder = scratch.folder()
    (scratch.bin / "mkdir").symlink_to(shutil.which("mkdir") or "mkdir")
    effects = scratch.read_text(text, folder, SHELL=path)
    command = [
        path,
        *STARTED[shell],
        "-c",
        f'exec 9>>"$0"; {text}' if "\n" not in text else f'exec 9>>"$0"\n{text}',
        f"{folder}.log",
    ]
    subprocess.run(
        command, env=scratch.environ(), cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=20, check=False
    )
    ran = [each for each in read_log(Path(f"{folder}.log")) if each[0] == "m3"]
    assert ran, "the table says that this runs a command"
    assert is_unread(effects) or not find_missed(ran, effects)
