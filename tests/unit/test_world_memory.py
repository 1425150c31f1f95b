"""Tests the memory of the world's answers: it never gives an answer that the world would not give again."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from shutil import rmtree

import pytest

from toolgate.machine import world as machine
from toolgate.machine.simulated_world import SimulatedWorld
from toolgate.model.world import ABSENT, UNKNOWN, World
from toolgate.world_memory import MAX_VALUES, WorldMemory


def count_calls(work: Callable[[World], object]) -> tuple[Callable[[World], object], list[int]]:
    calls: list[int] = []

    def once_more(world: World) -> object:
        calls.append(1)
        return work(world)

    return once_more, calls


def test_it_holds_for_as_long_as_the_answers_do() -> None:
    memory = WorldMemory()
    work, calls = count_calls(lambda world: (world.read("/a", 10), world.kind("/b"), world.listing("/", 9), world.link("/l")))
    one = SimulatedWorld(files={"/a": "x"}, links={"/l": "/a"})
    assert (
        memory.compute_or_reuse("key", one, work) == memory.compute_or_reuse("key", one, work) == ("x", ABSENT, ("a", "l"), "/a")
    )
    assert len(calls) == 1
    for other in (
        SimulatedWorld(files={"/a": "y"}, links={"/l": "/a"}),
        SimulatedWorld(files={"/a": "y", "/b": ""}, links={"/l": "/a"}),
        SimulatedWorld(files={"/a": "y", "/b": ""}, links={"/l": "/b"}),
        one,
    ):
        before = len(calls)
        assert memory.compute_or_reuse("key", other, work) == work(other)
        assert len(calls) == before + 2


def test_keys_are_kept_apart_and_few() -> None:
    memory, world = WorldMemory(), SimulatedWorld()
    for n in range(3 * MAX_VALUES):
        assert memory.compute_or_reuse(n, world, lambda _world, n=n: n) == n  # type: ignore[misc]
    work, calls = count_calls(lambda _world: "again")
    assert [memory.compute_or_reuse(0, world, work) for _ in range(2)] == ["again"] * 2
    assert len(calls) == 1


def test_the_one_nobody_asked_for_the_longest_is_forgotten() -> None:
    memory, world = WorldMemory(3), SimulatedWorld()
    works = {n: count_calls(lambda _world, n=n: n) for n in range(4)}  # type: ignore[misc]
    for n in (0, 1, 2, 0, 3, 0, 2, 3, 1):
        memory.compute_or_reuse(n, world, works[n][0])
    assert [len(calls) for _, calls in works.values()] == [1, 2, 1, 1]


def test_what_was_followed_is_told_of_the_world_itself() -> None:
    world = SimulatedWorld(files={"/a": "x"})
    assert WorldMemory().compute_or_reuse(
        "key", world, lambda noting: (noting.followed_files(), noting.identity("/a"), noting.git("/"))
    ) == (
        world.followed_files(),
        ABSENT,
        ABSENT,
    )


ASKED = ("a", "a/b", "a/b/c", "a/b/c/d", "x", "x/y", "x/y/z")


def questions(top: Path) -> Callable[[World], object]:
    """Returns questions about a folder before those about its entries, and the other way round."""
    paths = [str(top), *(f"{top}/{each}" for each in (*ASKED, *reversed(ASKED)))]
    return lambda world: tuple(
        (world.kind(path), world.link(path), world.read(path, 99), world.listing(path, 99)) for path in paths
    )


def change(top: Path, dice: Random) -> None:
    """Changes files as agents' commands do, perhaps without effect."""
    here, there = (top / dice.choice(ASKED) for _ in range(2))
    with suppress(OSError):
        match dice.randrange(7):
            case 0:
                here.mkdir(parents=True)
            case 1:
                here.write_text(dice.choice("123"))
            case 2:
                here.symlink_to(dice.choice((there, there.name, "nowhere")))
            case 3:
                here.rename(there)
            case 4:
                here.unlink()
            case 5:
                rmtree(here)
            case _:
                os.utime(here, (1, 1))


@pytest.mark.parametrize("seed", range(12))
def test_a_folder_that_bears_its_stamp_holds_what_it_held(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Uses the real machine, whatever happens between two calls."""
    monkeypatch.setattr(machine, "SETTLED_NANOSECONDS", 20_000_000)
    memory, dice, saved = WorldMemory(), Random(seed), 0
    work, calls = count_calls(questions(tmp_path))
    for _ in range(60):
        if not dice.randrange(3):
            change(tmp_path, dice)
            time.sleep(dice.choice((0, 0.03)))
        world = machine.MachineWorld()
        found = memory.compute_or_reuse("key", world, work)
        fresh = machine.MachineWorld()
        assert found == questions(tmp_path)(fresh), calls
        saved += len(world.answers) < len(fresh.answers)
    assert saved


def test_names_in_a_folder_that_stays_as_it_is_are_not_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "SETTLED_NANOSECONDS", 20_000_000)
    time.sleep(0.05)
    memory, questions = WorldMemory(), []
    for _ in range(4):
        memory.compute_or_reuse(
            "key",
            world := machine.MachineWorld(),
            lambda world: [world.kind(f"{tmp_path}{n}") for n in ("", *(f"/{n}" for n in range(20)))],
        )
        questions.append(len(world.answers))
    assert questions[0] == 21
    assert questions[3] < 5


def test_a_value_depends_on_the_answers_of_a_value_that_it_reuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "SETTLED_NANOSECONDS", 20_000_000)
    time.sleep(0.05)
    inner, outer = WorldMemory(), WorldMemory()

    def is_there(world: World) -> object:
        return inner.compute_or_reuse("name", world, lambda noting: [noting.kind(f"{tmp_path}{n}") for n in ("", "/name")][1])

    for _ in range(3):  # from then on the names in the folder are not asked for
        assert is_there(machine.MachineWorld()) is ABSENT
    assert outer.compute_or_reuse("key", machine.MachineWorld(), is_there) is ABSENT
    (tmp_path / "name").touch()
    assert outer.compute_or_reuse("key", machine.MachineWorld(), is_there) == "file"


def test_files_that_tell_nothing_of_their_changes_are_asked_for_themselves() -> None:
    world = machine.MachineWorld()
    assert world.kind("/proc") == "folder"
    assert world.stamp("/proc") is UNKNOWN
    assert world.stamp("/nowhere") is UNKNOWN
