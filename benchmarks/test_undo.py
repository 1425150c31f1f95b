"""Cost of a copy for undo: whole calls in a warm process, with undo on and off in the same rounds, by size of the deletion."""

import os
import shutil
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from measuring import cpu, interleave, ratio, request_for

from toolgate.app import App
from toolgate.undo.comparison import compare
from toolgate.undo.restoration import restore
from toolgate.undo.vault import Vault

Figure = Callable[..., None]
ROUNDS = 15
SIZES = {"1 file of 4 kB": (1, 4_000), "100 files, 1.7 MB": (100, 17_000), "1,000 files, 17 MB": (1_000, 17_000)}
LARGEST = (4_000, 48_000)


class Bench:
    """A home with a project, and calls that are answered with undo on or off."""

    def __init__(self, folder: Path) -> None:
        self.app, self.home, self.project, self.count = App(), folder / "home", folder / "home" / "project", 0
        self.project.mkdir(parents=True)
        for word in ("on", "off"):
            (self.home / word / "toolgate").mkdir(parents=True)
            (self.home / word / "toolgate" / "policy.toml").write_text(f'undo = "{word}"\n')

    @property
    def store(self) -> Path:
        return self.home / ".local" / "state" / "toolgate" / "undo"

    def fill(self, folder: Path, files: int, size: int) -> None:
        for n in range(files):
            path = folder / str(n // 100) / str(n)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(os.urandom(size))

    def call(self, command: str, *, undo: bool) -> str:
        self.count += 1
        request = request_for(command, self.project)
        environ = {**request.environ, "XDG_CONFIG_HOME": str(self.home / ("on" if undo else "off"))}
        payload = request.payload.replace(b"toolu_bench", f"toolu_{self.count}".encode())
        return self.app.handle(replace(request, payload=payload, environ=environ, now=float(self.count))).stdout

    def wall(self, command: str, *, undo: bool) -> float:
        shutil.rmtree(self.store, ignore_errors=True)
        began = time.perf_counter()
        self.call(command, undo=undo)
        return (time.perf_counter() - began) * 1000


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_a_call_that_loses_nothing(benchmark: Any, bench: Bench, figure: Figure) -> None:
    for command in ("ls", "rm -rf node_modules && echo x > fresh"):
        with_undo, without = (partial(bench.call, command, undo=undo) for undo in (True, False))
        with_undo(), without()
        figures = interleave(100, on=partial(cpu, with_undo), off=partial(cpu, without))
        times = ratio(figures, "on", "off")
        figure(f"`{command}`", f"{statistics.median(figures['on']):.2f} ms of CPU, {times:.2f}x of the same without undo", "1.1x")
    assert not bench.store.exists()
    benchmark.pedantic(bench.call, ("ls",), {"undo": True}, rounds=20)


@pytest.mark.parametrize("name", SIZES)
def test_a_call_that_passes(name: str, benchmark: Any, bench: Bench, figure: Figure) -> None:
    files, size = SIZES[name]
    bench.fill(bench.project / "work", files, size)
    command = "rm -rf work"
    bench.wall(command, undo=True), bench.wall(command, undo=False)
    figures = interleave(ROUNDS, on=lambda: bench.wall(command, undo=True), off=lambda: bench.wall(command, undo=False))
    on, off = statistics.median(figures["on"]), statistics.median(figures["off"])
    bench.wall(command, undo=True)
    used, held = disk_used(bench.store), disk_used(bench.project / "work")
    figure(
        f"`rm -rf` of {name}",
        f"{on:.1f} ms, {on - off:.1f} ms of it for the copy; {used / 1e6:.2f} MB of disk ({held / 1e6:.2f} MB before)",
        "",
    )
    benchmark.pedantic(bench.wall, (command,), {"undo": True}, rounds=3)


def test_the_largest_that_runs_for_its_copy(benchmark: Any, bench: Bench, figure: Figure) -> None:
    files, size = LARGEST
    bench.fill(bench.home / "other", files, size)
    measured = []
    for _ in range(3):
        measured.append(bench.wall("rm -rf ~/other", undo=True))
    (id_,) = Vault(str(bench.store)).list_ids()
    figure(
        f"`rm -rf` of {files:,} files, {files * size / 1e6:.0f} MB, outside the project",
        f"{statistics.median(measured):.0f} ms; {disk_used(bench.store) / 1e6:.0f} MB of disk",
        "2 s",
    )
    shutil.rmtree(bench.home / "other")
    vault = Vault(str(bench.store))
    began = time.perf_counter()
    entry = vault.load_entry(id_)
    restore(entry, compare(entry, vault, lambda _path: ""), vault)
    figure("all of that given back", f"{time.perf_counter() - began:.1f} s", "")
    benchmark.pedantic(vault.load_entry, (id_,), rounds=3)


def test_one_large_file(benchmark: Any, bench: Bench, figure: Figure) -> None:
    (bench.home / "other").mkdir()
    (bench.home / "other" / "disk.img").write_bytes(os.urandom(150_000_000))
    with (bench.home / "other" / "sparse.img").open("wb") as file:
        file.truncate(1 << 30)
    measured = [bench.wall("rm -rf ~/other", undo=True) for _ in range(5)]
    assert Vault(str(bench.store)).list_ids()
    figure("`rm -rf` of a file of 150 MB and an empty one of 1 GB", f"{statistics.median(measured):.0f} ms", "2 s")
    benchmark.pedantic(bench.wall, ("rm -rf ~/other",), {"undo": True}, rounds=2)


def disk_used(folder: Path) -> int:
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())
