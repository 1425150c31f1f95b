"""Cost of the gate in a program's own process, behind an SDK's callbacks, with a team's rules.

CPU time of the whole process, its threads included; the profile is `squad`, the agent one of a team with all its files.
"""

import asyncio
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from measuring import calibration, cpu, mixed_lines

from toolgate.api import Spawn
from toolgate.sdk.copilot import Guard

Figure = Callable[..., None]
TEAM = {
    "team.md": "## Members\n\n| Name | Role | Charter | Status |\n|---|---|---|---|\n| Fenster | Backend | - | active |\n",
    "decisions.md": "# Decisions\n",
    "agents/fenster/charter.md": "x",
    "lockout.json": '{"action": "lock", "artifact": "src/a.ts", "agent": "verbal", "by": "baer", "at": ""}\n',
}


@pytest.fixture
def call(project: Path) -> Iterator[Callable[[str], object]]:
    """Calls a session's hook as the SDK does."""
    for name, text in TEAM.items():
        path = project / ".squad" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    environ = {"HOME": str(project.parent), "TOOLGATE_HOME": str(project.parent / "gate"), "PATH": "/usr/bin:/bin"}
    guard = Guard(profile="squad", spawn=Spawn(agent="Fenster", role="agent"), project=str(project), environ=environ)
    hook: Any = guard.session()["hooks"]["on_pre_tool_use"]
    loop = asyncio.new_event_loop()

    def call_hook(command: str) -> object:
        tool_input = {"toolName": "bash", "toolArgs": {"command": command, "description": "d"}}
        return loop.run_until_complete(hook({"sessionId": "s", "workingDirectory": str(project), **tool_input}, {}))

    yield call_hook
    loop.close()


@pytest.mark.parametrize(("what", "mark"), [("the mixed set", ""), ("the mixed set, no line twice", "  # {}")])
def test_a_session(benchmark: Any, call: Callable[[str], object], figure: Figure, what: str, mark: str) -> None:
    """A repeated line is remembered; with a mark of its own, none is."""
    commands = [line + mark.format(number) for number, line in enumerate(mixed_lines(1_000))]
    for command in commands[:200]:
        call(f"{command} ")
    costs = [cpu(lambda command=command: call(command)) for command in commands]  # type: ignore[misc]
    ordered = sorted(costs)
    loop = statistics.median(cpu(calibration) for _ in range(50))
    p50, p99 = ordered[len(costs) // 2], ordered[int(len(costs) * 0.99)]
    figure(f"{what}, 1,000 calls", f"P50 {p50:.2f} ms, P99 {p99:.2f} ms", "P99 < 5 ms")
    sessions = [sum(costs[n : n + 25]) for n in range(0, len(costs), 25)]
    figure(f"25 calls of a session through all rules, {what}", f"{statistics.median(sessions):.0f} ms", "150 ms")
    assert p99 <= 25 * loop
    benchmark.pedantic(call, (commands[0],), rounds=20)
