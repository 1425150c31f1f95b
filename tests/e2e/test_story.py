"""Real agents play a team's day under both SDKs: what a policy forbids leaves nothing, and what it allows is done."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from e2e.claude_session import Sandbox
from e2e.copilot_session import CopilotSandbox
from e2e.sdk_session import claude, copilot, place
from e2e.story import ASK, FILES, MAIL, STORY, TOKEN, Act, Do
from toolgate.canary.scripted_chat import ScriptedChat
from toolgate.canary.scripted_model import ScriptedModel
from toolgate.canary.scripted_server import CallResult, ScriptedCall, ScriptedTurn

__all__ = ["place"]
pytestmark = pytest.mark.e2e
Uses = Callable[[Do, Path], Sequence[ScriptedCall]]


def for_copilot(do: Do, project: Path) -> Sequence[ScriptedCall]:
    match do.how, do.what:
        case "bash", (command,):
            return (ScriptedCall("bash", {"command": command, "description": "d"}),)
        case "write", (path, content):
            return (ScriptedCall("create", {"path": str(project / path), "file_text": content}),)
        case "edit", (path, old, new):
            return (ScriptedCall("edit", {"path": str(project / path), "old_str": old, "new_str": new}),)
        case "read", (path,):
            return (ScriptedCall("view", {"path": str(project / path)}),)
        case _:
            return (ScriptedCall("ask_user", {"question": do.what[0]}),)


def for_claude(do: Do, project: Path) -> Sequence[ScriptedCall]:
    """Adds the reads that the client requires before it changes a file."""
    match do.how, do.what:
        case "bash", (command,):
            return (ScriptedCall("Bash", {"command": command}),)
        case "write", (path, content):
            return (ScriptedCall("Write", {"file_path": str(project / path), "content": content}),)
        case "edit", (path, old, new):
            change = {"file_path": str(project / path), "old_string": old, "new_string": new}
            return (*for_claude(Do("read", (path,)), project), ScriptedCall("Edit", change))
        case "read", (path,):
            return (ScriptedCall("Read", {"file_path": str(project / path)}),)
        case _:
            return (
                ScriptedCall("AskUserQuestion", {"questions": [{"question": do.what[0], "header": "h", "options": OPTIONS}]}),
            )


OPTIONS = [{"label": "left", "description": "l"}, {"label": "right", "description": "r"}]


def furnish(project: Path) -> None:
    """Creates the team's files, a first commit, and the repository that it is pushed to."""
    for name, text in FILES.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    origin = project.parent / "origin.git"
    git = ["git", "-C", str(project), "-c", "user.name=t", "-c", "user.email=t@example.com"]
    subprocess.run(["git", "init", "-q", "--bare", str(origin)], check=True)
    for words in (["add", "-A"], ["commit", "-qm", "first"], ["remote", "add", "origin", str(origin)]):
        subprocess.run([*git, *words], check=True)
    subprocess.run([*git, "push", "-q", "origin", "HEAD:main"], check=True)
    (project.parent / "before").write_text((origin / "refs" / "heads" / "main").read_text())
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "second"], check=True)


def turns(act: Act, uses: Uses, project: Path) -> list[ScriptedTurn]:
    doings = [do for part in act.parts for do in (part.violated, part.obeyed)]
    return [ScriptedTurn((use,)) for do in (*doings, *act.more) for use in uses(do, project)]


def check(act: Act, uses: Uses, project: Path, results: list[CallResult]) -> None:
    place = 0
    for part in act.parts:
        place += len(uses(part.violated, project))
        violated = results[place - 1]
        place += len(uses(part.obeyed, project))
        obeyed = results[place - 1]
        if part.policy == "P4":
            assert MAIL not in violated.text
            assert "ask " in violated.text
        else:
            assert violated.refused, f"{act.who}, {part.policy}: {violated.text}"
            assert "[" in violated.text, f"{act.who}, {part.policy}: {violated.text}"
        assert not obeyed.refused, f"{act.who}, {part.policy}: {obeyed.text}"
        assert part.kept(project), f"{act.who}, {part.policy}: {violated.text} / {obeyed.text}"
    assert MAIL not in json.dumps([result.text for result in results])


def told_to_the_shell(act: Act) -> dict[str, str]:
    """Returns the variables that a program which starts an agent sets for the gate's own commands."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return {"TOOLGATE_AGENT": str(act.spawn["agent"]), "TOOLGATE_ROLE": str(act.spawn["role"]), "PATH": path}


@pytest.fixture(params=["copilot", "claude"])
def play_act(request: pytest.FixtureRequest) -> Callable[[Act], None]:
    """Plays one act in the project that all acts share."""
    if request.param == "copilot":
        here: CopilotSandbox = request.getfixturevalue("place")
        furnish(here.project)

        def by_copilot(act: Act) -> None:
            with ScriptedChat(turns(act, for_copilot, here.project)) as model:
                copilot(here, model, profile="squad", spawn=act.spawn, yes=True, variables=told_to_the_shell(act))
                check(act, for_copilot, here.project, model.call_results())

        return by_copilot
    sandbox: Sandbox = request.getfixturevalue("sandbox")
    furnish(sandbox.project)

    def by_claude(act: Act) -> None:
        with ScriptedModel(turns(act, for_claude, sandbox.project), {}) as model:
            claude(sandbox, model, profile="squad", spawn=act.spawn, yes=True, variables=told_to_the_shell(act))
            check(act, for_claude, sandbox.project, model.call_results())

    return by_claude


def test_every_policy_is_told_of() -> None:
    policies = {part.policy for act in STORY for part in act.parts}
    assert policies >= {f"P{number}" for number in range(1, 19)} - {"P9"}
    assert TOKEN not in json.dumps([part.obeyed.what for act in STORY for part in act.parts])


def test_a_day_of_the_team(play_act: Callable[[Act], None]) -> None:
    for act in STORY:
        play_act(act)


def test_the_user_is_asked_five_times_and_no_more(place: CopilotSandbox) -> None:
    """Policy P9."""
    furnish(place.project)
    asking: list[Any] = [ScriptedTurn(tuple(for_copilot(ASK, place.project))) for _ in range(6)]
    with ScriptedChat(asking) as model:
        copilot(place, model, profile="squad", spawn={"agent": "Fenster"}, answer="to the left, where it is shorter")
        results = model.call_results()
    assert [each.refused for each in results] == [False] * 5 + [True]
    assert "Proceed with your best judgment" in results[-1].text
