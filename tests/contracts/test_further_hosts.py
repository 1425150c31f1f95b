"""Tests the hosts after the first four: every captured payload, the tools, the answers, and the registration."""

import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolgate.hosts as hosts
from toolgate.app import App
from toolgate.hosts.capabilities import load_capabilities
from toolgate.install import apply_plan, check_wiring, own_command, plan_install, plan_uninstall
from toolgate.model.action import (
    Action,
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
from toolgate.model.errors import BadPayload, SettingsError
from toolgate.model.event import Event, PromptSubmitted, ToolCall, ToolResult
from toolgate.model.host import OwnFile
from toolgate.model.request import SILENCE, Answer, Request

NAMES = ("gemini", "qwen", "kimi", "cline", "kilo", "cursor", "antigravity", "vscode")
FOLDER = Path(hosts.__file__).parent
PAYLOADS = [(name, path) for name in NAMES for path in sorted((FOLDER / name / "payloads").iterdir())]
ENVIRON = {"HOME": "/home/ann", "USER": "ann"}


def name_event(host: str, path: Path) -> str:
    """Returns the event that a payload's file is named after; the gate may not judge it."""
    events = hosts.load_host(host).EVENTS
    return next((each for each in events if path.name.startswith(f"{each}.")), path.name.split(".")[0])


def read(host: str, event: str, payload: object) -> Event | None:
    raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return hosts.load_host(host).read(Request(host, event, raw, ENVIRON, "/work/api", 1000, 0.0))


# --- reading -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("host", "path"), PAYLOADS, ids=[f"{host}-{path.stem}" for host, path in PAYLOADS])
def test_every_captured_payload_is_read(host: str, path: Path) -> None:
    module, name = hosts.load_host(host), name_event(host, path)
    event = read(host, name, path.read_bytes())
    if name not in module.EVENTS:
        assert event is None
        return
    assert event is not None
    assert event.scene.cwd == "/sandbox/project"
    assert (event.scene.home, event.scene.user) == ("/home/ann", "ann")
    assert event.scene.caller.session
    assert bool(event.scene.caller.agent) is ("subagent" in path.name)
    if isinstance(event, ToolCall | ToolResult):
        assert (
            not isinstance(event.action, OtherTool) or event.action.role != "unknown" or load_capabilities(host).proof != "client"
        )


@pytest.mark.parametrize("host", NAMES)
def test_the_payloads_cover_every_event(host: str) -> None:
    """Events that a headless client does not fire are exempt."""
    seen = {name_event(host, path) for name, path in PAYLOADS if name == host}
    assert set(hosts.load_host(host).EVENTS) - seen <= {"SessionStart", "SessionEnd"}


@given(st.sampled_from(NAMES), st.binary(max_size=300), st.data())
def test_reading_is_total(host: str, payload: bytes, data: st.DataObject) -> None:
    try:
        read(host, data.draw(st.sampled_from((*hosts.load_host(host).EVENTS, "other"))), payload)
    except BadPayload:
        pass


@given(st.sampled_from(PAYLOADS), st.data())
def test_a_payload_with_a_changed_part_is_an_event_or_a_bad_payload(captured: tuple[str, Path], data: st.DataObject) -> None:
    host, path = captured
    payload = json.loads(path.read_bytes())
    payload[data.draw(st.sampled_from(sorted(payload)))] = data.draw(
        st.none() | st.integers() | st.text(max_size=5) | st.just([])
    )
    try:
        event = read(host, name_event(host, path), payload)
    except BadPayload:
        return
    assert event is None or hosts.load_host(host).answer(NO_OBJECTION, event).exit_code == 0


CWD = "/w"
TOOLS: list[tuple[str, str, dict[str, object], Action]] = [
    ("gemini", "run_shell_command", {"command": "ls"}, RunShell("ls")),
    ("gemini", "write_file", {"file_path": "a", "content": "x"}, WriteFile("a", "x")),
    ("gemini", "replace", {"file_path": "a", "old_string": "x", "new_string": "y"}, EditFile("a", (Replacement("x", "y"),))),
    ("gemini", "read_many_files", {"include": ["a", "b/*"]}, Search(("a", "b/*"), "")),
    ("gemini", "grep_search", {"pattern": "x", "dir_path": "/etc"}, Search(("/etc",), "x", tree=True)),
    ("gemini", "glob", {"pattern": "/etc/ssh/*"}, Search(("/etc/ssh",), "*")),
    ("gemini", "web_fetch", {"prompt": "what is on https://a.example/x ?"}, Fetch("https://a.example/x")),
    ("gemini", "mcp_stub_peek", {"q": 1}, CallTool("stub", "peek", {"q": 1})),
    ("gemini", "ask_user", {"questions": [{"question": "why?"}]}, AskUser(("why?",))),
    ("qwen", "tool_call", {"name": "web_fetch", "arguments": {"url": "https://a.example"}}, Fetch("https://a.example")),
    ("qwen", "monitor", {"command": "tail -f x"}, RunShell("tail -f x")),
    ("qwen", "mcp__a_b__c__d", {}, CallTool("a_b", "c__d", {})),
    ("qwen", "notebook_edit", {"notebook_path": "/n", "new_source": "1"}, EditFile("/n", (Replacement("", "1"),), "1")),
    ("kimi", "Write", {"path": "a", "content": "x", "mode": "append"}, EditFile("a", (Replacement("", "x"),))),
    ("kimi", "Glob", {"pattern": "~/.ssh/*"}, Search(("~/.ssh",), "*")),
    ("kimi", "FetchURL", {"url": "https://a.example"}, Fetch("https://a.example")),
    ("cline", "run_commands", {"commands": ["ls"]}, RunShell("ls")),
    ("cline", "run_commands", {"commands": ["cd /", "echo '"]}, RunShell("bash -c 'cd /'\nbash -c 'echo '\"'\"''")),
    ("cline", "read_files", {"files": [{"path": "a"}]}, ReadFile("a")),
    ("cline", "read_files", {"files": [{"path": "a"}, {"path": "b"}]}, Search(("a", "b"), "")),
    ("cline", "editor", {"path": "a", "new_text": "x"}, WriteFile("a", "x")),
    ("cline", "editor", {"path": "a", "old_text": "x", "new_text": "y"}, EditFile("a", (Replacement("x", "y"),))),
    ("cline", "stub__peek", {"q": 1}, CallTool("stub", "peek", {"q": 1})),
    ("kilo", "bash", {"command": "ls"}, RunShell("ls")),
    ("kilo", "background_process", {"action": "start", "command": "npm run dev"}, RunShell("npm run dev")),
    ("kilo", "background_process", {"action": "monitor", "command": "make"}, RunShell("make")),
    (
        "kilo",
        "background_process",
        {"action": "stop", "id": "b", "command": "ls"},
        OtherTool("background_process", {"action": "stop", "id": "b", "command": "ls"}, "conversation"),
    ),
    ("kilo", "cron_create", {"prompt": "go"}, OtherTool("cron_create", {"prompt": "go"}, "schedule")),
    ("kilo", "schedule_wakeup", {"prompt": "go"}, OtherTool("schedule_wakeup", {"prompt": "go"}, "schedule")),
    ("kilo", "cron_delete", {"id": "c"}, OtherTool("cron_delete", {"id": "c"}, "conversation")),
    ("kilo", "board_post", {"body": "x"}, OtherTool("board_post", {"body": "x"}, "agent")),
    ("kilo", "send_file", {"path": "a"}, OtherTool("send_file", {"path": "a"})),
    ("kilo", "semantic_search", {"query": "x"}, Search(("/w",), "x")),
    ("kilo", "browser_open", {"url": "http://localhost"}, Fetch("http://localhost")),
    (
        "kilo",
        "notebook_edit",
        {"path": "/n", "action": "insert", "kind": "code", "source": "1"},
        EditFile("/n", (Replacement("", "1"),), "1"),
    ),
    (
        "kilo",
        "notebook_edit",
        {"path": "/n", "action": "insert", "kind": "markdown", "source": "1"},
        EditFile("/n", (Replacement("", "1"),)),
    ),
    ("kilo", "stub_peek", {"q": 1}, CallTool("stub", "peek", {"q": 1})),
    ("cursor", "MCP:peek", {"q": 1}, CallTool("", "peek", {"q": 1})),
    ("antigravity", "run_command", {"CommandLine": "ls"}, RunShell("ls")),
    ("vscode", "create_file", {"filePath": "/a", "content": "x"}, WriteFile("/a", "x")),
]


@pytest.mark.parametrize(("host", "tool", "fields", "action"), TOOLS)
def test_a_tool_is_lowered(host: str, tool: str, fields: dict[str, object], action: Action) -> None:
    lowered = hosts.load_host(host).parse_action(tool, fields, CWD)
    assert (type(lowered), lowered) == (type(action), action)


@pytest.mark.parametrize(
    ("host", "tool", "fields"),
    [
        ("gemini", "run_shell_command", {}),
        ("gemini", "read_many_files", {"include": "a"}),
        ("qwen", "tool_call", {"name": "tool_call", "arguments": {"name": "x"}}),
        ("qwen", "tool_call", {"name": "run_shell_command", "arguments": "ls"}),
        ("kimi", "Edit", {"path": "a", "old_string": "x"}),
        ("cline", "run_commands", {"commands": "ls"}),
        ("cline", "run_commands", {"commands": ["ls", 1]}),
        ("cline", "run_commands", {"commands": []}),
        ("cline", "read_files", {"files": ["a"]}),
        ("kilo", "background_process", {"command": "ls"}),
        ("kilo", "background_process", {"action": "start"}),
        ("kilo", "background_process", {"action": "start", "command": ["ls"]}),
        ("kilo", "notebook_edit", {"action": "insert", "source": "1"}),
        ("antigravity", "run_command", {"command": "ls"}),
    ],
)
def test_an_input_of_another_shape_is_refused(host: str, tool: str, fields: dict[str, object]) -> None:
    with pytest.raises(BadPayload):
        hosts.load_host(host).parse_action(tool, fields, CWD)


@pytest.mark.parametrize(
    ("host", "event", "tool", "key"),
    [
        ("gemini", "BeforeTool", "run_shell_command", "dir_path"),
        ("qwen", "PreToolUse", "run_shell_command", "directory"),
        ("kimi", "PreToolUse", "Bash", "cwd"),
    ],
)
def test_a_command_runs_in_the_folder_that_its_call_names(host: str, event: str, tool: str, key: str) -> None:
    def folder(named: object) -> str:
        call = read(host, event, {"tool_name": tool, "tool_input": {"command": "ls", key: named}, "cwd": "/w"})
        assert isinstance(call, ToolCall)
        return call.scene.cwd

    assert (folder("/etc"), folder("sub"), folder(""), folder(None)) == ("/etc", "/w/sub", "/w", "/w")


def test_each_command_of_kilo_runs_in_the_folder_that_its_call_names() -> None:
    def folder(tool: str, **fields: object) -> str:
        call = read("kilo", "tool.execute.before", {"lineage": ["s"], "directory": "/w", "tool": tool, "args": fields})
        assert isinstance(call, ToolCall)
        return call.scene.cwd

    assert folder("bash", command="ls", workdir="/etc") == "/etc"
    assert folder("background_process", action="start", command="ls", workdir="sub") == "/w/sub"
    assert folder("background_process", action="list", workdir="/etc") == "/w"


def test_every_folder_of_kilo_is_guarded() -> None:
    files = hosts.load_places("kilo").settings_files("/home/ann", "/w", {"KILO_CONFIG_DIR": "/moved", "KILO_CONFIG": "/its.json"})
    folders = (
        "/home/ann/.config/kilo",
        "/home/ann/.kilo",
        "/home/ann/.kilocode",
        "/w/.kilo",
        "/w/.kilocode",
        "/etc/kilo",
        "/moved",
    )
    assert {f"{folder}/{name}" for folder in folders for name in ("kilo.jsonc", "opencode.json", "plugin/", "tools/")} <= set(
        files
    )
    assert "/its.json" in files


def test_the_servers_name_is_read_beside_the_tools() -> None:
    """Joined with underscores, the two names could not be told apart."""
    payload = {
        "tool_name": "mcp_my_files_delete",
        "tool_input": {},
        "mcp_context": {"server_name": "my_files", "tool_name": "delete"},
    }
    call = read("gemini", "BeforeTool", payload)
    assert isinstance(call, ToolCall)
    assert call.action == CallTool("my_files", "delete", {})


def test_a_model_that_goes_on_is_no_prompt() -> None:
    assert read("qwen", "UserPromptSubmit", {"prompt": ""}) is None
    assert isinstance(read("qwen", "UserPromptSubmit", {"prompt": "go"}), PromptSubmitted)


# --- answering -----------------------------------------------------------------------------------------------------------


def event_of(host: str, name: str) -> Event:
    event = read(host, name.split(".")[0], (FOLDER / host / "payloads" / f"{name}.json").read_bytes())
    assert event is not None
    return event


def answer_decision(host: str, name: str, decision: Decision) -> Answer:
    return hosts.load_host(host).answer(decision, event_of(host, name))


def decision(verdict: Verdict, **more: object) -> Decision:
    return Decision(verdict, verdict, tell_user="for the user", tell_agent="for the agent", **more)  # type: ignore[arg-type]


DENIED = Answer("", "for the agent", 2)
CALLS = {"gemini": "BeforeTool.run_shell_command", "qwen": "PreToolUse.run_shell_command", "kimi": "PreToolUse.Bash"}


@pytest.mark.parametrize(("host", "name"), CALLS.items())
def test_a_denial_is_an_exit_code(host: str, name: str) -> None:
    assert answer_decision(host, name, decision(Verdict.DENY)) == DENIED
    assert answer_decision(host, name, NO_OBJECTION) == SILENCE


def parse_answer(answer: Answer) -> object:
    assert (answer.stderr, answer.exit_code) == ("", 0)
    return json.loads(answer.stdout)


def test_a_question_is_asked_or_denied() -> None:
    question = {"hookEventName": "PreToolUse", "permissionDecision": "ask", "permissionDecisionReason": "for the agent"}
    assert parse_answer(answer_decision("qwen", CALLS["qwen"], decision(Verdict.ASK))) == {"hookSpecificOutput": question}
    assert answer_decision("gemini", CALLS["gemini"], decision(Verdict.ASK)) == DENIED
    assert answer_decision("kimi", CALLS["kimi"], decision(Verdict.ASK)) == DENIED
    ask = parse_answer(answer_decision("antigravity", "PreToolUse.run_command", decision(Verdict.ASK)))
    assert ask == {"decision": "force_ask", "reason": "for the agent"}
    assert answer_decision("cursor", "beforeShellExecution", decision(Verdict.ASK)).exit_code == 2
    answer = parse_answer(answer_decision("vscode", "PreToolUse.run_in_terminal", decision(Verdict.ASK)))
    assert isinstance(answer, dict)
    assert answer["hookSpecificOutput"]["permissionDecision"] == "ask"


@pytest.mark.parametrize(
    ("host", "name", "expected"),
    [
        ("gemini", "AfterTool.run_shell_command", {"decision": "deny", "reason": "[hidden]"}),
        ("qwen", "PostToolUse.run_shell_command", {"continue": False, "stopReason": "[hidden]"}),
    ],
)
@pytest.mark.parametrize("content", ["[hidden]", [{"text": "[hidden]"}]])
def test_a_cleaned_output_takes_the_place_of_the_whole(host: str, name: str, expected: object, content: object) -> None:
    cleaned = RewrittenResult({"llmContent": content, "returnDisplay": "[hidden]"})
    assert parse_answer(answer_decision(host, name, Decision(Verdict.PASS, Verdict.PASS, rewrite=cleaned))) == expected


def test_a_rewritten_call_keeps_its_other_arguments() -> None:
    changed = Decision(Verdict.PASS, Verdict.PASS, rewrite=RewrittenCommand("new"))
    details = {"hookEventName": "BeforeTool", "tool_input": {"command": "new", "description": "d"}}
    assert parse_answer(answer_decision("gemini", CALLS["gemini"], changed)) == {"hookSpecificOutput": details}
    cline = hosts.load_host("cline")
    call = ToolCall(event_of("qwen", CALLS["qwen"]).scene, "run_commands", "c", RunShell("x"), {"commands": ["x"]})
    assert parse_answer(cline.answer(changed, call)) == {"decision": "pass", "args": {"commands": ["new"]}}


def test_every_answer_of_cursor_is_an_object() -> None:
    """The host would treat empty output as a failure and refuse everything."""
    assert parse_answer(answer_decision("cursor", "beforeShellExecution", NO_OBJECTION)) == {}
    denied = answer_decision("cursor", "preToolUse.Write", decision(Verdict.DENY))
    assert (denied.exit_code, json.loads(denied.stdout)["permission"]) == (2, "deny")


def test_an_answer_of_antigravity_always_decides() -> None:
    assert parse_answer(answer_decision("antigravity", "PreToolUse.run_command", NO_OBJECTION)) == {"decision": "allow"}
    assert parse_answer(hosts.load_host("antigravity").refuse("", "why")) == {"decision": "deny", "reason": "why"}


@pytest.mark.parametrize("host", ["gemini", "qwen"])
def test_a_projects_variables_cannot_move_the_gate(host: str, tmp_path: Path) -> None:
    project = tmp_path / "repo" / "sub"
    project.mkdir(parents=True)
    event, name = next((name.split(".")[0], name) for key, name in CALLS.items() if key == host)
    payload = {**json.loads((FOLDER / host / "payloads" / f"{name}.json").read_bytes()), "cwd": str(project)}

    def is_refused(text: str) -> bool:
        (tmp_path / "repo" / ".env").write_text(text)
        environ = {"HOME": str(tmp_path), "TOOLGATE_HOME": str(tmp_path / "gate")}
        request = Request(host, event, json.dumps(payload).encode(), environ, str(project), 1000, 0.0)
        return "TOOLGATE_HOME" in App().handle(request).stderr

    assert is_refused(f"# settings\nexport TOOLGATE_HOME='{tmp_path}/gate'\n")
    assert is_refused(f"TOOLGATE_HOME={tmp_path}/gate # here\n")
    assert not is_refused("TOOLGATE_HOME=/elsewhere\nDEBUG=1\n")


# --- registering ---------------------------------------------------------------------------------------------------------

OTHERS = {
    "gemini": '{"theme": "x", "hooks": {"BeforeTool": [{"matcher": "x", "hooks": [{"type": "command", "command": "true"}]}]}}\n',
    "qwen": '{"hooks": {"PreToolUse": []}, "model": {"name": "m"}}\n',
    "kimi": '# mine\ndefault_model = "m"\n\n[[hooks]]\nevent = "Stop"\ncommand = "true"\n\n[models.m]\nprovider = "p"\n',
    "cursor": '{\n  "version": 1,\n  "hooks": {"stop": [{"command": "true"}]}\n}\n',
    "antigravity": '{"mine": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}\n',
}


@pytest.mark.parametrize("host", NAMES)
def test_registered_once_and_taken_out_to_the_byte(host: str, tmp_path: Path) -> None:
    home, project, backups = str(tmp_path / "home"), str(tmp_path / "project"), str(tmp_path / "backups")
    wiring = hosts.load_settings(host)
    path = Path(wiring.locate_settings("user", home, project, {}))
    path.parent.mkdir(parents=True)
    for before in (None, OTHERS.get(host)):
        if before is None:
            path.unlink(missing_ok=True)
        else:
            path.write_text(before)
        apply_plan(plan_install(host, "user", home, project, {}), backups)
        assert check_wiring(host, home, project, {}, ask_version=False) == []
        assert plan_install(host, "user", home, project, {}).changes == ()
        assert str(own_command()[0]) in path.read_text()
        apply_plan(plan_uninstall(host, wiring.SCOPES, home, project, {}), backups)
        if before is None:
            assert not path.exists()
        else:
            loads = tomllib.loads if host == "kimi" else json.loads
            assert loads(path.read_text()) == loads(before)


def problems(host: str, tmp_path: Path, change: tuple[str, str]) -> str:
    home = str(tmp_path / "home")
    apply_plan(plan_install(host, "user", home, home, {}), str(tmp_path / "backups"))
    path = Path(hosts.load_settings(host).locate_settings("user", home, home, {}))
    assert change[0] in path.read_text()
    path.write_text(path.read_text().replace(*change))
    return " ".join(each.what for each in check_wiring(host, home, home, {}, ask_version=False))


@pytest.mark.parametrize(
    ("host", "change", "says"),
    [
        ("gemini", ('"timeout": 10000', '"timeout": 60000'), "`timeout` is not 10000 (milliseconds)"),
        ("gemini", ('{"hooks"', '{"hooksConfig": {"enabled": false}, "hooks"'), "no hook is called"),
        ("gemini", ('{"hooks"', '{"hooksConfig": {"disabled": ["toolgate"]}, "hooks"'), "the gate is not called"),
        ("qwen", ('{"hooks"', '{"disableAllHooks": true, "hooks"'), "no hook is called"),
        ("kimi", ("timeout = 10", "timeout = 60"), "`timeout` is not 10 (seconds)"),
        ("kimi", ('matcher = ""', 'matcher = "Bash"'), "a `matcher` keeps tools from the gate"),
        ("kimi", ("timeout = 10", 'timeout = 10\nfail_mode = "closed"'), "the unknown key fail_mode"),
        ("kimi", ('event = "Stop"', 'event = "Halt"'), "the unknown event Halt"),
        ("cline", ("skip: true", "skip: false"), "it is not what `toolgate install` wrote"),
        ("kilo", ("kiloPlugin", "openCodePlugin"), "it is not what `toolgate install` wrote"),
        ("cursor", ('"failClosed": true', '"failClosed": false'), "`failClosed` is not true"),
    ],
)
def test_what_opens_the_gate_is_told(host: str, change: tuple[str, str], says: str, tmp_path: Path) -> None:
    assert says in problems(host, tmp_path, change)


@pytest.mark.parametrize("text", ["[", "hooks = []\n", 'hooks = "none"\n'])
def test_a_configuration_that_cannot_be_edited_is_an_error(text: str, tmp_path: Path) -> None:
    path = tmp_path / ".kimi-code" / "config.toml"
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(SettingsError, match="cannot be edited"):
        plan_install("kimi", "user", str(tmp_path), str(tmp_path), {})
    assert path.read_text() == text


def test_a_text_that_looks_like_a_hook_is_left_alone(tmp_path: Path) -> None:
    """Inside a string of several lines, only a reader of the whole file can recognize it."""
    path = tmp_path / ".kimi-code" / "config.toml"
    path.parent.mkdir()
    inside = f'[[hooks]]\nevent = "PreToolUse"\ncommand = "{own_command()[0]} kimi PreToolUse"\n'
    path.write_text(f"note = '''\n{inside}'''\n")
    with pytest.raises(SettingsError, match="cannot be told apart"):
        plan_install("kimi", "user", str(tmp_path), str(tmp_path), {})


def test_the_plugins_hold_the_command_and_the_package() -> None:
    for host in ("opencode", "kilo", "cline"):
        wiring = hosts.load_settings(host)
        assert isinstance(wiring, OwnFile)
        text = wiring.render(("/opt/my gate/toolgate-hook",), "/opt/hooks")
        assert wiring.list_commands(wiring.parse(text)) == (("/opt/my gate/toolgate-hook",),)
        assert "file:///opt/hooks/index.js" in text
