"""Tests what OpenCode's plugin sends and accepts: every captured payload, every tool, and complete answers."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolgate.hosts as hosts
from toolgate.app import App
from toolgate.hosts.opencode.places import settings_files
from toolgate.hosts.opencode.settings import REGISTRATION as registration
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
from toolgate.model.event import Event, PromptSubmitted, ToolCall, ToolResult
from toolgate.model.request import Answer, Request

OPENCODE = hosts.load_host("opencode")
PAYLOADS = {path.stem: path.read_bytes() for path in sorted((Path(hosts.__file__).parent / "opencode/payloads").iterdir())}
ENVIRON = {"HOME": "/home/ann", "USER": "ann"}
BEFORE, AFTER = "tool.execute.before", "tool.execute.after"
PASS = {"decision": "pass"}
COMMAND = ("/opt/my gate/toolgate-hook",)


def read(event: str, payload: object) -> Event | None:
    raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return OPENCODE.read(Request("opencode", event, raw, ENVIRON, "/started/here", 1000, 0.0))


def call(tool: str, arguments: object) -> ToolCall:
    event = read(BEFORE, {**json.loads(PAYLOADS[f"{BEFORE}.bash"]), "tool": tool, "args": arguments})
    assert isinstance(event, ToolCall)
    return event


def parse_answer(answer: Answer) -> object:
    assert (answer.stderr, answer.exit_code) == ("", 0)
    return json.loads(answer.stdout)


# --- reading -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAYLOADS)
def test_every_captured_payload_is_read(name: str) -> None:
    event = read(next(each for each in OPENCODE.EVENTS if name.startswith(each)), PAYLOADS[name])
    assert event is not None
    scene = event.scene
    assert (scene.project, scene.cwd, scene.home, scene.user) == ("/sandbox/project", "/sandbox/project", "/home/ann", "ann")
    assert scene.caller.session
    assert bool(scene.caller.agent) is bool(scene.caller.parent) is ("subagent" in name)
    assert parse_answer(OPENCODE.answer(NO_OBJECTION, event)) == PASS


def test_the_captured_payloads_cover_every_event() -> None:
    assert all(any(name.startswith(event) for name in PAYLOADS) for event in OPENCODE.EVENTS)


def test_an_agents_own_agent_belongs_to_the_persons_session() -> None:
    event = read(BEFORE, {**json.loads(PAYLOADS[f"{BEFORE}.bash"]), "lineage": ["inner", "middle", "own"]})
    assert event is not None
    caller = event.scene.caller
    assert (caller.session, caller.agent, caller.parent) == ("own", "inner", "middle")


def test_a_command_is_judged_in_the_folder_that_it_runs_in() -> None:
    assert call("bash", {"command": "ls", "workdir": "/etc"}).scene.cwd == "/etc"
    inner = call("bash", {"command": "ls", "workdir": "src"})
    assert (inner.scene.cwd, inner.scene.project) == ("/sandbox/project/src", "/sandbox/project")
    assert call("read", {"filePath": "a", "workdir": "/etc"}).scene.cwd == "/sandbox/project"


@pytest.mark.parametrize(
    ("tool", "arguments", "action"),
    [
        ("bash", {"command": "ls", "timeout": "soon"}, RunShell("ls")),
        ("read", {"filePath": "/a", "offset": 1}, ReadFile("/a")),
        ("write", {"filePath": "/a", "content": "x"}, WriteFile("/a", "x")),
        ("edit", {"filePath": "/a", "oldString": "x", "newString": "y"}, EditFile("/a", (Replacement("x", "y"),))),
        (
            "edit",
            {"filePath": "/a", "oldString": "x", "newString": "y", "replaceAll": True},
            EditFile("/a", (Replacement("x", "y", every=True),)),
        ),
        ("apply_patch", {"patchText": "*** Begin Patch\n*** End Patch\n"}, ApplyPatch("*** Begin Patch\n*** End Patch\n")),
        ("grep", {"pattern": "x"}, Search(("/sandbox/project",), "x")),
        ("grep", {"pattern": "x", "path": "/etc"}, Search(("/etc",), "x", tree=True)),
        ("grep", {"pattern": "x", "include": "*.py"}, Search(("/sandbox/project", "/sandbox/project/*.py"), "x")),
        ("glob", {"pattern": "/etc/ssh/*"}, Search(("/etc/ssh",), "*")),
        ("glob", {"pattern": "src/**", "path": "/w"}, Search(("/w/src",), "**")),
        ("webfetch", {"url": "https://a.example/"}, Fetch("https://a.example/")),
        ("question", {"questions": [{"question": "which?"}]}, AskUser(("which?",))),
        ("github_create_issue", {"path": "x"}, CallTool("github", "create_issue", {"path": "x"})),
        ("task", {"prompt": "rm -rf /"}, OtherTool("task", {"prompt": "rm -rf /"}, "agent")),
        ("unheardof", {}, OtherTool("unheardof", {})),
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
        ("bash", {"command": "ls", "workdir": 1}),
        ("bash", ["ls"]),
        ("read", {"filePath": ""}),
        ("write", {"filePath": "/a"}),
        ("edit", {"filePath": "/a", "oldString": "", "newString": "", "replaceAll": 1}),
        ("apply_patch", {}),
        ("", {}),
    ],
)
def test_what_is_not_of_its_tools_shape_is_refused(tool: str, arguments: object) -> None:
    with pytest.raises(BadPayload):
        call(tool, arguments)


@pytest.mark.parametrize("lineage", [None, [], "s", [1], [""]])
def test_a_call_of_no_session_is_refused(lineage: object) -> None:
    with pytest.raises(BadPayload, match="lineage"):
        read(BEFORE, {**json.loads(PAYLOADS[f"{BEFORE}.bash"]), "lineage": lineage})


@given(st.binary(max_size=300), st.sampled_from((*OPENCODE.EVENTS, "other")))
def test_reading_is_total(payload: bytes, event: str) -> None:
    try:
        read(event, payload)
    except BadPayload:
        pass


# --- answering -----------------------------------------------------------------------------------------------------------

BASH = call("bash", {"command": "push --force", "workdir": "/w"})


def decision(verdict: Verdict, **more: object) -> Decision:
    return Decision(verdict, verdict, tell_user="for the user", tell_agent="for the agent", **more)  # type: ignore[arg-type]


def test_a_call() -> None:
    denied = {"decision": "deny", "reason": "for the agent"}
    assert parse_answer(OPENCODE.answer(decision(Verdict.DENY), BASH)) == denied
    assert parse_answer(OPENCODE.answer(decision(Verdict.ASK), BASH)) == denied
    assert parse_answer(OPENCODE.answer(decision(Verdict.WARN), BASH)) == {**PASS, "context": "for the agent"}
    assert parse_answer(OPENCODE.answer(NO_OBJECTION, BASH)) == PASS


def test_a_changed_call_is_whole() -> None:
    changed = OPENCODE.answer(Decision(Verdict.PASS, Verdict.PASS, rewrite=RewrittenCommand("push")), BASH)
    assert parse_answer(changed) == {**PASS, "args": {"command": "push", "workdir": "/w"}}


def test_a_changed_result_has_its_own_shape() -> None:
    event = ToolResult(BASH.scene, "bash", "", BASH.action, {"output": "s", "metadata": {"output": "s"}})
    clean = {"output": "[hidden]", "metadata": {"output": "[hidden]"}}
    assert parse_answer(OPENCODE.answer(Decision(Verdict.PASS, Verdict.PASS, rewrite=RewrittenResult(clean)), event)) == {
        **PASS,
        "result": clean,
    }


def test_a_warning_is_no_part_of_a_prompt() -> None:
    assert parse_answer(OPENCODE.answer(decision(Verdict.WARN), PromptSubmitted(BASH.scene, "p"))) == PASS


def test_through_the_whole_gate(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "TOOLGATE_HOME": str(tmp_path / "gate")}

    def verdict(tool: str, arguments: object) -> object:
        payload = {"lineage": ["s"], "directory": "/work/api", "tool": tool, "args": arguments}
        answer = App().handle(Request("opencode", BEFORE, json.dumps(payload).encode(), environ, "/work/api", 1000, 0.0))
        return json.loads(answer.stdout)["decision"]

    assert verdict("bash", {"command": "rm -rf /"}) == "deny"
    assert verdict("bash", {"command": "ls"}) == "pass"
    assert verdict("bash", {"command": "rm -rf ./lib", "workdir": "/usr"}) == "deny"
    assert verdict("bash", {"command": "rm -rf ./lib"}) == "pass"
    assert verdict("write", {"filePath": f"{tmp_path}/.config/opencode/plugin/mine.js", "content": ""}) == "deny"
    assert verdict("write", {"filePath": "/work/api/.opencode/tools/mine.ts", "content": ""}) == "deny"
    assert verdict("edit", {"filePath": "opencode.json", "oldString": "", "newString": "{}"}) == "deny"
    assert verdict("write", {"filePath": "/work/api/src/plugin/mine.js", "content": ""}) == "pass"


# --- registering ---------------------------------------------------------------------------------------------------------


def test_the_plugin_says_what_it_starts() -> None:
    settings = registration.parse(registration.render(COMMAND, "/opt/node package"))
    assert registration.list_commands(settings) == (COMMAND,)
    assert registration.list_events(settings) == frozenset(OPENCODE.EVENTS)
    assert registration.find_weaknesses(settings) == registration.find_faults(settings) == ()


def test_a_plugin_that_was_edited_is_told() -> None:
    edited = registration.render(COMMAND, "/opt/node").replace("throw new Error", "return")
    settings = registration.parse(edited)
    assert registration.list_commands(settings) == (COMMAND,)
    assert registration.list_events(settings) == frozenset()
    assert registration.find_weaknesses(settings) == ("hooks.plugin: it is not what `toolgate install` wrote",)


@pytest.mark.parametrize(
    "text", ["", "export const Other = 1", 'const COMMAND = ["rm"];', "const COMMAND = [;", "const COMMAND = 1"]
)
def test_somebody_elses_plugin_is_not_ours(text: str) -> None:
    assert registration.parse(text) == {}
    assert registration.list_commands(registration.parse(text)) == ()


def test_the_plugin_lies_among_the_guarded_files() -> None:
    for scope in registration.SCOPES:
        folder = registration.locate_settings(scope, "/home/ann", "/work/api", {}).rpartition("/")[0]
        assert f"{folder}/" in settings_files("/home/ann", "/work/api", {})


def test_a_configuration_that_is_moved_is_guarded_where_it_is() -> None:
    moved = settings_files("/home/ann", "/w", {"OPENCODE_CONFIG_DIR": "/moved", "OPENCODE_CONFIG": "/its.json"})
    assert {"/moved/plugin/", "/its.json"} <= set(moved)
