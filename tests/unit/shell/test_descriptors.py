"""Tests words that name an open descriptor."""

from toolgate.machine.simulated_world import SimulatedWorld
from toolgate.model.action import RunShell
from toolgate.model.effect import Run
from toolgate.model.event import Caller, Scene
from toolgate.shell.domain.values import MAX_ALTERNATIVES
from toolgate.understand import understand

SCENE = Scene(Caller("test"), "/w", "/w", "/home/u", {"SHELL": "/bin/bash"})
FOLDERS = 'd=/a; [ "$X" ] && d=/b; [ "$X" ] && d=/c; exec 3<"$d"; '


def list_runs(text: str) -> list[Run]:
    effects = understand(RunShell(FOLDERS + text), SCENE, SimulatedWorld(folders=frozenset(("/w", "/a", "/b", "/c")))).all
    return [effect for effect in effects if isinstance(effect, Run) and effect.argv[0].text == "cat"]


def test_a_few_are_told_apart() -> None:
    assert {run.argv[1].text for run in list_runs("cat /dev/fd/3/x")} == {"/a/x", "/b/x", "/c/x"}


def test_however_many_words_there_are_the_commands_stay_few() -> None:
    (run, *more) = list_runs("cat" + " /dev/fd/3/x" * 30)
    assert len(more) < MAX_ALTERNATIVES
    assert run.argv[1].head == "/"
    assert run.argv[1].text is None
