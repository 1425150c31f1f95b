"""Tests Copilot's protocol: every captured payload in both dialects, every tool, and complete answers."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolgate.hosts as hosts
from toolgate.app import App
from toolgate.hosts.copilot import settings as registration
from toolgate.model.action import (
    Action,
    ApplyPatch,
    AskUser,
    CallTool,
    EditFile,
    Fetch,
    OtherTool,
    ReadFile,
    Replacement,
    RunShell,
    Search,
    WriteFile,
)
from toolgate.model.decision import NO_OBJECTION, Decision, RewrittenCommand, RewrittenResult, Verdict
from toolgate.model.errors import BadPayload
from toolgate.model.event import Event, PermissionRequested, PromptSubmitted, SessionStarted, ToolCall, ToolResult, TurnEnding
from toolgate.model.request import SILENCE, Answer, Request

COPILOT = hosts.load_host("copilot")
PAYLOADS = {path.stem: path.read_bytes() for path in sorted((Path(hosts.__file__).parent / "copilot/payloads").iterdir())}
ENVIRON = {"HOME": "/home/ann", "USER": "ann", "COPILOT_PROJECT_DIR": "/work/api"}
PATCH = "*** Begin Patch\n*** Add File: n.txt\n+hello\n*** End Patch\n"


def read(event: str, payload: object) -> Event | None:
    raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return COPILOT.read(Request("copilot", event, raw, ENVIRON, "/started/here", 1000, 0.0))


def call(tool: str, arguments: object) -> ToolCall:
    event = read("preToolUse", {**json.loads(PAYLOADS["preToolUse.bash"]), "toolName": tool, "toolArgs": arguments})
    assert isinstance(event, ToolCall)
    return event


# --- reading -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAYLOADS)
def test_every_captured_payload_is_read(name: str) -> None:
    event_name = name.removeprefix("borrowed.").split(".")[0]
    event = read(event_name, PAYLOADS[name])
    if event_name == "subagentStart":
        assert event is None
        return
    assert event is not None
    scene = event.scene
    assert (scene.project, scene.cwd, scene.home, scene.user) == ("/work/api", "/sandbox/project", "/home/ann", "ann")
    assert scene.caller.session
    assert bool(scene.caller.agent) is bool(scene.caller.parent) is ("subagent" in name)
    assert COPILOT.answer(NO_OBJECTION, event) == SILENCE


def test_the_captured_payloads_cover_every_event() -> None:
    assert set(COPILOT.EVENTS) <= {name.split(".")[0] for name in PAYLOADS}


def test_both_dialects_say_the_same() -> None:
    own, borrowed = read("preToolUse", PAYLOADS["preToolUse.bash"]), read("PreToolUse", PAYLOADS["borrowed.PreToolUse.Bash"])
    assert isinstance(own, ToolCall)
    assert isinstance(borrowed, ToolCall)
    assert own.action == borrowed.action
    one, other = read("postToolUse", PAYLOADS["postToolUse.bash"]), read("PostToolUse", PAYLOADS["borrowed.PostToolUse.Bash"])
    assert isinstance(one, ToolResult)
    assert isinstance(other, ToolResult)
    assert one.response == other.response


@pytest.mark.parametrize(
    ("tool", "arguments", "action"),
    [
        ("bash", {"command": "ls", "mode": "async"}, RunShell("ls")),
        ("bash", '{"command": "ls"}', RunShell("ls")),
        ("powershell", {"command": "dir"}, RunShell("dir", "powershell")),
        ("write_bash", {"shellId": "0", "input": "rm x", "delay": 1}, RunShell("rm x")),
        ("view", {"path": "/a", "view_range": [1, 2]}, ReadFile("/a")),
        ("create", {"path": "/a", "file_text": "x"}, WriteFile("/a", "x")),
        ("edit", {"path": "/a", "old_str": "x", "new_str": "y"}, EditFile("/a", (Replacement("x", "y"),))),
        ("edit", {"file_path": "/a", "diff": "--- a\n+++ b\n-x\n+y\n"}, EditFile("/a", (Replacement("", "y"),))),
        ("str_replace_editor", {"command": "view", "path": "/a"}, ReadFile("/a")),
        ("str_replace_editor", {"command": "create", "path": "/a", "file_text": "x"}, WriteFile("/a", "x")),
        ("str_replace_editor", {"command": "insert", "path": "/a", "new_str": "y"}, EditFile("/a", (Replacement("", "y"),))),
        ("apply_patch", PATCH, ApplyPatch(PATCH)),
        ("apply_patch", {"input": PATCH}, ApplyPatch(PATCH)),
        ("apply_patch", {"path": "/etc/passwd"}, EditFile("/etc/passwd", (Replacement("", ""),))),
        ("grep", {"pattern": "x"}, Search(("/sandbox/project",), "x")),
        ("rg", {"pattern": "x", "paths": ["a", "/etc"]}, Search(("a", "/etc"), "x", tree=True)),
        ("glob", {"pattern": "/etc/ssh/*"}, Search(("/etc/ssh",), "*")),
        ("glob", {"pattern": "src/**", "paths": "/w"}, Search(("/w/src",), "**")),
        ("web_fetch", {"url": "https://a.example/"}, Fetch("https://a.example/")),
        ("ask_user", {"question": "which?", "choices": []}, AskUser(("which?",))),
        ("github-mcp-server-get_file", {"path": "x"}, CallTool("github-mcp-server", "get_file", {"path": "x"})),
        ("echo/echo", {}, CallTool("echo", "echo", {})),
        ("task", {"prompt": "rm -rf /"}, OtherTool("task", {"prompt": "rm -rf /"}, "agent")),
    ],
)
def test_a_tool_is_lowered(tool: str, arguments: object, action: Action) -> None:
    lowered = call(tool, arguments).action
    assert (type(lowered), lowered) == (type(action), action)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("bash", {}),
        ("bash", {"command": 1}),
        ("bash", "not an object"),
        ("bash", ["ls"]),
        ("view", {"path": ""}),
        ("create", {"path": "/a"}),
        ("str_replace_editor", {"command": "delete", "path": "/a"}),
        ("grep", {"pattern": "x", "paths": [1]}),
        ("apply_patch", {}),
        ("", {}),
    ],
)
def test_what_is_not_of_its_tools_shape_is_refused(tool: str, arguments: object) -> None:
    with pytest.raises(BadPayload):
        call(tool, arguments)


@pytest.mark.parametrize(("event", "named"), [("preToolUse", "PostToolUse"), ("postToolUse", "permissionRequest")])
def test_a_payload_of_another_event_is_refused(event: str, named: str) -> None:
    with pytest.raises(BadPayload, match="was called for"):
        read(event, {"hook_event_name": named, "toolName": "bash", "toolArgs": {"command": "ls"}})


@given(st.binary(max_size=300), st.sampled_from((*COPILOT.EVENTS, "PreToolUse", "other")))
def test_reading_is_total(payload: bytes, event: str) -> None:
    try:
        read(event, payload)
    except BadPayload:
        pass


# --- answering -----------------------------------------------------------------------------------------------------------

BASH = call("bash", {"command": "push --force", "description": "d"})
SCENE = BASH.scene


def decision(verdict: Verdict, **more: object) -> Decision:
    return Decision(verdict, verdict, tell_user="for the user", tell_agent="for the agent", **more)  # type: ignore[arg-type]


def parse_answer(answer: Answer) -> object:
    assert (answer.stderr, answer.exit_code) == ("", 0)
    return json.loads(answer.stdout)


def test_a_call() -> None:
    assert parse_answer(COPILOT.answer(decision(Verdict.DENY), BASH)) == {
        "permissionDecision": "deny",
        "permissionDecisionReason": "for the agent",
    }
    assert parse_answer(COPILOT.answer(decision(Verdict.ASK), BASH)) == {
        "permissionDecision": "ask",
        "permissionDecisionReason": "for the agent",
    }
    assert parse_answer(COPILOT.answer(decision(Verdict.WARN), BASH)) == {"additionalContext": "for the agent"}


def test_a_changed_call_is_whole() -> None:
    changed = COPILOT.answer(Decision(Verdict.PASS, Verdict.PASS, rewrite=RewrittenCommand("push")), BASH)
    assert parse_answer(changed) == {"modifiedArgs": {"command": "push", "description": "d"}}


def test_a_changed_result_has_its_own_shape() -> None:
    event = ToolResult(SCENE, "bash", "", BASH.action, {"resultType": "success", "textResultForLlm": "s"})
    clean = {"resultType": "success", "textResultForLlm": "[hidden]"}
    assert parse_answer(COPILOT.answer(Decision(Verdict.PASS, Verdict.PASS, rewrite=RewrittenResult(clean)), event)) == {
        "modifiedResult": clean
    }


def test_a_permission_request_is_denied_or_left_to_the_user() -> None:
    event = PermissionRequested(SCENE, "bash", "", BASH.action)
    assert parse_answer(COPILOT.answer(decision(Verdict.DENY), event)) == {"behavior": "deny", "message": "for the agent"}
    assert COPILOT.answer(decision(Verdict.ASK), event) == SILENCE


def test_the_rest() -> None:
    stopped = {"decision": "block", "reason": "for the agent"}
    assert parse_answer(COPILOT.answer(decision(Verdict.DENY), PromptSubmitted(SCENE, "p"))) == stopped
    assert parse_answer(COPILOT.answer(decision(Verdict.DENY), TurnEnding(SCENE, again=False))) == stopped
    assert parse_answer(COPILOT.answer(decision(Verdict.DENY), ToolResult(SCENE, "bash", "", BASH.action, {}))) == stopped
    assert parse_answer(COPILOT.answer(decision(Verdict.WARN), SessionStarted(SCENE, "new"))) == {
        "additionalContext": "for the agent"
    }
    assert COPILOT.refuse("sessionStart", "why") == Answer("", "why")
    assert COPILOT.refuse("other", "why") == Answer("", "why", 2)


def test_through_the_whole_gate(tmp_path: Path) -> None:
    """All hosts share one flow: the effects of a patch are judged like those of a shell command."""
    environ = {"HOME": str(tmp_path), "TOOLGATE_HOME": str(tmp_path / "gate"), "COPILOT_PROJECT_DIR": "/work/api"}

    def answer_call(tool: str, arguments: object) -> Answer:
        payload = {"sessionId": "s", "cwd": "/work/api", "toolName": tool, "toolArgs": arguments}
        return App().handle(Request("copilot", "preToolUse", json.dumps(payload).encode(), environ, "/work/api", 1000, 0.0))

    def verdict(tool: str, arguments: object) -> object:
        answer = answer_call(tool, arguments)
        return json.loads(answer.stdout)["permissionDecision"] if answer.stdout else "none"

    assert verdict("bash", {"command": "rm -rf /"}) == "deny"
    assert verdict("bash", {"command": "ls"}) == "none"
    assert verdict("apply_patch", PATCH) == "none"
    assert verdict("apply_patch", "*** Begin Patch\n*** Update File: /etc/passwd\n+x\n*** End Patch\n") == "deny"
    assert verdict("apply_patch", "*** Begin Patch\n*** Update File: .github/hooks/x.json\n+x\n*** End Patch\n") == "deny"
    assert verdict("edit", {"path": f"{tmp_path}/.copilot/hooks/toolgate.json", "old_str": "1", "new_str": "2"}) == "deny"
    assert verdict("rg", {"pattern": "PRIVATE", "paths": [".", f"{tmp_path}/.ssh"]}) != "none"
    assert verdict("rg", {"pattern": "PRIVATE", "paths": ["."]}) == "none"
    assert verdict("bash", "{}") == "deny"


# --- registering ---------------------------------------------------------------------------------------------------------


def test_registered_once_and_taken_out_again() -> None:
    theirs = {"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "true"}]}, "more": 1}
    once = registration.register(theirs, ("/opt/my gate/toolgate-hook",))
    assert registration.register(once, ("/opt/my gate/toolgate-hook",)) == once
    assert registration.list_events(once) == frozenset(COPILOT.EVENTS)
    assert registration.list_commands(once) == (("/opt/my gate/toolgate-hook",),)
    assert registration.find_faults(once) == registration.find_weaknesses(once) == ()
    assert registration.find_own_entries(once) == (
        ("hooks", "preToolUse", 1),
        *(("hooks", event, 0) for event in COPILOT.EVENTS[1:]),
    )


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"timeoutSec": 60}, "`timeoutSec` is not 10"),
        ({"matcher": "bash"}, "a `matcher` keeps tools"),
        ({"env": {"TOOLGATE_PROFILE": "observe"}}, "`env` changes"),
        ({"bash": "/opt/toolgate-hook copilot postToolUse"}, "another event"),
    ],
)
def test_what_opens_the_gate_is_told(change: dict[str, object], says: str) -> None:
    handler = {"type": "command", "bash": "/opt/toolgate-hook copilot preToolUse", "powershell": "x", "timeoutSec": 10, **change}
    assert says in " ".join(registration.find_weaknesses({"version": 1, "hooks": {"preToolUse": [handler]}}))


@pytest.mark.parametrize(
    "settings", [[], {"version": 2, "hooks": {}}, {"version": 1, "hooks": []}, {"version": 1, "hooks": {"a": {}}}]
)
def test_what_it_would_not_take(settings: object) -> None:
    assert registration.find_faults(settings)
