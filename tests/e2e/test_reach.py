"""Tests what a hook sees of the client and what it can change: which tools fire it, what can be rewritten or redacted, and what
reaches no hook.
"""

import pytest

from e2e.claude_session import Sandbox, bash, turn
from e2e.conftest import Observe
from e2e.probes import AGENT, SUBAGENT
from toolgate.canary.client import STUB_SERVER, render_servers
from toolgate.canary.scripted_server import ScriptedCall

pytestmark = pytest.mark.e2e

AFTER = ("PostToolUse", "PostToolUseFailure")
MCP = render_servers(STUB_SERVER)


def test_which_tools_reach_the_gate(sandbox: Sandbox, observe: Observe) -> None:
    file, notebook = sandbox.project / "a.txt", sandbox.project / "n.ipynb"
    notebook.write_text('{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}')
    calls = (
        ScriptedCall("Bash", {"command": "true"}),
        ScriptedCall("Write", {"file_path": str(file), "content": "one\n"}),
        ScriptedCall("Read", {"file_path": str(file)}),
        ScriptedCall("Edit", {"file_path": str(file), "old_string": "one", "new_string": "two"}),
        ScriptedCall("ToolSearch", {"query": "select:Monitor,NotebookEdit,WebFetch,WebSearch"}),
        ScriptedCall("Read", {"file_path": str(notebook)}),
        ScriptedCall(
            "NotebookEdit", {"notebook_path": str(notebook), "new_source": "1", "cell_type": "code", "edit_mode": "insert"}
        ),
        ScriptedCall("Monitor", {"command": "true", "description": "d"}),
        ScriptedCall("WebFetch", {"url": "http://127.0.0.1:9/", "prompt": "x"}),
        ScriptedCall("mcp__stub__peek", {"path": "x"}),
        AGENT,
        ScriptedCall("Skill", {"skill": "update-config"}),
        ScriptedCall("Glob", {"pattern": "*"}),
        ScriptedCall("Grep", {"pattern": "x"}),
        ScriptedCall("LS", {"path": "."}),
        ScriptedCall("MultiEdit", {"file_path": str(file), "edits": []}),
    )
    sandbox.use(sandbox.stand_in("silent", "PreToolUse", *AFTER))
    turns = [turn(call) for call in calls]
    outcome = sandbox.talk(*turns, arguments=("--mcp-config", MCP), threads={SUBAGENT: [turn(bash("touch in-subagent"))]})
    before = [payload["tool_name"] for payload in outcome.payloads_of("PreToolUse")]
    after = [payload["tool_name"] for event in AFTER for payload in outcome.payloads_of(event)]
    for call, result in zip(calls, outcome.results, strict=True):
        gone = "No such tool available" in result.text
        observe("tool", call.tool, before=call.tool in before, after=call.tool in after, gone=gone)
        assert gone is (call.tool in {"Glob", "Grep", "LS", "MultiEdit"})
    assert {"Bash", "Write", "Read", "Edit", "NotebookEdit", "Monitor", "WebFetch", "mcp__stub__peek", "Agent"} <= set(before)
    within = [payload for payload in outcome.payloads_of("PreToolUse") if payload.get("agent_id")]
    assert [payload["tool_input"]["command"] for payload in within] == ["touch in-subagent"]


def test_a_call_that_the_client_does_not_take_reaches_nobody(sandbox: Sandbox, observe: Observe) -> None:
    sandbox.use(sandbox.stand_in("silent", "PreToolUse"))
    outcome = sandbox.talk(turn(ScriptedCall("Bash", {"nocommand": "x"})), turn(ScriptedCall("NoSuchTool", {})))
    assert outcome.payloads_of("PreToolUse") == []
    assert all(result.refused for result in outcome.results)
    observe(
        "gap",
        "a call with an input that is not the tool's, or of a tool that does not exist",
        reaches="no hook",
        harm="none: it does not run",
    )


def test_a_mentioned_file_goes_past_every_hook(sandbox: Sandbox, observe: Observe) -> None:
    (sandbox.project / "s.txt").write_text("SECRET-MENTIONED\n")
    sandbox.use(sandbox.stand_in("refuse", "PreToolUse", *AFTER))
    outcome = sandbox.talk(prompt="look at @s.txt")
    assert outcome.payloads_of("PreToolUse") == []
    assert "SECRET-MENTIONED" in outcome.model.all_messages
    observe(
        "gap",
        "a file that the user mentions as @file",
        reaches="no tool hook",
        harm="its content reaches the model: use `Read` deny rules",
    )


def test_an_input_can_be_rewritten(sandbox: Sandbox, observe: Observe) -> None:
    sandbox.use(sandbox.stand_in("rewrite", "PreToolUse"))
    outcome = sandbox.talk(
        turn(bash("touch ORIGINAL-1")),
        turn(ScriptedCall("Write", {"file_path": str(sandbox.project / "ORIGINAL-2"), "content": "x"})),
    )
    assert sandbox.list_created() == {"CHANGED-1", "CHANGED-2"}
    assert "ORIGINAL-1" in outcome.model.all_messages
    observe("change", "a tool's input (`updatedInput`)", possible="yes", note="the model's own history keeps the original")


def test_an_output_can_be_redacted_unless_the_call_failed(sandbox: Sandbox, observe: Observe) -> None:
    (sandbox.project / "s.txt").write_text("SECRET in a file\n")
    sandbox.use(sandbox.stand_in("redact", "PostToolUse"))
    outcome = sandbox.talk(
        turn(bash("printf 'SEC%s' RET")),
        turn(ScriptedCall("Read", {"file_path": str(sandbox.project / "s.txt")})),
        turn(ScriptedCall("mcp__stub__peek", {})),
        turn(bash("printf 'SEC%s' RET; exit 3")),
        arguments=("--mcp-config", MCP),
    )
    shell, read, server, failed = (result.text for result in outcome.results)
    assert "[redacted]" in shell
    assert "[redacted]" in read
    assert "[redacted]" in server
    for text in (shell, read, server):
        assert "SECRET" not in text
    assert "SECRET" in failed
    observe(
        "change",
        "the output of Bash, Read and MCP tools (`updatedToolOutput`)",
        possible="yes",
        note="in the tool's own shape only",
    )
    observe("change", "the output of a failed call", possible="no", note="it reaches the model as it is")
