"""Tests the questions to the machine, and what follows from its earlier answers."""

from pathlib import Path

from toolgate.machine.world import MachineWorld, RecordedWorld
from toolgate.model.word import Unread
from toolgate.model.world import ABSENT, UNKNOWN
from toolgate.overlay import Overlay
from toolgate.paths import resolve_path


def test_in_a_folder_that_is_not_there_is_nothing(tmp_path: Path) -> None:
    world = MachineWorld()
    away = tmp_path / "away"
    assert world.kind(str(away)) is ABSENT
    (away / "deep").mkdir(parents=True)
    (away / "file").write_text("x")
    assert world.kind(str(away / "deep")) is ABSENT  # one call, one answer: it was not there when it was looked for
    assert world.read(str(away / "file"), 100) == "x"  # nobody looked for this one
    assert world.kind(str(tmp_path / "other")) is ABSENT
    assert world.read(str(tmp_path / "other"), 100) is ABSENT


def test_an_answer_that_follows_from_another_is_recorded_too(tmp_path: Path) -> None:
    world = MachineWorld()
    below = str(tmp_path / "away" / "deep")
    assert (world.kind(str(tmp_path / "away")), world.kind(below), world.read(below, 100)) == (ABSENT, ABSENT, ABSENT)
    again = RecordedWorld(world.answers, folds_case=world.folds_case)
    assert (again.kind(below), again.read(below, 100)) == (ABSENT, ABSENT)


def test_what_is_there_is_found_where_something_beside_it_is_not(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_text("x")
    world = MachineWorld()
    assert world.kind(str(tmp_path / "the")) is ABSENT
    assert world.kind(str(tmp_path / "there")) == "folder"
    assert world.kind(str(tmp_path / "there" / "file")) == "file"


def test_nothing_is_told_of_what_the_gate_itself_has_open(tmp_path: Path) -> None:
    file = tmp_path / "open"
    file.write_text("the gate's own")
    with file.open() as opened:
        path = f"/proc/self/fd/{opened.fileno()}"
        world = MachineWorld()
        facts = (world.kind(path), world.link(path), world.read(path, 100), world.identity(path))
        assert facts == (UNKNOWN, UNKNOWN, Unread("it cannot be opened"), UNKNOWN)
        for own in (
            f"/dev/fd/{opened.fileno()}",
            f"/proc/self/../self/fd/{opened.fileno()}",
            f"/tmp/..//dev/fd/{opened.fileno()}",
        ):
            assert str(file) not in resolve_path(own, Overlay(world))
        assert resolve_path("/dev/stderr", Overlay(world)) == ("/proc/self/fd/2",)
