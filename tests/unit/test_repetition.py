"""A command that was lowered before is not lowered again, and no verdict depends on that."""

import random
import shlex

import pytest

from judged import SHELL, answer_under, text
from toolgate.cases import Case
from toolgate.machine.simulated_world import SimulatedWorld
from toolgate.model.action import RunShell
from toolgate.model.effect import Delete, Run
from toolgate.model.event import Caller, Scene
from toolgate.model.rule import Policy
from toolgate.understand import understand
from toolgate.understand.repetition import Repetitions

REPEATED = (
    "f() {{\n{}\n}}\nf; f; f a",
    "for i in 1 2 3; do\n{}\ndone",
    "f() {{ :\n{}\n}}\nf; cd sub; f; HOME=/x f; export A=1; f",
)
CARRIED = (
    "f() {{ bash -c {}; }}; f; f >/dev/null 2>&1; f | cat; x=$(f); echo $x",
    "f() {{ sh -c {}; }}; f 2>/dev/null; x=$(f); f; cd sub; f",
)
SAMPLE = random.Random(1).sample(SHELL, 150)


@pytest.mark.parametrize("form", REPEATED)
def test_verdicts_are_the_same_without_it(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgate.understand.repetition._FIRST_LOWERED", 0)
    _compare_verdicts([(case, form.format(text(case))) for case in SAMPLE], monkeypatch)


@pytest.mark.parametrize("form", CARRIED)
def test_verdicts_of_what_a_command_runs_are_the_same_without_it(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgate.understand.repetition._FIRST_LOWERED", 0)
    _compare_verdicts([(case, form.format(shlex.quote(text(case)))) for case in SAMPLE], monkeypatch)


def _compare_verdicts(commands: list[tuple[Case, str]], monkeypatch: pytest.MonkeyPatch) -> None:
    found = [answer_under(Policy(), case, command).verdict for case, command in commands]
    monkeypatch.setattr(Repetitions, "find", lambda _self, _key: None)
    assert found == [answer_under(Policy(), case, command).verdict for case, command in commands]


SCENE = Scene(Caller("test"), "/p", "/p", "/h", {"HOME": "/h"})
WORLD = SimulatedWorld(files={"/p/s.sh": "rm old\n"}, folders=frozenset(("/p",)))


def test_a_script_that_only_reads_is_lowered_once() -> None:
    script = "\n".join(f"echo {n}" for n in range(40)) + "\ncat notes\n"
    world = SimulatedWorld(files={"/p/s.sh": script}, folders=frozenset(("/p",)))
    effects = understand(RunShell("f() { sh s.sh; }; f; f; f"), SCENE, world).all
    runs = [each.argv[0].text for each in effects if isinstance(each, Run)]
    assert runs.count("sh") == 3
    assert runs.count("cat") == 2  # the first command of a call is not compared


def test_a_file_that_changed_in_between_runs_again() -> None:
    many = "\n".join(f": {n}" for n in range(40))
    text = f"{many}\nf() {{ sh s.sh; }}\nf\necho rm new > s.sh\nf\n"
    gone = [each.place.path for each in understand(RunShell(text), SCENE, WORLD).all if isinstance(each, Delete)]
    assert gone == ["/p/old", "/p/new"]
