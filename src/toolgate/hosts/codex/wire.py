"""Codex's wire format: payloads of its hooks, and the answers that it accepts.

`cwd` is the folder of the call, which the agent chooses; the session's own folder is the one in which the hook is started.
"""

import json
from collections.abc import Callable

from toolgate.hosts.payload import Given, lenient, parsed, string
from toolgate.hosts.reply import clean, one_object, reason
from toolgate.model.decision import Decision, Output, Verdict
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

from .tools import action

NAME = "codex"


# --- reading -------------------------------------------------------------------------------------------------------------


def read(request: Request) -> Event | None:
    """Returns the event of a payload; None for an event that the gate does not judge. Raises BadPayload."""
    given = parsed(request.payload)
    named = string(given, "hook_event_name", request.event)
    if named != request.event:
        raise BadPayload(f"the payload is of {named!r}, but the hook was called for {request.event!r}")
    make = _EVENTS.get(request.event)
    return make(given, _scene(given, request)) if make else None


def _scene(given: Given, request: Request) -> Scene:
    environ = request.environ
    cwd = string(given, "cwd", "") or request.cwd
    caller = Caller(NAME, string(given, "session_id", ""), lenient(given, "agent_id"), lenient(given, "agent_type"))
    user = "root" if request.uid == 0 else environ.get("USER") or environ.get("LOGNAME") or ""
    home = environ.get("HOME") or environ.get("USERPROFILE") or ""
    return Scene(caller, cwd, request.cwd, home, environ, user, turn=lenient(given, "turn_id"))


def _call(given: Given, scene: Scene) -> ToolCall:
    tool, fields = _tool(given), _fields(given)
    return ToolCall(scene, tool, lenient(given, "tool_use_id"), action(tool, fields, scene.cwd), fields)


def _permission(given: Given, scene: Scene) -> PermissionRequested:
    call = _call(given, scene)
    return PermissionRequested(scene, call.tool, call.call, call.action)


def _result(given: Given, scene: Scene) -> ToolResult:
    call = _call(given, scene)
    return ToolResult(scene, call.tool, call.call, call.action, given.get("tool_response"))


def _tool(given: Given) -> str:
    name = string(given, "tool_name")
    if not name.strip():
        raise BadPayload("`tool_name` is empty")
    return name


def _fields(given: Given) -> Given:
    fields = given.get("tool_input", {})
    if not isinstance(fields, dict):
        raise BadPayload("`tool_input` is not an object")
    return fields


_EVENTS: dict[str, Callable[[Given, Scene], Event]] = {
    "PreToolUse": _call,
    "PermissionRequest": _permission,
    "PostToolUse": _result,
    "UserPromptSubmit": lambda given, scene: PromptSubmitted(scene, string(given, "prompt")),
    "SessionStart": lambda given, scene: SessionStarted(scene, lenient(given, "source")),
    "Stop": lambda given, scene: TurnEnding(scene, given.get("stop_hook_active") is True),
}
EVENTS = tuple(_EVENTS)


# --- answering -----------------------------------------------------------------------------------------------------------


def answer(decision: Decision, event: Event) -> Answer:
    """Returns the decision in the client's format. The client would run a call that a hook asks about, so `ask` is denied."""
    name = _NAMES[type(event)]
    if decision.verdict is Verdict.ASK and isinstance(event, PermissionRequested):
        return SILENCE  # the client is about to ask its user anyway
    if decision.verdict >= Verdict.ASK:
        return refuse(name, reason(decision))
    if isinstance(event, ToolResult) and isinstance(decision.rewrite, Output):
        return Answer(one_object({"decision": "block", "reason": _shown(decision.rewrite.response)}))
    whole: dict[str, object] = {}
    if decision.tell_user and isinstance(event, ToolCall | SessionStarted):
        whole["systemMessage"] = clean(decision.tell_user)
    if decision.tell_agent and isinstance(event, ToolCall | ToolResult | SessionStarted):
        whole["hookSpecificOutput"] = {"hookEventName": name, "additionalContext": clean(decision.tell_agent)}
    return Answer(one_object(whole)) if whole else SILENCE


def _shown(response: object) -> str:
    """Returns the whole output as text: the client replaces it with the reason."""
    content = response.get("content") if isinstance(response, dict) else None
    if isinstance(content, list):
        return "\n".join(str(each.get("text", "")) if isinstance(each, dict) else str(each) for each in content)
    return response if isinstance(response, str) else json.dumps(response)


def refuse(event: str, reason: str) -> Answer:
    """Returns the strongest refusal of an event. A session cannot be kept from starting: its user is told."""
    why = clean(reason)
    return Answer(one_object({"systemMessage": why})) if event == "SessionStart" else Answer("", why, 2)


_NAMES: dict[type[Event], str] = {
    ToolCall: "PreToolUse",
    PermissionRequested: "PermissionRequest",
    ToolResult: "PostToolUse",
    PromptSubmitted: "UserPromptSubmit",
    SessionStarted: "SessionStart",
    TurnEnding: "Stop",
}
