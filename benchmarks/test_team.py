"""Cost that the rules of a team add to a call: without a team, and for the calls of a session."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from measuring import LINES, cpu, interleave, ratio

from toolgate.app import App
from toolgate.model.action import Action, EditFile, ReadFile, Replacement, RunShell, WriteFile
from toolgate.model.event import Caller, Scene, Spawn
from toolgate.model.rule import Policy
from toolgate.policy import load

Figure = Callable[..., None]
CALLS = 1_000
SESSION = 25
ROSTER = "| Name | Role |\n|---|---|\n" + "".join(f"| Agent{n} | Developer |\n" for n in range(12))
LOCKED = "".join(
    json.dumps({"action": "lock", "artifact": f"src/rejected/{n}.ts", "agent": f"Agent{n % 12}"}) + "\n" for n in range(30)
)


def scene(project: Path, spawn: Spawn) -> Scene:
    home = str(project.parent)
    return Scene(Caller("bench"), str(project), str(project), home, {"HOME": home, "TOOLGATE_HOME": f"{home}/gate"}, spawn=spawn)


@pytest.fixture
def team(project: Path) -> Path:
    own = project / ".squad"
    (own / "agents" / "Agent1").mkdir(parents=True, exist_ok=True)
    (own / "team.md").write_text(ROSTER)
    (own / "lockout.json").write_text(LOCKED)
    (own / "decisions.md").write_text("# Decisions\n" * 50)
    (own / "agents" / "Agent1" / "charter.md").write_text("# Agent1\n\n## What I Own\n\n- `src/**`\n")
    return project


def mixed_actions(project: Path) -> list[Action]:
    """Returns actions as agents take them: mostly the shell, some reading, some writing."""
    found: list[Action] = []
    for n in range(CALLS):
        file = str(project / "src" / f"{n % 40}.ts")
        match n % 5:
            case 0:
                found.append(ReadFile(file))
            case 1:
                found.append(EditFile(file, (Replacement("a", "b"),)))
            case 2:
                found.append(WriteFile(file, "export const a = 1\n"))
            case _:
                found.append(RunShell(LINES[n % len(LINES)]))
    return found


def test_a_team(benchmark: Any, app: App, team: Path, figure: Figure) -> None:
    """The design's own budgets: 5 ms for the slowest of a hundred calls, 150 ms for a session of 25."""
    squad = load({"TOOLGATE_HOME": "/dev/null"}, str(team.parent), str(team), profile="squad")
    here = scene(team, Spawn("Agent1"))
    runs = [partial(app.judge, action, here, squad) for action in mixed_actions(team)]
    for run in runs[:50]:
        run()
    times = sorted(cpu(run) for run in runs)
    slow, session = times[int(CALLS * 0.99)], sum(times) / CALLS * SESSION
    figure(f"{CALLS} mixed calls of a team's agent, judging alone: the slowest of a hundred", f"{slow:.2f} ms", "gate 5 ms")
    figure(f"a session of {SESSION} such calls, in total", f"{session:.0f} ms", "gate 150 ms")
    assert slow < 5
    assert session < 150
    benchmark.pedantic(runs[3], rounds=5)


def test_no_team(benchmark: Any, app: App, project: Path, monkeypatch: pytest.MonkeyPatch, figure: Figure) -> None:
    """Compared with the gate without any support for teams."""
    from toolgate import rules

    index = {
        trigger: tuple(rule for rule in named if not rule.startswith("team."))
        for trigger, named in rules.RULES_BY_TRIGGER.items()
    }
    judged, unaware = (
        partial(app.judge, WriteFile(str(project / "src" / "a.ts"), "x"), scene(project, Spawn()), Policy(digest=name))
        for name in ("known", "unaware")
    )
    judged()
    with monkeypatch.context() as patch:
        patch.setattr(rules, "RULES_BY_TRIGGER", index)
        unaware()  # which rules a policy asks is worked out once
    times = ratio(interleave(300, known=lambda: cpu(judged), without=lambda: cpu(unaware)), "known", "without")
    figure("rules on teams where the profile is another: judging alone, one write", f"{times:.2f}x", "gate 1.2x")
    assert times <= 1.2
    benchmark.pedantic(judged, rounds=20)
