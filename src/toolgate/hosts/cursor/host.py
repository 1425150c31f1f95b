"""Cursor, as its documents describe it: hooks are commands that read one JSON object on stdin, with `failClosed` for each.

A refusal is JSON and exit code 2. Every answer is an object: no output at all would count as a failure. A shell command and a
server's tool are shown to two hooks; the gate judges both.
"""

import json

from toolgate.hosts.formats.hook_payload import build_scene, read_tool_input, read_tool_name
from toolgate.hosts.formats.payload import Fields, ToolInput, parse_payload, read_optional_text, read_string
from toolgate.hosts.formats.reply import build_reason, clean_reason, render_object
from toolgate.hosts.formats.unknown_seat import explain_lost_question, read_seat
from toolgate.model.action import Action, CallTool, OtherTool, ReadFile, RunShell
from toolgate.model.decision import Decision, Verdict
from toolgate.model.errors import BadPayload
from toolgate.model.event import Caller, Event, Scene, ToolCall
from toolgate.model.host import Traces
from toolgate.model.request import Answer, Request

from .places import environment_files, hook_folders, own_folder, settings_files

__all__ = ["environment_files", "explain_lost_question", "hook_folders", "own_folder", "read_seat", "settings_files"]

NAME = "cursor"
EVENTS = ("preToolUse", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile")
TRACES = Traces(variables=("CURSOR_AGENT", "CURSOR_TRACE_ID"), programs=("cursor-agent", "cursor"))
SERVER_PREFIX = "MCP:"


def read(request: Request) -> Event | None:
    """Returns the event of a payload; None for an event that the gate does not judge. Raises BadPayload."""
    payload = parse_payload(request.payload)
    named = read_string(payload, "hook_event_name", request.event)
    if named != request.event:
        raise BadPayload(f"the payload is of {named!r}, but the hook was called for {request.event!r}")
    scene = _read_scene(payload, request)
    match request.event:
        case "preToolUse":
            tool, fields = read_tool_name(payload), read_tool_input(payload)
        case "beforeShellExecution":
            tool, fields = "Shell", {"command": read_string(payload, "command")}
        case "beforeMCPExecution":
            tool, fields = f"{SERVER_PREFIX}{read_tool_name(payload)}", _read_json_object(payload)
        case "beforeReadFile":
            tool, fields = "Read", {"file_path": read_string(payload, "file_path")}
        case _:
            return None
    return ToolCall(scene, tool, read_optional_text(payload, "tool_use_id"), parse_action(tool, fields, scene.cwd), fields)


def _read_scene(fields: Fields, request: Request) -> Scene:
    roots = fields.get("workspace_roots")
    project = next((each for each in roots if isinstance(each, str)), "") if isinstance(roots, list) else ""
    cwd = read_string(fields, "cwd", "") or project or request.cwd
    return build_scene(Caller(NAME, read_string(fields, "conversation_id", "")), cwd, project or request.cwd, request)


def _read_json_object(payload: Fields) -> Fields:
    """Reads the arguments of a server's tool, which are the text of a JSON object."""
    value = payload.get("tool_input", {})
    try:
        fields = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise BadPayload("`tool_input` is no JSON object")
    return fields


def parse_action(tool: str, fields: Fields, cwd: str) -> Action:
    """Returns the action of a tool call. The documents give no keys of the other tools: they are read by their arguments."""
    tool_input = ToolInput(tool, fields, cwd)
    if tool == "Shell":
        return RunShell(tool_input.read_string("command"))
    if tool == "Read":
        return ReadFile(tool_input.read_path("file_path"))
    if tool.startswith(SERVER_PREFIX):
        return CallTool("", tool.removeprefix(SERVER_PREFIX), fields)
    return OtherTool(tool, fields, "agent" if tool == "Task" else "unknown")


def answer(decision: Decision, _event: Event) -> Answer:
    """Returns the decision in the client's format; an object without a permission states no opinion."""
    return refuse("", build_reason(decision)) if decision.verdict >= Verdict.ASK else Answer(render_object({}))


legacy_answer = answer


def refuse(_event: str, reason: str) -> Answer:
    """Returns the same refusal for every event."""
    why = clean_reason(reason)
    return Answer(render_object({"permission": "deny", "user_message": why, "agent_message": why}), why, 2)
