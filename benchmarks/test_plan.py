"""Cost that a plan adds to a call: without a plan, and by the number of its commands."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from measuring import cpu, interleave, ratio

from toolgate.app import App
from toolgate.model.action import RunShell
from toolgate.model.event import Caller, Scene
from toolgate.model.rule import Policy
from toolgate.policy import load
from toolgate.rules import TABLE

Figure = Callable[..., None]
LINE = "./blis run --seed 3 | tee out.txt"


def scene(project: Path, plan: Path | None = None) -> Scene:
    home = str(project.parent)
    named = {"NOUS_ITER_DIR": str(plan), "NOUS_PLAN_ENFORCEMENT": "strict"} if plan is not None else {}
    return Scene(Caller("bench"), str(project), str(project), home, {"HOME": home, **named})


@pytest.mark.parametrize(("commands", "gate"), [(1, 4.0), (20, 5.0), (200, 8.0)])
def test_a_plan(benchmark: Any, app: App, project: Path, tmp_path: Path, figure: Figure, commands: int, gate: float) -> None:
    lines = [f"- {{arm_id: a{n}, conditions: [{{command: './blis run --seed {n} > out/{n}.json'}}]}}" for n in range(commands)]
    (tmp_path / "experiment_plan.yaml").write_text("\n".join(["arms:", *lines]))
    nous = load({"TOOLGATE_HOME": "/dev/null"}, str(project.parent), str(project), profile="nous-plan")
    with_plan, without = scene(project, tmp_path), scene(project)
    runs = {
        "plan": partial(app.judge, RunShell(LINE), with_plan, nous),
        "none": partial(app.judge, RunShell(LINE), without, Policy()),
    }
    for run in runs.values():
        run()
    figures = interleave(30, plan=lambda: cpu(runs["plan"]), none=lambda: cpu(runs["none"]))
    times = ratio(figures, "plan", "none")
    figure(f"a plan of {commands} command{'s' if commands > 1 else ''}, beside none: judging alone, one line", f"{times:.2f}x")
    assert times <= gate
    benchmark.pedantic(runs["plan"], rounds=5)


def test_no_plan(benchmark: Any, app: App, project: Path, monkeypatch: pytest.MonkeyPatch, figure: Figure) -> None:
    """Compared with the gate without any support for plans."""
    from toolgate import rules

    index = {
        trigger: tuple(rule for rule in named if not rule.startswith("plan."))
        for trigger, named in rules.RULES_BY_TRIGGER.items()
    }
    assert any(rule.startswith("plan.") for rule in TABLE)
    judged, unaware = (partial(app.judge, RunShell(LINE), scene(project), Policy(digest=name)) for name in ("known", "unaware"))
    judged()
    with monkeypatch.context() as patch:
        patch.setattr(rules, "RULES_BY_TRIGGER", index)
        unaware()  # which rules a policy asks is worked out once
    times = ratio(interleave(300, known=lambda: cpu(judged), without=lambda: cpu(unaware)), "known", "without")
    figure("rules on plans where no plan is in force: judging alone, one line", f"{times:.2f}x", "1.05x; gate 1.2x")
    assert times <= 1.2
    benchmark.pedantic(judged, rounds=20)
