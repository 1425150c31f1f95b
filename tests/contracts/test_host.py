"""Tests what holds for every host, and Claude Code's complete answers: stdout, stderr and exit code."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolgate.hosts as hosts
from toolgate.model.action import Action, CallTool, EditFile, Fetch, OtherTool, ReadFile, Replacement, RunShell, Search, WriteFile
from toolgate.model.decision import NO_OBJECTION, Decision, Finding, Match, Verdict
from toolgate.model.effect import DEFAULT_ORIGIN, Opaque
from toolgate.model.errors import BadPayload
from toolgate.model.event import (
    ConfigChanged,
    PermissionRequested,
    PromptSubmitted,
    SessionEnded,
    SessionStarted,
    ToolCall,
    ToolFailed,
    ToolResult,
    TurnEnding,
)
from toolgate.model.host import Host
from toolgate.model.request import SILENCE, Answer, Request

CLAUDE = hosts.load_host("claude-code")
PAYLOADS = {path.stem: path.read_bytes() for path in sorted((Path(hosts.__file__).parent / "claude_code/payloads").iterdir())}
ENVIRON = {"HOME": "/home/ann", "USER": "ann", "CLAUDE_PROJECT_DIR": "/work/api"}


def request(event: str, payload: object, environ: dict[str, str] = ENVIRON, uid: int = 1000) -> Request:
    raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return Request("claude-code", event, raw, environ, "/started/here", uid, 0.0)


def sample(name: str) -> dict[str, object]:
    parsed = json.loads(PAYLOADS[name])
    assert isinstance(parsed, dict)
    return parsed


def act(tool: str, fields: object) -> Action:
    event = CLAUDE.read(request("PreToolUse", {**sample("PreToolUse.Bash"), "tool_name": tool, "tool_input": fields}))
    assert isinstance(event, ToolCall)
    return event.action


# --- the table ---------------------------------------------------------------------------------------------------------


def test_the_table_names_every_folder() -> None:
    folders = {path.parent.name for path in Path(hosts.__file__).parent.glob("*/host.py")}
    assert set(hosts.HOSTS.values()) == folders
    assert all(name.replace("-", "_") == folder for name, folder in hosts.HOSTS.items())


@pytest.mark.parametrize("name", hosts.HOSTS)
def test_a_host_keeps_the_contract(name: str) -> None:
    host: Host = hosts.load_host(name)
    assert name == host.NAME
    for event in (*host.EVENTS, "NoSuchEvent", ""):
        assert host.refuse(event, "because") != SILENCE
    for file in host.settings_files("/home/ann", "/work/api", {}):
        assert file.startswith(("/", "C:/"))


# --- reading -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAYLOADS)
def test_every_captured_payload_is_read(name: str) -> None:
    event_name = name.split(".")[0]
    event = CLAUDE.read(request(event_name, PAYLOADS[name]))
    if event_name not in CLAUDE.EVENTS:
        assert event is None
        return
    assert event is not None
    assert event.scene.project == "/work/api"
    assert event.scene.cwd == "/sandbox/project"
    assert event.scene.home == "/home/ann"
    assert event.scene.user == "ann"
    assert event.scene.caller.session == sample(name)["session_id"]
    assert CLAUDE.answer(NO_OBJECTION, event) == SILENCE


def test_the_captured_payloads_cover_every_event() -> None:
    assert set(CLAUDE.EVENTS) <= {name.split(".")[0] for name in PAYLOADS}


def test_a_subagent_is_named() -> None:
    event = CLAUDE.read(request("PreToolUse", PAYLOADS["PreToolUse.subagent"]))
    assert event is not None
    assert (event.scene.caller.agent, event.scene.caller.kind) == ("aac02b5273e437307", "general-purpose")


@pytest.mark.parametrize(
    ("tool", "fields", "action"),
    [
        ("Bash", {"command": "ls", "timeout": "soon"}, RunShell("ls")),
        ("Monitor", {"command": "tail -f x"}, RunShell("tail -f x")),
        ("PowerShell", {"command": "dir"}, RunShell("dir", "powershell")),
        ("Read", {"file_path": "/a"}, ReadFile("/a")),
        ("Write", {"file_path": "/a", "content": "x"}, WriteFile("/a", "x")),
        ("Edit", {"file_path": "/a", "old_string": "x", "new_string": "y"}, EditFile("/a", (Replacement("x", "y"),))),
        (
            "Edit",
            {"file_path": "/a", "old_string": "x", "new_string": "y", "replace_all": True},
            EditFile("/a", (Replacement("x", "y", every=True),)),
        ),
        (
            "MultiEdit",
            {"file_path": "/a", "edits": [{"old_string": "x", "new_string": "y"}, {"old_string": "p", "new_string": "q"}]},
            EditFile("/a", (Replacement("x", "y"), Replacement("p", "q"))),
        ),
        ("NotebookEdit", {"notebook_path": "/n", "new_source": "1"}, EditFile("/n", (Replacement("", "1"),), "1")),
        ("NotebookEdit", {"notebook_path": "/n", "edit_mode": "delete"}, EditFile("/n", (Replacement("", ""),))),
        ("Grep", {"pattern": "x"}, Search(("/sandbox/project",), "x")),
        ("Grep", {"pattern": "x", "path": "/etc"}, Search(("/etc",), "x", tree=True)),
        ("Grep", {"pattern": "x", "glob": "*.py"}, Search(("/sandbox/project", "/sandbox/project/*.py"), "x")),
        ("LS", {"path": "/etc"}, Search(("/etc",), "")),
        ("Glob", {"pattern": "*.py"}, Search(("/sandbox/project",), "*.py")),
        ("Glob", {"pattern": "src/**/*.py"}, Search(("/sandbox/project/src",), "**/*.py")),
        ("Glob", {"pattern": "/etc/ssh/*"}, Search(("/etc/ssh",), "*")),
        ("Glob", {"pattern": "~/.ssh/*", "path": "/x"}, Search(("~/.ssh",), "*")),
        ("Glob", {"pattern": "/*"}, Search(("/",), "*")),
        ("WebFetch", {"url": "https://a.example/", "prompt": "?"}, Fetch("https://a.example/")),
        ("mcp__stub__peek", {"q": 1}, CallTool("stub", "peek", {"q": 1})),
        ("mcp__a_b__c__d", {}, CallTool("a_b", "c__d", {})),
        ("Agent", {"prompt": "go"}, OtherTool("Agent", {"prompt": "go"}, "agent")),
        ("Bash", {"command": "echo \ud83d"}, RunShell("echo \ufffd")),
        ("Bash", {"command": "echo \U0001f600\x00"}, RunShell("echo \U0001f600\x00")),
    ],
)
def test_a_tool_is_lowered(tool: str, fields: object, action: Action) -> None:
    lowered = act(tool, fields)
    assert (type(lowered), lowered) == (type(action), action)


@pytest.mark.parametrize(
    ("tool", "fields", "reason"),
    [
        ("Bash", {}, "Bash: `command` is missing"),
        ("Bash", {"command": None}, "Bash: `command` is missing"),
        ("Bash", {"command": ["rm", "-rf", "/"]}, "Bash: `command` is not text"),
        ("Bash", ["rm"], "`tool_input` is not an object"),
        ("Agent", "x", "`tool_input` is not an object"),
        ("Write", {"file_path": "/a", "content": {}}, "Write: `content` is not text"),
        ("Edit", {"file_path": "/a", "old_string": "x"}, "Edit: `new_string` is missing"),
        (
            "Edit",
            {"file_path": "/a", "old_string": "", "new_string": "", "replace_all": 1},
            "Edit: `replace_all` is neither true nor false",
        ),
        ("MultiEdit", {"file_path": "/a", "edits": {}}, "MultiEdit: `edits` is not a list"),
        ("MultiEdit", {"file_path": "/a", "edits": [1]}, "MultiEdit: one of `edits` is not an object"),
    ],
)
def test_an_input_of_another_shape_is_refused(tool: str, fields: object, reason: str) -> None:
    with pytest.raises(BadPayload) as refused:
        act(tool, fields)
    assert str(refused.value) == reason


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (b"", "the payload is not JSON: Expecting value: line 1 column 1 (char 0)"),
        (b"[]", "the payload is not a JSON object"),
        (b"null", "the payload is not a JSON object"),
        (b'{"a":1', "the payload is not JSON: Expecting ',' delimiter: line 1 column 7 (char 6)"),
        (b'{"hook_event_name":"PreToolUse"} {}', "the payload is not JSON: Extra data: line 1 column 34 (char 33)"),
        (b'{"a":"\xff"}', "the payload is not UTF-8 (byte 6)"),
        (b'{"a":NaN}', "the payload holds NaN, which is not JSON"),
        (b'{"tool_input":{"command":"ls","command":"rm -rf /"}}', "the payload has a key twice in one object"),
        (b'{"tool_name":"Read","tool_name":"Bash"}', "the payload has a key twice in one object"),
        (b"[" * 100_000, "the payload is nested too deep (more than 256 levels)"),
        (b'{"a":' * 100_000, "the payload is nested too deep (more than 256 levels)"),
        (b'{"hook_event_name":"Stop"}', "the payload is of 'Stop', but the hook was called for 'PreToolUse'"),
        (b'{"hook_event_name":7}', "`hook_event_name` is not text"),
        (b"{}", "`tool_name` is missing"),
        (b'{"tool_name":" "}', "`tool_name` is empty"),
        (b'{"tool_name":"Read","session_id":[]}', "`session_id` is not text"),
        (b'{"tool_name":"Read","cwd":3}', "`cwd` is not text"),
        (b'{"a":' + b"9" * 5000 + b"}", None),
    ],
)
def test_what_is_not_the_protocol_is_refused(payload: bytes, reason: str | None) -> None:
    with pytest.raises(BadPayload) as refused:
        CLAUDE.read(request("PreToolUse", payload))
    assert reason is None or str(refused.value) == reason


def test_a_byte_order_mark_is_fine() -> None:
    plain = PAYLOADS["PreToolUse.Bash"]
    assert CLAUDE.read(request("PreToolUse", b"\xef\xbb\xbf" + plain)) == CLAUDE.read(request("PreToolUse", plain))


def test_only_what_decides_is_asked_for() -> None:
    bare = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "agent_id": 7, "effort": [], "tool_use_id": {}}
    event = CLAUDE.read(request("PreToolUse", bare, environ={}, uid=0))
    assert isinstance(event, ToolCall)
    assert (event.call, event.scene.cwd, event.scene.project, event.scene.home) == ("", "/started/here", "/started/here", "")
    assert (event.scene.user, event.scene.caller.session, event.scene.caller.agent) == ("root", "", "")


def test_the_other_events_carry_what_they_are_about() -> None:
    def read(name: str) -> object:
        return CLAUDE.read(request(name.split(".")[0], PAYLOADS[name]))

    result = read("PostToolUse.Bash")
    assert isinstance(result, ToolResult)
    assert isinstance(result.response, dict)
    assert (result.action, result.response["stdout"]) == (RunShell("echo hi; echo err >&2"), "hi\nerr")
    failed = read("PostToolUseFailure.Bash")
    assert isinstance(failed, ToolFailed)
    assert failed.error == "Exit code 3"
    permission_request = read("PermissionRequest.Bash")
    assert isinstance(permission_request, PermissionRequested)
    assert permission_request.action == RunShell("touch /sandbox/project/MARK; echo ran")
    prompt, started, ended = read("UserPromptSubmit"), read("SessionStart"), read("SessionEnd")
    assert isinstance(prompt, PromptSubmitted)
    assert isinstance(started, SessionStarted)
    assert isinstance(ended, SessionEnded)
    assert (prompt.prompt, started.source, ended.reason) == ("go", "startup", "other")
    changed, stop = read("ConfigChange"), read("Stop")
    assert isinstance(changed, ConfigChanged)
    assert isinstance(stop, TurnEnding)
    assert (changed.source, changed.path, stop.again) == ("user_settings", "/sandbox/home/.claude/settings.json", False)


def test_an_event_that_is_not_ours_is_none_but_not_under_another_name() -> None:
    assert CLAUDE.read(request("Notification", {"hook_event_name": "Notification"})) is None
    with pytest.raises(BadPayload):
        CLAUDE.read(request("pretooluse", PAYLOADS["PreToolUse.Bash"]))


@given(st.sampled_from((*CLAUDE.EVENTS, "Other")), st.binary(max_size=200))
def test_any_bytes_are_an_event_or_a_bad_payload(event: str, payload: bytes) -> None:
    try:
        CLAUDE.read(request(event, payload))
    except BadPayload:
        pass


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(st.sampled_from(sorted(PAYLOADS)), st.data())
def test_a_payload_with_a_changed_part_is_an_event_or_a_bad_payload(name: str, data: st.DataObject) -> None:
    payload = sample(name)
    within = payload.get("tool_input")
    target = within if isinstance(within, dict) and within and data.draw(st.booleans()) else payload
    target[data.draw(st.sampled_from(sorted(target)))] = data.draw(ANYTHING)
    try:
        event = CLAUDE.read(request(name.split(".")[0], payload))
    except BadPayload:
        return
    assert event is None or CLAUDE.answer(NO_OBJECTION, event) == SILENCE


@given(st.sampled_from(sorted(PAYLOADS)), st.integers(0), st.binary(max_size=4))
def test_a_payload_with_changed_bytes_is_an_event_or_a_bad_payload(name: str, position: int, replacement: bytes) -> None:
    raw = PAYLOADS[name]
    at = position % len(raw)
    try:
        CLAUDE.read(request(name.split(".")[0], raw[:at] + replacement + raw[at + len(replacement) :]))
    except BadPayload:
        pass


# --- answering -----------------------------------------------------------------------------------------------------------


def build_decision(verdict: Verdict, user: str = "", agent: str = "") -> Decision:
    return Decision(verdict, verdict, tell_user=user, tell_agent=agent)


def answer_decision(name: str, decision: Decision) -> Answer:
    event = CLAUDE.read(request(name.split(".")[0], PAYLOADS[name]))
    assert event is not None
    return CLAUDE.answer(decision, event)


def hook_output(event: str, **fields: object) -> str:
    return json.dumps({"hookSpecificOutput": {"hookEventName": event, **fields}})


def test_warning_tells_and_decides_nothing() -> None:
    assert answer_decision("PreToolUse.Bash", build_decision(Verdict.WARN, user="careful")) == Answer(
        '{"systemMessage": "careful"}'
    )
    both = {"systemMessage": "u", "hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "a"}}
    assert answer_decision("PreToolUse.Bash", build_decision(Verdict.WARN, "u", "a")) == Answer(json.dumps(both))
    assert answer_decision("PreToolUse.Bash", build_decision(Verdict.WARN)) == SILENCE
    assert answer_decision("Stop", build_decision(Verdict.WARN, agent="would keep it going")) == SILENCE


def test_asking() -> None:
    ask = hook_output("PreToolUse", permissionDecision="ask", permissionDecisionReason="why")
    assert answer_decision("PreToolUse.Bash", build_decision(Verdict.ASK, agent="why")) == Answer(ask)
    assert answer_decision("PermissionRequest.Bash", build_decision(Verdict.ASK, agent="why")) == SILENCE
    assert answer_decision("ConfigChange", build_decision(Verdict.ASK, agent="why")) == Answer("", "why", 2)


@pytest.mark.parametrize(
    ("tool", "fields", "dropped"),
    [
        ("Bash", {"command": "sudo x; touch .npmrc"}, True),
        ("Bash", {"command": "sudo x; touch .np'mr'\\c"}, True),
        ("Bash", {"command": "sudo x>~/.BASHRC"}, True),
        ("Bash", {"command": "sudo x; cp a .git/hooks/pre-commit"}, True),
        ("Bash", {"command": "sudo x --to=bunfig.toml"}, True),
        ("Bash", {"command": "sudo x; python3 -c 'a.b' ./c ../d . .. e.f"}, False),
        ("Monitor", {"command": "sudo x; touch .npmrc"}, True),
        ("Write", {"file_path": "/home/ann/.zshrc", "content": ""}, True),
        ("Edit", {"file_path": "/w/.vscode/a", "old_string": "", "new_string": ""}, True),
        ("Write", {"file_path": "/home/ann/notes", "content": ".zshrc"}, False),
        ("Read", {"file_path": "/home/ann/.zshrc"}, False),
    ],
)
def test_a_question_that_the_client_might_drop_is_a_denial(tool: str, fields: object, dropped: bool) -> None:
    payload = {**sample("PreToolUse.Bash"), "tool_name": tool, "tool_input": fields}
    for mode, deny in (("bypassPermissions", dropped), ("auto", dropped), ("default", False), ("acceptEdits", False)):
        event = CLAUDE.read(request("PreToolUse", {**payload, "permission_mode": mode}))
        assert event is not None
        answer = CLAUDE.answer(build_decision(Verdict.ASK, agent="why"), event)
        assert answer.exit_code == (2 if deny else 0)
        decided = json.loads(answer.stdout)["hookSpecificOutput"]
        assert decided["permissionDecision"] == ("deny" if deny else "ask")
        assert decided["permissionDecisionReason"].startswith("why")


DENY = hook_output("PreToolUse", permissionDecision="deny", permissionDecisionReason="why")
MESSAGE = Answer('{"systemMessage": "why"}')
REFUSALS = {
    "PreToolUse": Answer(DENY, "why", 2),
    "PostToolUse": Answer('{"continue": false, "stopReason": "why"}'),
    "PermissionRequest": Answer(hook_output("PermissionRequest", decision={"behavior": "deny", "message": "why"})),
    "UserPromptSubmit": Answer('{"decision": "block", "reason": "why"}'),
    "ConfigChange": Answer("", "why", 2),
    "Stop": Answer("", "why", 2),
    "SessionStart": MESSAGE,
    "SessionEnd": MESSAGE,
    "PostToolUseFailure": MESSAGE,
    "SubagentStart": MESSAGE,
    "SubagentStop": MESSAGE,
    "PreCompact": MESSAGE,
}


@pytest.mark.parametrize("event", CLAUDE.EVENTS)
def test_what_a_no_is(event: str) -> None:
    assert CLAUDE.refuse(event, "why") == REFUSALS[event]
    read = CLAUDE.read(request(event, {"tool_name": "Read", "tool_input": {"file_path": "/a"}, "prompt": ""}))
    assert read is not None
    assert CLAUDE.answer(build_decision(Verdict.DENY, agent="why"), read) == REFUSALS[event]


def test_an_unknown_event_is_refused_by_the_exit_code() -> None:
    assert CLAUDE.refuse("NoSuchEvent", "why") == Answer("", "why", 2)


def test_a_denial_tells_the_user_too() -> None:
    answer = answer_decision("PreToolUse.Bash", build_decision(Verdict.DENY, "for you", "for the agent"))
    assert json.loads(answer.stdout)["systemMessage"] == "for you"
    assert (answer.stderr, answer.exit_code) == ("for the agent", 2)


def test_a_decision_without_words_still_says_why() -> None:
    finding = Finding("shell.opaque", Verdict.DENY, Match(Opaque("?", DEFAULT_ORIGIN), "This cannot be read."))
    answer = answer_decision("PreToolUse.Bash", Decision(Verdict.DENY, Verdict.DENY, findings=(finding, finding)))
    assert answer.stderr == "This cannot be read. [shell.opaque]"
    assert "no reason to give" in answer_decision("PreToolUse.Bash", build_decision(Verdict.DENY)).stderr


def well_formed(answer: Answer) -> None:
    """Returns whether the output is empty or one JSON object in ASCII without a null: the host ignores anything else and runs the
    call."""

    def no_nulls(value: object) -> None:
        assert value is not None
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            no_nulls(inner)

    assert answer.exit_code in (0, 2)
    answer.stderr.encode()
    if answer.stdout:
        assert answer.stdout.isascii()
        parsed = json.loads(answer.stdout)
        assert isinstance(parsed, dict)
        no_nulls(parsed)
        assert len(answer.stdout) < 100_000


TEXT = st.text(st.characters(codec=None), max_size=50)


@given(st.sampled_from((*CLAUDE.EVENTS, "Other")), TEXT, st.integers(1, 10_000))
def test_any_reason_makes_a_well_formed_no(event: str, reason: str, times: int) -> None:
    answer = CLAUDE.refuse(event, reason * times)
    well_formed(answer)
    assert answer != SILENCE


@given(st.sampled_from(sorted(REFUSALS)), st.sampled_from(Verdict), TEXT, TEXT)
def test_any_decision_makes_a_well_formed_answer(event: str, verdict: Verdict, user: str, agent: str) -> None:
    read = CLAUDE.read(request(event, {"tool_name": "Read", "tool_input": {"file_path": "/a"}, "prompt": ""}))
    assert read is not None
    well_formed(CLAUDE.answer(build_decision(verdict, user, agent), read))


def test_a_reason_cannot_move_the_cursor_of_the_person_who_reads_it() -> None:
    assert CLAUDE.refuse("Stop", "a\x1b[2Jb\u202ec\x00\ud800").stderr == "a\ufffd[2Jb\ufffdc\ufffd\ufffd"
