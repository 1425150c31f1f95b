"""Tests the gate in programs that use the SDKs, with the real runtimes and SDKs, by what is left on the disk."""

from contextlib import AbstractContextManager

import pytest

from e2e.claude_session import Sandbox
from e2e.claude_session import bash as claude_bash
from e2e.copilot_session import PATCHES, CopilotSandbox, bash
from e2e.sdk_session import claude, copilot, place
from toolgate.canary.client import STUB_SERVER
from toolgate.canary.scripted_chat import ScriptedChat
from toolgate.canary.scripted_model import ScriptedModel
from toolgate.canary.scripted_server import ScriptedCall, ScriptedTurn
from unit.redaction.planted import plant_values

__all__ = ["place"]
pytestmark = pytest.mark.e2e
TOKEN = "ghp_" + "Zq7Wm2Kx9Rt4Yp1Vb6Nc3Hd8Lf5Gs0Ja7Qu2"


def test_copilot_a_verdict_on_disk(place: CopilotSandbox) -> None:
    outside = place.home / "outside"
    turns = (
        ScriptedTurn((bash("touch passed"),)),
        ScriptedTurn((bash(f"touch {outside}"),)),
        ScriptedTurn((bash("rm -rf ~"),)),
        ScriptedTurn((ScriptedCall("create", {"path": str(place.project / "made"), "file_text": "x"}),)),
        ScriptedTurn((ScriptedCall("view", {"path": str(place.home / ".ssh" / "id_ed25519")}),)),
    )
    with ScriptedChat(turns) as model:
        answers = copilot(place, model)
        results = model.call_results()
    assert (place.project / "passed").exists()
    assert (place.project / "made").read_text() == "x"
    assert not outside.exists()
    assert place.home.exists()
    assert [each.refused for each in results] == [False, True, True, False, True]
    assert "Nobody is there who could be asked" in results[1].text
    assert answers["unjudged"] == []


def test_copilot_whoever_is_there_is_asked_once(place: CopilotSandbox) -> None:
    outside = place.home / "outside"
    with ScriptedChat((ScriptedTurn((bash(f"touch {outside}"),)),)) as model:
        results = copilot(place, model, yes=True)
    assert outside.exists()
    assert results["asked"] == ["hook"]


def test_copilot_a_resumed_session_is_guarded(place: CopilotSandbox) -> None:
    turns = (ScriptedTurn((bash("touch first"),), pauses=True), ScriptedTurn((bash("git push --force origin main"),)))
    with ScriptedChat(turns) as model:
        copilot(place, model, resumed=True, profile="squad")
        _, result = model.call_results()
    assert (place.project / "first").exists()
    assert result.refused
    assert "git.force-push" in result.text


def test_copilot_without_hooks_permission_is_refused_all_the_same(place: CopilotSandbox) -> None:
    """As if the runtime failed to call a hook: the permission handler refuses."""
    key = place.home / ".ssh" / "authorized_keys"
    with ScriptedChat(
        (ScriptedTurn((bash(f"mkdir -p ~/.ssh; echo k >> {key}"),)), ScriptedTurn((bash("touch passed"),)))
    ) as model:
        copilot(place, model, no_hooks=True)
        results = model.call_results()
    assert not key.exists()
    assert (place.project / "passed").exists()
    assert [each.refused for each in results] == [True, False]


def test_copilot_patches_and_secrets(place: CopilotSandbox) -> None:
    (place.project / "notes").write_text(f"token = {TOKEN}\n")
    patch = "*** Begin Patch\n*** Add File: {}\n+hello\n*** End Patch\n"
    turns = (
        ScriptedTurn((ScriptedCall("apply_patch", {"patch": patch.format("made.txt")}),)),
        ScriptedTurn((ScriptedCall("apply_patch", {"patch": patch.format(place.home / ".bashrc")}),)),
        ScriptedTurn((bash("cat notes"),)),
    )
    with ScriptedChat(turns) as model:
        copilot(place, model, kind=PATCHES["COPILOT_MODEL"])
        results, messages = model.call_results(), model.all_messages
    assert (place.project / "made.txt").exists()
    assert not (place.home / ".bashrc").exists()
    assert [each.refused for each in results] == [False, True, False]
    assert TOKEN not in messages
    assert "token = " in results[2].text


def test_copilot_none_of_the_planted_values_reaches_the_model(place: CopilotSandbox) -> None:
    """200 values of ten kinds, through every tool that prints."""
    rows = plant_values()
    for number in range(10):
        lines = [line for line, _ in rows[number::10]]
        (place.project / f"notes-{number}.txt").write_text("first line\n" + "\n".join(lines) + "\nlast line\n")
    file = {number: str(place.project / f"notes-{number}.txt") for number in range(10)}
    tools = {
        "bash": bash("cat notes-0.txt"),
        "bash, failed": bash("cat notes-1.txt; exit 3"),
        "bash, on standard error": bash("cat notes-2.txt >&2; false"),
        "view": ScriptedCall("view", {"path": file[3]}),
        "view, a part": ScriptedCall("view", {"path": file[4], "view_range": [3, 15]}),
        "a server's tool": ScriptedCall("stub-peek", {"path": file[5]}),
        "grep": ScriptedCall("grep", {"pattern": ".", "paths": file[6], "output_mode": "content"}),
        "edit": ScriptedCall("edit", {"path": file[7], "old_str": "first line", "new_str": "1st line"}),
        "bash, in colours": bash("grep --color=always -n . notes-8.txt"),
        "bash, in base64": bash("base64 -w0 notes-9.txt"),
    }
    command, *arguments = STUB_SERVER["stub"]
    server = {"type": "local", "command": command, "args": arguments, "tools": ["*"]}
    with ScriptedChat([ScriptedTurn((use,)) for use in tools.values()]) as model:
        copilot(place, model, servers={"stub": server})
        results, messages = dict(zip(tools, model.call_results(), strict=True)), model.all_messages
    assert [value for _, value in rows if value in messages] == []
    assert [name for name, result in results.items() if "REDACTED:" not in result.text] == ["edit"]
    assert all(line in (place.project / "notes-7.txt").read_text() for line, _ in rows[7::10])


def start_model(*turns: ScriptedTurn) -> AbstractContextManager[ScriptedModel]:
    return ScriptedModel(turns, {})


def test_claude_a_verdict_on_disk(sandbox: Sandbox) -> None:
    outside = sandbox.home / "outside"
    (sandbox.project / "notes").write_text(f"token = {TOKEN}\n")
    calls = ("touch passed", f"touch {outside}", "rm -rf ~", "cat notes")
    with start_model(*(ScriptedTurn((claude_bash(call),)) for call in calls)) as model:
        claude(sandbox, model)
        results, messages = model.call_results(), model.all_messages
    assert (sandbox.project / "passed").exists()
    assert not outside.exists()
    assert sandbox.home.exists()
    assert [each.refused for each in results] == [False, True, True, False]
    assert TOKEN not in messages


def test_claude_whoever_is_there_is_asked(sandbox: Sandbox) -> None:
    outside = sandbox.home / "outside"
    with start_model(ScriptedTurn((claude_bash(f"touch {outside}"),))) as model:
        results = claude(sandbox, model, yes=True)
    assert outside.exists()
    assert results["asked"] == ["Bash"]


def test_claude_the_profile_is_the_programs_word(sandbox: Sandbox) -> None:
    with start_model(ScriptedTurn((claude_bash("git push --force origin main"),))) as model:
        claude(sandbox, model, yes=True, profile="squad")
        (result,) = model.call_results()
    assert result.refused
    assert "git.force-push" in result.text
