"""Tests the adapters' answers without the SDKs: those are in tests/e2e/test_sdks.py."""

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import toolgate.sdk as sdk
from toolgate.model.event import Spawn
from toolgate.sdk import claude, copilot, in_process

TOKEN = "ghp_" + "Zq7Wm2Kx9Rt4Yp1Vb6Nc3Hd8Lf5Gs0Ja7Qu2"


def environ(folder: Path) -> dict[str, str]:
    return {"HOME": str(folder), "TOOLGATE_HOME": str(folder / "gate"), "PATH": "/usr/bin:/bin"}


def guard(folder: Path, **more: Any) -> copilot.Guard:
    return copilot.Guard(project=str(folder), environ=environ(folder), **more)


def call(tool: str, arguments: object, **more: object) -> dict[str, object]:
    return {"sessionId": "s", "workingDirectory": "/w", "toolName": tool, "toolArgs": arguments, **more}


def call_hook(guard: copilot.Guard, name: str, payload: dict[str, object]) -> dict[str, Any] | None:
    hook: Callable[..., Any] = guard.session()["hooks"][name]
    answer: dict[str, Any] | None = asyncio.run(hook(payload, {"session_id": "s"}))
    return answer


def test_the_table_names_every_adapter() -> None:
    modules = {path.stem for path in Path(sdk.__file__).parent.glob("*.py")} - {"__init__", "in_process"}
    assert sdk.ADAPTERS.keys() == modules


def test_a_call_is_denied_asked_or_left_alone(tmp_path: Path) -> None:
    session_guard = guard(tmp_path)
    denied = call_hook(session_guard, "on_pre_tool_use", call("bash", {"command": "rm -rf /"}))
    assert denied is not None
    assert denied["permissionDecision"] == "deny"
    question = call_hook(session_guard, "on_pre_tool_use", call("bash", {"command": "git push --force"}))
    assert question is not None
    assert question["permissionDecision"] == "ask"
    assert call_hook(session_guard, "on_pre_tool_use", call("bash", {"command": "ls"})) is None


def test_the_profile_is_the_programs_word(tmp_path: Path) -> None:
    denied = call_hook(guard(tmp_path, profile="squad"), "on_pre_tool_use", call("bash", {"command": "git push --force"}))
    assert denied is not None
    assert denied["permissionDecision"] == "deny"


def test_what_cannot_be_read_is_denied(tmp_path: Path) -> None:
    session_guard = guard(tmp_path)
    for tool_input in (call("bash", {"command": 1}), call("bash", {"command": object()}), {}):
        answer = call_hook(session_guard, "on_pre_tool_use", tool_input)
        assert answer is not None
        assert answer["permissionDecision"] == "deny"


@pytest.mark.parametrize("arguments", [{"path": 5}, {"paths": [1]}, {"paths": 5}, {"path": None}])
def test_a_path_that_is_no_text_leaves_no_hook_without_an_answer(tmp_path: Path, arguments: object) -> None:
    answer = call_hook(guard(tmp_path), "on_pre_tool_use", call("view", arguments))
    assert answer is not None
    assert answer["permissionDecision"] == "deny"


def test_a_program_that_fails_to_hear_a_notice_lets_nothing_through(tmp_path: Path) -> None:
    def refuse_message(_told: str) -> None:
        raise OSError("no terminal")

    session_guard = guard(tmp_path, on_notice=refuse_message)
    denied = call_hook(session_guard, "on_pre_tool_use", call("bash", {"command": "rm -rf /"}))
    assert denied is not None
    assert denied["permissionDecision"] == "deny"
    unseen = {**call("bash", {"command": "ls"}), "toolResult": {"textResultForLlm": "", "resultType": "success"}}
    withheld = call_hook(session_guard, "on_post_tool_use", unseen)
    assert withheld is not None
    assert withheld["decision"] == "block"
    refused = call_hook(session_guard, "on_error_occurred", {"error": "x", "errorContext": "system"})
    assert refused is None or "errorHandling" not in refused


@pytest.mark.parametrize(
    ("policy", "recoverable", "handling"),
    [
        ("", True, None),
        ('on_session_error = "retry"', True, "retry"),
        ('on_session_error = "retry"', False, "abort"),
        ('on_session_error = "skip"', False, "skip"),
        ('on_session_error = "abort"', True, "abort"),
    ],
)
def test_an_error_of_the_session_is_handled_as_the_policy_says(
    tmp_path: Path, policy: str, recoverable: bool, handling: str | None
) -> None:
    (tmp_path / "gate").mkdir(mode=0o700)
    (tmp_path / "gate" / "policy.toml").write_text(policy)
    messages: list[str] = []
    session_guard = guard(tmp_path, on_notice=messages.append)
    error = {"error": "the model is away", "errorContext": "model_call", "recoverable": recoverable}
    answer = call_hook(session_guard, "on_error_occurred", error)
    assert answer is not None
    assert answer.get("errorHandling") == handling
    assert answer["userNotification"] == "The session met an error (model_call): the model is away"
    assert messages == ["toolgate: The session met an error (model_call): the model is away"]


def test_the_end_of_a_session_is_summarized(tmp_path: Path) -> None:
    session_guard = guard(tmp_path)
    for command in ("ls", "rm -rf /", "git push --force"):
        call_hook(session_guard, "on_pre_tool_use", call("bash", {"command": command}))
    answer = call_hook(session_guard, "on_session_end", {"sessionId": "s", "workingDirectory": "/w", "reason": "complete"})
    assert answer is not None
    assert answer["sessionSummary"] == "toolgate judged 3 calls: 1 denied, 1 asked about."
    assert answer["cleanupActions"]


@pytest.mark.parametrize(("command", "verdict"), [("rm -rf /", "deny"), ("git push --force", "ask"), ("ls", None)])
def test_only_what_was_let_pass_needs_no_second_look(tmp_path: Path, command: str, verdict: str | None) -> None:
    session_guard = guard(tmp_path)
    answer = call_hook(session_guard, "on_pre_tool_use", call("bash", {"command": command})) or {}
    assert answer.get("permissionDecision") == verdict
    seen = {mark for judged in session_guard._judged for mark in judged.marks}
    assert (("command", command) in seen) == (verdict is None)


def test_a_tool_let_pass_is_let_pass_for_what_it_was_given() -> None:
    seen = copilot._find_marks(call("tickets-search", {"q": "a"}))
    requests = [SimpleNamespace(kind="mcp", server_name="tickets", tool_name="search", args={"q": each}) for each in ("a", "b")]
    assert [copilot._request_mark(each) in seen for each in requests] == [True, False]


def test_a_gate_that_does_not_answer_denies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_process, "DEADLINE_SECONDS", 0.05)
    monkeypatch.setattr(in_process, "BUSY_SECONDS", 0.05)
    session_guard = guard(tmp_path)
    session_guard._gate._worker.submit(time.sleep, 1.0)  # the call waits behind it
    answer = call_hook(session_guard, "on_pre_tool_use", call("bash", {"command": "ls"}))
    assert answer is not None
    assert answer["permissionDecision"] == "deny"


def test_a_result_is_handed_back_whole_without_its_secret(tmp_path: Path) -> None:
    session_guard, finished_call = guard(tmp_path), call("bash", {"command": "cat x"})
    call_hook(session_guard, "on_pre_tool_use", finished_call)
    result = {
        "textResultForLlm": f"t={TOKEN}",
        "resultType": "success",
        "contents": [{"outputPreview": TOKEN}],
        "sessionLog": TOKEN,
    }
    answer = call_hook(session_guard, "on_post_tool_use", {**finished_call, "toolResult": result})
    assert answer is not None
    assert answer["modifiedResult"].keys() == result.keys()
    assert TOKEN not in json.dumps(answer)
    assert session_guard.unjudged == []


def test_a_call_that_no_hook_saw_is_noticed(tmp_path: Path) -> None:
    notices: list[str] = []
    session_guard = guard(tmp_path, on_notice=notices.append, strict=True)
    result = {"textResultForLlm": "", "resultType": "success"}
    call_hook(session_guard, "on_post_tool_use", {**call("bash", {"command": "ls"}), "toolResult": result})
    assert notices == ["toolgate: a call of bash ran that no hook was asked about"]
    stopped = call_hook(session_guard, "on_pre_tool_use", call("bash", {"command": "ls"}))
    assert stopped is not None
    assert "this session is over" in stopped["permissionDecisionReason"]


def test_who_works_is_told_to_the_policy(tmp_path: Path) -> None:
    spawn = Spawn(agent="Fenster", role="coordinator", phase="init-phase-1")
    session_guard = guard(tmp_path, profile="squad", spawn=spawn)
    options = session_guard.session()
    assert options["working_directory"] == str(tmp_path)
    assert options["excluded_tools"] == ["create", "edit", "apply_patch"]
    denied = call_hook(
        session_guard, "on_pre_tool_use", {**call("bash", {"command": "echo x > src/a.py"}), "workingDirectory": str(tmp_path)}
    )
    assert denied is not None
    assert "team." in denied["permissionDecisionReason"]


def test_a_short_answer_goes_with_a_word_on_it(tmp_path: Path) -> None:
    session_guard = guard(tmp_path, user_input=lambda request, _: {"answer": "yes", "wasFreeform": True})
    answer = asyncio.run(session_guard.session()["on_user_input_request"]({"question": "?"}, {}))
    assert answer["answer"].startswith("yes (brief response")


def test_what_a_short_answer_is_the_policy_tells(tmp_path: Path) -> None:
    policy = tmp_path / "gate" / "policy.toml"
    policy.parent.mkdir(parents=True)
    policy.write_text("shortest_answer = 2\n")
    session_guard = guard(tmp_path, user_input=lambda request, _: {"answer": "yes", "wasFreeform": True})
    answer = asyncio.run(session_guard.session()["on_user_input_request"]({"question": "?"}, {}))
    assert answer["answer"] == "yes"


def test_claudes_hooks_speak_claudes_words(tmp_path: Path) -> None:
    session_guard = claude.Guard(project=str(tmp_path), environ=environ(tmp_path))

    def call_hook(event: str, **given: object) -> dict[str, Any]:
        payload = {"hook_event_name": event, "session_id": "s", "cwd": str(tmp_path), **given}
        hook: Callable[..., Any] = session_guard._build_hook(event)
        answer: dict[str, Any] = asyncio.run(hook(payload, None, {}))
        return answer

    bash = {"tool_name": "Bash", "tool_use_id": "1"}
    assert call_hook("PreToolUse", **bash, tool_input={"command": "ls"}) == {}
    denied = call_hook("PreToolUse", **bash, tool_input={"command": "rm -rf /"})
    assert denied["hookSpecificOutput"]["permissionDecision"] == "deny"
    unread = call_hook("PostToolUse", **bash, tool_input=[], tool_response={})
    assert unread["continue_"] is False
