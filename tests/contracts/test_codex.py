"""Tests Codex's protocol: every captured payload, every tool, complete answers, and the trust in its hooks."""

import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolgate.hosts as hosts
from toolgate.app import App
from toolgate.hosts.codex.settings import REGISTRATION as registration
from toolgate.model.action import Action, ApplyPatch, CallTool, OtherTool, ReadFile, RunShell
from toolgate.model.decision import NO_OBJECTION, Decision, RewrittenResult, Verdict
from toolgate.model.errors import BadPayload
from toolgate.model.event import Event, PermissionRequested, PromptSubmitted, SessionStarted, ToolCall, ToolResult, TurnEnding
from toolgate.model.request import SILENCE, Answer, Request

CODEX = hosts.load_host("codex")
PAYLOADS = {path.stem: path.read_bytes() for path in sorted((Path(hosts.__file__).parent / "codex/payloads").iterdir())}
ENVIRON = {"HOME": "/home/ann", "USER": "ann"}
PATCH = "*** Begin Patch\n*** Add File: n.txt\n+hello\n*** End Patch\n"
COMMAND = ("/opt/my gate/toolgate-hook",)
HOOKS = "/home/ann/.codex/hooks.json"


def read(event: str, payload: object, cwd: str = "/work/api") -> Event | None:
    raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return CODEX.read(Request("codex", event, raw, ENVIRON, cwd, 1000, 0.0))


def call(tool: str, arguments: object) -> ToolCall:
    event = read("PreToolUse", {**json.loads(PAYLOADS["PreToolUse.Bash"]), "tool_name": tool, "tool_input": arguments})
    assert isinstance(event, ToolCall)
    return event


# --- reading -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAYLOADS)
def test_every_captured_payload_is_read(name: str) -> None:
    event = read(name.split(".")[0], PAYLOADS[name])
    assert event is not None
    scene = event.scene
    assert (scene.project, scene.cwd, scene.home, scene.user) == ("/work/api", "/sandbox/project", "/home/ann", "ann")
    assert scene.caller.session
    assert bool(scene.caller.agent) is bool(scene.caller.kind) is ("subagent" in name)
    assert CODEX.answer(NO_OBJECTION, event) == SILENCE


def test_the_captured_payloads_cover_every_event() -> None:
    assert set(CODEX.EVENTS) == {name.split(".")[0] for name in PAYLOADS}


@pytest.mark.parametrize(
    ("tool", "arguments", "action"),
    [
        ("Bash", {"command": "ls"}, RunShell("ls", typed=True)),
        ("apply_patch", {"command": PATCH}, ApplyPatch(PATCH)),
        ("view_image", {"path": "/a.png"}, ReadFile("/a.png")),
        ("mcp__stub__peek", {"q": 1}, CallTool("stub", "peek", {"q": 1})),
        ("spawn_agent", {"message": "go"}, OtherTool("spawn_agent", {"message": "go"}, "agent")),
        ("collaborationspawn_agent", {"message": "go"}, OtherTool("collaborationspawn_agent", {"message": "go"}, "agent")),
        ("get_goal", {}, OtherTool("get_goal", {}, "conversation")),
        ("unheardof", {}, OtherTool("unheardof", {})),
    ],
)
def test_a_tool_is_lowered(tool: str, arguments: object, action: Action) -> None:
    lowered = call(tool, arguments).action
    assert (type(lowered), lowered) == (type(action), action)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("Bash", {}), ("Bash", {"command": 1}), ("Bash", ["ls"]), ("apply_patch", {}), ("view_image", {"path": ""}), ("", {})],
)
def test_what_is_not_of_its_tools_shape_is_refused(tool: str, arguments: object) -> None:
    with pytest.raises(BadPayload):
        call(tool, arguments)


def test_a_payload_of_another_event_is_refused() -> None:
    with pytest.raises(BadPayload, match="was called for"):
        read("PreToolUse", PAYLOADS["PostToolUse.Bash"])


@given(st.binary(max_size=300), st.sampled_from((*CODEX.EVENTS, "other")))
def test_reading_is_total(payload: bytes, event: str) -> None:
    try:
        read(event, payload)
    except BadPayload:
        pass


# --- answering -----------------------------------------------------------------------------------------------------------

BASH = call("Bash", {"command": "push --force"})
SCENE = BASH.scene
KNOWN = {"systemMessage", "hookSpecificOutput", "hookEventName", "additionalContext", "decision", "reason"}
"""One key beside them would drop the whole answer."""


def decision(verdict: Verdict, **more: object) -> Decision:
    return Decision(verdict, verdict, tell_user="for the user", tell_agent="for the agent", **more)  # type: ignore[arg-type]


def parse_answer(answer: Answer) -> object:
    assert (answer.stderr, answer.exit_code) == ("", 0)
    return json.loads(answer.stdout)


@pytest.mark.parametrize("verdict", [Verdict.ASK, Verdict.DENY])
@pytest.mark.parametrize(
    "event", [BASH, PromptSubmitted(SCENE, "p"), TurnEnding(SCENE, again=False), ToolResult(SCENE, "Bash", "", BASH.action, "")]
)
def test_a_no_is_an_exit_code(event: Event, verdict: Verdict) -> None:
    assert CODEX.answer(decision(verdict), event) == Answer("", "for the agent", 2)


def test_a_warning_has_known_keys_alone() -> None:
    warned = parse_answer(CODEX.answer(decision(Verdict.WARN), BASH))
    assert warned == {
        "systemMessage": "for the user",
        "hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "for the agent"},
    }


def test_a_permission_request_is_denied_or_left_to_the_user() -> None:
    event = PermissionRequested(SCENE, "Bash", "", BASH.action)
    assert CODEX.answer(decision(Verdict.DENY), event) == Answer("", "for the agent", 2)
    assert CODEX.answer(decision(Verdict.ASK), event) == SILENCE
    assert CODEX.answer(NO_OBJECTION, event) == SILENCE


@pytest.mark.parametrize(
    ("response", "text"),
    [
        ("[hidden]", "[hidden]"),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "a\nb"),
        ([1], "[1]"),
    ],
)
def test_a_cleaned_output_takes_the_place_of_the_whole(response: object, text: str) -> None:
    event = ToolResult(SCENE, "Bash", "", BASH.action, "secret")
    answer = CODEX.answer(Decision(Verdict.PASS, Verdict.PASS, tell_agent="told", rewrite=RewrittenResult(response)), event)
    assert parse_answer(answer) == {"decision": "block", "reason": text}


def keys(value: object) -> set[str]:
    inner = value.values() if isinstance(value, dict) else ()
    return {*(value if isinstance(value, dict) else ()), *(key for each in inner for key in keys(each))}


@given(st.sampled_from(Verdict), st.text(max_size=20), st.text(max_size=20), st.sampled_from(sorted(PAYLOADS)))
def test_no_answer_has_a_key_that_the_client_does_not_know(verdict: Verdict, user: str, agent: str, name: str) -> None:
    event = read(name.split(".")[0], PAYLOADS[name])
    assert event is not None
    answer = CODEX.answer(Decision(verdict, verdict, tell_user=user, tell_agent=agent), event)
    assert not (answer.stdout and answer.exit_code)
    assert keys(json.loads(answer.stdout or "{}")) <= KNOWN
    assert bool(answer.stderr) is (answer.exit_code == 2)


def test_a_session_cannot_be_refused() -> None:
    assert parse_answer(CODEX.refuse("SessionStart", "why")) == {"systemMessage": "why"}
    assert parse_answer(CODEX.answer(decision(Verdict.WARN), SessionStarted(SCENE, "startup")))


def test_through_the_whole_gate(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "TOOLGATE_HOME": str(tmp_path / "gate")}

    def is_refused(tool: str, arguments: object, cwd: str = "/work/api") -> bool:
        payload = {"session_id": "s", "cwd": cwd, "tool_name": tool, "tool_input": arguments}
        answer = App().handle(Request("codex", "PreToolUse", json.dumps(payload).encode(), environ, "/work/api", 1000, 0.0))
        return answer.exit_code == 2

    assert is_refused("Bash", {"command": "rm -rf /"})
    assert not is_refused("Bash", {"command": "ls"})
    assert is_refused("Bash", {"command": "rm -rf ./lib"}, cwd="/usr")
    assert not is_refused("Bash", {"command": "rm -rf ./lib"})
    assert not is_refused("apply_patch", {"command": PATCH})
    assert is_refused(
        "apply_patch", {"command": f"*** Begin Patch\n*** Delete File: {tmp_path}/.codex/hooks.json\n*** End Patch\n"}
    )
    assert is_refused("Bash", {"command": f"echo 'hooks = false' >> {tmp_path}/.codex/config.toml"})


@pytest.mark.parametrize("command", ["bash", "sh -i", "python3", "node", "cat | sh", 'eval "$(cat)"'])
def test_what_reads_its_commands_from_a_terminal_is_stopped_when_it_starts(command: str, tmp_path: Path) -> None:
    """No hook sees what is typed into it later."""
    environ = {"HOME": str(tmp_path), "TOOLGATE_HOME": str(tmp_path / "gate")}
    payload = {"session_id": "s", "cwd": "/work/api", "tool_name": "Bash", "tool_input": {"command": command}}
    request = Request("codex", "PreToolUse", json.dumps(payload).encode(), environ, "/work/api", 1000, 0.0)
    assert App().handle(request).exit_code == 2


@pytest.mark.parametrize(
    "command",
    ["bash build.sh", "python3 -c 'print(1)'", "make < /dev/null", "git commit", "cat", "node --version"],
)
def test_what_is_typed_into_other_programs_is_nothing_to_stop(command: str, tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "TOOLGATE_HOME": str(tmp_path / "gate")}

    def answer(host: str) -> bool:
        payload = {"session_id": "s", "cwd": str(tmp_path), "tool_name": "Bash", "tool_input": {"command": command}}
        request = Request(host, "PreToolUse", json.dumps(payload).encode(), environ, str(tmp_path), 1000, 0.0)
        answer_given = App().handle(request)
        return answer_given.exit_code == 2 or "ask" in answer_given.stdout

    assert answer("codex") == answer("claude-code")


# --- registering ---------------------------------------------------------------------------------------------------------

THEIRS = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}}


def test_registered_once_and_taken_out_again() -> None:
    once = registration.register(THEIRS, COMMAND)
    assert registration.register(once, COMMAND) == once
    assert registration.list_events(once) == frozenset(CODEX.EVENTS)
    assert registration.list_commands(once) == (COMMAND,)
    assert registration.find_faults(once) == registration.find_weaknesses(once) == ()
    assert registration.find_own_entries(once)[0] == ("hooks", "PreToolUse", 1)


@pytest.mark.parametrize(
    ("change", "says"), [({"timeout": 60}, "`timeout` is not 10"), ({"async": True}, "does not wait")], ids=["timeout", "async"]
)
def test_what_opens_the_gate_is_told(change: dict[str, object], says: str) -> None:
    handler = {"type": "command", "command": "/opt/toolgate-hook codex PreToolUse", "timeout": 10, **change}
    assert says in " ".join(registration.find_weaknesses({"hooks": {"PreToolUse": [{"hooks": [handler]}]}}))


def test_what_keeps_tools_away_is_told() -> None:
    handler = {"type": "command", "command": "/opt/toolgate-hook codex Stop", "timeout": 10}
    weaknesses = registration.find_weaknesses({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [handler, handler]}]}})
    assert [each.partition(": ")[2].partition(" ")[0] for each in weaknesses] == ["the", "a", "the", "the", "a"]


# --- trust ---------------------------------------------------------------------------------------------------------------

SETTINGS = registration.register(THEIRS, COMMAND)
CONFIGURATIONS = (
    "",
    'model = "x"\n',
    '[projects."/w"]\ntrust_level = "trusted"\n',
    'a = 1\n\n[hooks.state."other"]\ntrusted_hash = "1"\n',
)


@pytest.mark.parametrize("before", CONFIGURATIONS)
def test_trust_is_added_and_taken_away_to_the_byte(before: str) -> None:
    assert registration.read_trusted_events(before, HOOKS, SETTINGS) == frozenset()
    after = registration.add_trust(before, HOOKS, SETTINGS)
    assert after.startswith(before)
    assert registration.read_trusted_events(after, HOOKS, SETTINGS) == frozenset(CODEX.EVENTS)
    assert registration.add_trust(after, HOOKS, SETTINGS) == after
    assert registration.remove_trust(after, HOOKS, SETTINGS) == before


def test_trust_is_in_one_definition_at_one_place() -> None:
    after = registration.add_trust("", HOOKS, SETTINGS)
    assert (
        registration.read_trusted_events(after, HOOKS, registration.register(THEIRS, ("/opt/other/toolgate-hook",)))
        == frozenset()
    )
    assert registration.read_trusted_events(after, "/elsewhere/hooks.json", SETTINGS) == frozenset()
    moved = registration.register({}, COMMAND)
    assert registration.read_trusted_events(after, HOOKS, moved) == frozenset(CODEX.EVENTS) - {"PreToolUse"}
    again = registration.add_trust(after, HOOKS, registration.register(THEIRS, ("/opt/other/toolgate-hook",)))
    assert len(tomllib.loads(again)["hooks"]["state"]) == len(CODEX.EVENTS)


@pytest.mark.parametrize("text", ["[", "a = ", 'hooks = "none"\n'])
def test_a_configuration_that_cannot_be_edited_is_an_error(text: str) -> None:
    with pytest.raises(ValueError):
        registration.add_trust(text, HOOKS, SETTINGS)
