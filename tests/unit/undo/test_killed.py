"""Killed at any step of keeping or restoring, the original or the copy is complete, and the next run works."""

import os
import random
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

from toolgate.undo.entry import Entry
from toolgate.undo.vault import Vault
from unit.undo.copies import give_back, keep, tree

KILLS = int(os.environ.get("UNDO_KILLS", "40"))


def killed_after(lines: int, does: Callable[[], object]) -> bool:
    """Runs a function in a process that dies at a line of the undo package. Returns whether it died."""
    child = os.fork()
    if child == 0:
        left = lines

        def trace(frame: FrameType, event: str, _: object) -> object:
            nonlocal left
            if "/toolgate/undo/" not in frame.f_code.co_filename:
                return None
            if event == "line":
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)
            return trace

        sys.settrace(trace)  # type: ignore[arg-type]
        does()
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / "deep").mkdir(parents=True)
    for n in range(6):
        (folder / "deep" / str(n)).write_bytes(bytes([n]) * n * 100_000)
    (folder / "link").symlink_to("deep")
    return folder


def lines_of(does: Callable[[], object]) -> int:
    """Returns how many lines of the undo package a function runs, at least."""
    low, high = 0, 1
    while killed_after(high, does):
        low, high = high, high * 2
    return (low + high) // 2


def test_keeping(work: Path, tmp_path: Path) -> None:
    before, chance = tree(work), random.Random(2)
    lines = lines_of(lambda: keep(Vault(str(tmp_path / "measured" / str(os.getpid()))), "1", work))
    died = 0
    for n in range(KILLS // 2):
        vault = Vault(str(tmp_path / f"undo-{n}"))
        died += killed_after(chance.randrange(lines), lambda vault=vault: keep(vault, "1", work))  # type: ignore[misc]
        assert tree(work) == before
        entry = vault.load_entry("1") if vault.list_ids() else keep(vault, "1", work)
        assert len(entry.items) == len(before) + 1
        assert not [name for name in os.listdir(vault.folder) if name.endswith(".new") and vault.list_ids() == []]
    assert died


def test_giving_back(work: Path, tmp_path: Path) -> None:
    vault, before, chance = Vault(str(tmp_path / "undo")), tree(work), random.Random(3)
    entry = keep(vault, "1", work)

    def restore_entry() -> Entry:
        give_back(vault, entry)
        return entry

    def spoil() -> None:
        shutil.rmtree(work / "deep")
        (work / "link").unlink()
        (work / "link").write_text("overwritten")

    spoil()
    lines, died = lines_of(restore_entry), 0
    for _ in range(KILLS - KILLS // 2):
        give_back(vault, entry)
        assert tree(work) == before
        spoil()
        died += killed_after(chance.randrange(lines), restore_entry)
        for path, content in tree(work).items():
            assert path.endswith(f"-{entry.id}") or content in (before[path], b"overwritten"), path
    give_back(vault, entry)
    assert tree(work) == before
    assert died
