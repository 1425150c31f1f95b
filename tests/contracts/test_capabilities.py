"""Compares what each host declares about itself with its codec and with what the gate does where a host cannot ask."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import toolgate.hosts as hosts
from toolgate.app import App
from toolgate.hosts.capabilities import NO_QUESTION_REASONS, VOCABULARY, load_capabilities
from toolgate.model.decision import NO_OBJECTION, Decision, RewrittenCommand, Verdict
from toolgate.model.event import ToolCall
from toolgate.model.host import Host
from toolgate.model.request import Answer, Request

FOLDER = Path(hosts.__file__).parent
HOOK_CALL = {"tool_input": {"command": "@"}, "session_id": "s", "cwd": "/work/api"}
COMMAND = {
    "claude-code": ("PreToolUse", {"tool_name": "Bash", **HOOK_CALL}),
    "copilot": ("preToolUse", {"toolName": "bash", "toolArgs": {"command": "@"}, "sessionId": "s", "cwd": "/work/api"}),
    "codex": ("PreToolUse", {"tool_name": "Bash", **HOOK_CALL}),
    "gemini": ("BeforeTool", {"tool_name": "run_shell_command", **HOOK_CALL}),
    "qwen": ("PreToolUse", {"tool_name": "run_shell_command", **HOOK_CALL}),
    "kimi": ("PreToolUse", {"tool_name": "Bash", **HOOK_CALL}),
    "cursor": ("beforeShellExecution", {"command": "@", "conversation_id": "s", "workspace_roots": ["/work/api"]}),
    "antigravity": (
        "PreToolUse",
        {"toolCall": {"name": "run_command", "args": {"CommandLine": "@"}}, "workspacePaths": ["/work/api"]},
    ),
    "vscode": (
        "PreToolUse",
        {"tool_name": "run_in_terminal", "tool_input": {"command": "@"}, "sessionId": "s", "cwd": "/work/api"},
    ),
    "cline": (
        "beforeTool",
        {"tool": "run_commands", "args": {"commands": ["@"]}, "lineage": ["s"], "callID": "c", "directory": "/work/api"},
    ),
    **dict.fromkeys(
        ("opencode", "kilo"),
        (
            "tool.execute.before",
            {"tool": "bash", "args": {"command": "@"}, "lineage": ["s"], "callID": "c", "directory": "/work/api"},
        ),
    ),
}
"""Host -> the event before a tool, and the payload of a shell command `@`."""


def test_every_host_has_a_command_here() -> None:
    assert COMMAND.keys() == hosts.HOSTS.keys()


@pytest.mark.parametrize("name", hosts.HOSTS)
def test_every_host_declares_everything_in_the_vocabulary(name: str) -> None:
    declared = tomllib.loads((FOLDER / hosts.HOSTS[name] / "capabilities.toml").read_text())
    sections = {section for section, value in declared.items() if isinstance(value, dict)}
    assert sections == set(VOCABULARY)
    for section, keys in VOCABULARY.items():
        assert declared[section].keys() == keys.keys(), section
        assert [key for key, value in declared[section].items() if value not in keys[key]] == []
    assert load_capabilities(name).proof in ("client", "documents")
    assert all(gap.endswith(".") for gap in load_capabilities(name).gaps)


def request(name: str, command: str, home: str) -> Request:
    event, payload = COMMAND[name]
    raw = json.dumps(payload).replace('"@"', json.dumps(command)).encode()
    return Request(name, event, raw, {"HOME": home, "TOOLGATE_HOME": f"{home}/gate"}, "/work/api", 1000, 0.0)


def call_of(name: str) -> ToolCall:
    event = hosts.load_host(name).read(request(name, "ls", "/home/ann"))
    assert isinstance(event, ToolCall)
    return event


@pytest.mark.parametrize("name", hosts.HOSTS)
def test_a_question_is_asked_only_where_the_host_asks(name: str) -> None:
    """Where the host would run the call or end the run instead, the codec itself refuses."""
    host: Host = hosts.load_host(name)
    answer = host.answer(Decision(Verdict.ASK, Verdict.ASK, tell_agent="because"), call_of(name))
    denied = host.answer(Decision(Verdict.DENY, Verdict.DENY, tell_agent="because"), call_of(name))
    assert (answer == denied) is bool(load_capabilities(name).no_question)


@pytest.mark.parametrize("name", hosts.HOSTS)
def test_a_call_is_rewritten_only_where_the_host_applies_it(name: str) -> None:
    host: Host = hosts.load_host(name)
    changed = Decision(Verdict.PASS, Verdict.PASS, rewrite=RewrittenCommand("echo something-else"))
    answer = host.answer(changed, call_of(name))
    assert ("something-else" in answer.stdout) is load_capabilities(name).can_rewrite


@pytest.mark.parametrize("name", hosts.HOSTS)
def test_a_command_that_asks_becomes_a_request_where_the_host_cannot_ask(name: str, tmp_path: Path) -> None:
    home = str(tmp_path)

    def answer_call(command: str) -> Answer:
        return App().handle(request(name, command, home))

    denied, asking, passed = answer_call("rm -rf ~"), answer_call("touch ~/outside"), answer_call("ls")
    assert passed == hosts.load_host(name).answer(NO_OBJECTION, call_of(name))
    assert passed not in (denied, asking)
    cannot_ask = [reason for reason in NO_QUESTION_REASONS.values() if reason in asking.stdout + asking.stderr]
    assert cannot_ask == [reason for reason in (load_capabilities(name).no_question,) if reason]


def refusals(name: str) -> Iterator[Answer]:
    host: Host = hosts.load_host(name)
    for event in host.EVENTS:
        yield host.refuse(event, "because")


@pytest.mark.parametrize("name", hosts.HOSTS)
def test_a_refusal_gives_its_reason(name: str) -> None:
    assert all("because" in answer.stdout + answer.stderr for answer in refusals(name))
