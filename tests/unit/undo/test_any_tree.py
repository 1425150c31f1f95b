"""Creates random trees and runs commands on them: what was kept is restored exactly, and nothing else is lost."""

import os
import random
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from toolgate.undo.comparison import compare
from toolgate.undo.entry import Entry
from toolgate.undo.restoration import restore
from toolgate.undo.vault import Vault
from unit.sessions.simulated_client import client_in
from unit.undo.trees import ENVIRON, Snapshot, command, git, plant, run, snapshot

COUNT = int(os.environ.get("UNDO_TREES", "40"))
SEED = int(os.environ.get("FUZZ_SEED", "1"))
GROUPS = 4


@pytest.mark.parametrize("group", range(GROUPS))
def test_what_a_call_loses_comes_back(group: int, tmp_path: Path) -> None:
    kept_count = 0
    for n in range(group, COUNT, GROUPS):
        folder = tmp_path / str(n)
        folder.mkdir()
        kept_count += _lost_and_given_back(random.Random(f"{SEED}-{n}"), folder)
    assert kept_count > COUNT // GROUPS // 3


def _lost_and_given_back(chance: random.Random, folder: Path) -> bool:
    """Returns whether a copy was kept."""
    client = client_in(folder, "")
    (client.project / ".git").rmdir()
    plant(chance, client.home, client.project)
    text, before, client.now = command(chance, client.project), snapshot(client.home, client.project), time.time()
    if not client.bash(text).startswith("runs"):
        return False
    run(text, client.project)
    client.hook("PostToolUse", tool_name="Bash", tool_input={"command": text}, tool_use_id="t", tool_response={"stdout": ""})
    vault = Vault(str(client.state / "undo"))
    if not vault.list_ids():
        assert find_lost_files(before, snapshot(client.home, client.project), held_by_git(client.project)) == {}, text
        return False
    entry = vault.load_entry(vault.list_ids()[0])
    _give_back(entry, vault, newer=False)
    assert differences(before, snapshot(client.home, client.project)) == ([], ()), text
    return True


def _give_back(entry: Entry, vault: Vault, *, newer: bool) -> None:
    changes = compare(entry, vault, lambda _path: "")
    assert any(change.newer for change in changes) is newer, changes
    restore(entry, changes, vault)
    assert compare(entry, vault, lambda _path: "") == ()


def differences(before: Snapshot, after: Snapshot) -> tuple[list[str], tuple[str, ...]]:
    paths = [path for path in {**before.files, **after.files} if before.files.get(path) != after.files.get(path)]
    return sorted(paths), tuple(f"{one} | {two}" for one, two in zip(before.git, after.git, strict=True) if one != two)


def find_lost_files(before: Snapshot, after: Snapshot, held_contents: set[bytes]) -> Mapping[str, bytes]:
    """Returns files whose content exists nowhere any more."""
    left = {content for _, content in after.files.values()} | held_contents
    gone = {path: content for path, (mode, content) in before.files.items() if mode and content not in left}
    return {path: content for path, content in gone.items() if not any(each.startswith(content) for each in left)}


def held_by_git(project: Path) -> set[bytes]:
    import subprocess

    names = [line.split() for line in git(project, "cat-file", "--batch-all-objects", "--batch-check").splitlines()]
    command = ["git", "-C", str(project), "cat-file", "blob"]
    return {
        subprocess.run([*command, name], env=ENVIRON, capture_output=True, check=True).stdout
        for name, kind, _ in names
        if kind == "blob"
    }
