"""Compares the table of git's own subcommands with the git of this machine."""

import subprocess

from toolgate.programs.git.aliases import BUILT_IN_COMMANDS


def test_every_subcommand_of_this_machines_git_is_known() -> None:
    listed = subprocess.run(["git", "--list-cmds=main,nohelpers"], capture_output=True, text=True, check=True)
    assert set(listed.stdout.split()) <= BUILT_IN_COMMANDS
