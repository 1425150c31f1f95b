"""Codex's wire format: payloads of its hooks, and the answers that it accepts.

`cwd` is the folder of the call, which the agent chooses; the session's own folder is the one in which the hook is started.
"""

import json
from collections.abc import Callable

from toolgate.hosts.payload import Fields, parse_payload, read_optional_text, read_string
from toolgate.hosts.reply import build_reason, clean_reason, render_object
from toolgate.model.decision import Decision, RewrittenResult, Verdict
from toolgate.model.errors import BadPayload
from toolgate.model.event import (
    Caller,
    Event,
    PermissionRequested,
    PromptSubmitted,
    Scene,
    SessionStarted,
    ToolCall,
    ToolResult,
    TurnEnding,
)
from toolgate.model.request import SILENCE, Answer, Request

from .tools import parse_action

NAME = "codex"


# --- reading -------------------------------------------------------------------------------------------------------------


def read(request: Request) -> Event | None:
    """Returns the event of a payload; None for an event that the gate does not judge. Raises BadPayload."""
    given = parse_payload(request.payload)
    named = read_string(given, "hook_event_name", request.event)
    if named != request.event:
        raise BadPayload(f"the payload is of {named!r}, but the hook was called for {request.event!r}")
    make = _EVENT_READERS.get(request.event)
    return make(given, _read_scene(given, request)) if make else None


def _read_scene(given: Fields, request: Request) -> Scene:
    environ = request.environ
    cwd = read_string(given, "cwd", "") or request.cwd
    caller = Caller(
        NAME, read_string(given, "session_id", ""), read_optional_text(given, "agent_id"), read_optional_text(given, "agent_type")
    )
    user = "root" if request.uid == 0 else environ.get("USER") or environ.get("LOGNAME") or ""
    home = environ.get("HOME") or environ.get("USERPROFILE") or ""
    return Scene(caller, cwd, request.cwd, home, environ, user, turn=read_optional_text(given, "turn_id"))


def _read_call(given: Fields, scene: Scene) -> ToolCall:
    tool, fields = _read_tool_name(given), _read_fields(given)
    return ToolCall(scene, tool, read_optional_text(given, "tool_use_id"), parse_action(tool, fields, scene.cwd), fields)


def _read_permission(given: Fields, scene: Scene) -> PermissionRequested:
    call = _read_call(given, scene)
    return PermissionRequested(scene, call.tool, call.call, call.action)


def _read_result(given: Fields, scene: Scene) -> ToolResult:
    call = _read_call(given, scene)
    return ToolResult(scene, call.tool, call.call, call.action, given.get("tool_response"))


def _read_tool_name(given: Fields) -> str:
    name = read_string(given, "tool_name")
    if not name.strip():
        raise BadPayload("`tool_name` is empty")
    return name


def _read_fields(given: Fields) -> Fields:
    fields = given.get("tool_input", {})
    if not isinstance(fields, dict):
        raise BadPayload("`tool_input` is not an object")
    return fields


_EVENT_READERS: dict[str, Callable[[Fields, Scene], Event]] = {
    "PreToolUse": _read_call,
    "PermissionRequest": _read_permission,
    "PostToolUse": _read_result,
    "UserPromptSubmit": lambda given, scene: PromptSubmitted(scene, read_string(given, "prompt")),
    "SessionStart": lambda given, scene: SessionStarted(scene, read_optional_text(given, "source")),
    "Stop": lambda given, scene: TurnEnding(scene, given.get("stop_hook_active") is True),
}
EVENTS = tuple(_EVENT_READERS)


# --- answering -----------------------------------------------------------------------------------------------------------


def answer(decision: Decision, event: Event) -> Answer:
    """Returns the decision in the client's format. The client would run a call that a hook asks about, so `ask` is denied."""
    name = _EVENT_NAMES[type(event)]
    if decision.verdict is Verdict.ASK and isinstance(event, PermissionRequested):
        return SILENCE  # the client is about to ask its user anyway
    if decision.verdict >= Verdict.ASK:
        return refuse(name, build_reason(decision))
    if isinstance(event, ToolResult) and isinstance(decision.rewrite, RewrittenResult):
        return Answer(render_object({"decision": "block", "reason": _render_response(decision.rewrite.response)}))
    whole: dict[str, object] = {}
    if decision.tell_user and isinstance(event, ToolCall | SessionStarted):
        whole["systemMessage"] = clean_reason(decision.tell_user)
    if decision.tell_agent and isinstance(event, ToolCall | ToolResult | SessionStarted):
        whole["hookSpecificOutput"] = {"hookEventName": name, "additionalContext": clean_reason(decision.tell_agent)}
    return Answer(render_object(whole)) if whole else SILENCE


def _render_response(response: object) -> str:
    """Returns the whole output as text: the client replaces it with the reason."""
    content = response.get("content") if isinstance(response, dict) else None
    if isinstance(content, list):
        return "\n".join(str(each.get("text", "")) if isinstance(each, dict) else str(each) for each in content)
    return response if isinstance(response, str) else json.dumps(response)


def refuse(event: str, reason: str) -> Answer:
    """Returns the strongest refusal of an event. A session cannot be kept from starting: its user is told."""
    why = clean_reason(reason)
    return Answer(render_object({"systemMessage": why})) if event == "SessionStart" else Answer("", why, 2)


_EVENT_NAMES: dict[type[Event], str] = {
    ToolCall: "PreToolUse",
    PermissionRequested: "PermissionRequest",
    ToolResult: "PostToolUse",
    PromptSubmitted: "UserPromptSubmit",
    SessionStarted: "SessionStart",
    TurnEnding: "Stop",
}
