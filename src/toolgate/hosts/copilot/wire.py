"""Copilot's wire format, in both dialects: camelCase event names with its own keys, PascalCase with Claude Code's.

Answers are the same in both: nothing, or one JSON object, and exit code 0. An invalid answer counts as no opinion.
"""

from collections.abc import Callable

from toolgate.hosts.formats.hook_payload import read_tool_name
from toolgate.hosts.formats.payload import Fields, parse_payload, read_optional_text, read_string
from toolgate.hosts.formats.reply import build_reason, clean_reason, render_object
from toolgate.model.action import Action
from toolgate.model.decision import Decision, RewrittenCommand, RewrittenResult, Verdict
from toolgate.model.errors import BadPayload
from toolgate.model.event import (
    Caller,
    Event,
    PermissionRequested,
    PromptSubmitted,
    Scene,
    SessionEnded,
    SessionStarted,
    ToolCall,
    ToolResult,
    TurnEnding,
)
from toolgate.model.request import SILENCE, Answer, Request

from .tools import attach_answer, parse_action, read_arguments

NAME = "copilot"
BORROWED_EVENTS = {
    "PreToolUse": "preToolUse",
    "PermissionRequest": "permissionRequest",
    "PostToolUse": "postToolUse",
    "UserPromptSubmit": "userPromptSubmitted",
    "SessionStart": "sessionStart",
    "SessionEnd": "sessionEnd",
    "Stop": "agentStop",
}
"""Event names of the borrowed dialect -> Copilot's own."""
SNAKE_CASE_KEYS = {
    "sessionId": "session_id",
    "toolName": "tool_name",
    "toolArgs": "tool_input",
    "toolResult": "tool_result",
    "agentId": "agent_id",
    "agentType": "agent_type",
    "parentAgentId": "parent_agent_id",
}
RESULT_KEYS = {"result_type": "resultType", "text_result_for_llm": "textResultForLlm"}


# --- reading -------------------------------------------------------------------------------------------------------------


def read(request: Request) -> Event | None:
    """Returns the event of a payload; None for an event that the gate does not judge. Raises BadPayload."""
    fields = _normalize_keys(parse_payload(request.payload))
    named = read_optional_text(fields, "hook_event_name") or read_optional_text(fields, "hookName") or request.event
    if BORROWED_EVENTS.get(named, named) != BORROWED_EVENTS.get(request.event, request.event):
        raise BadPayload(f"the payload is of {named!r}, but the hook was called for {request.event!r}")
    make = _EVENT_READERS.get(BORROWED_EVENTS.get(request.event, request.event))
    return make(fields, _read_scene(fields, request)) if make else None


def _normalize_keys(fields: Fields) -> Fields:
    return {**fields, **{own: fields[snake] for own, snake in SNAKE_CASE_KEYS.items() if own not in fields and snake in fields}}


def _read_scene(fields: Fields, request: Request) -> Scene:
    environ = request.environ
    cwd = read_string(fields, "cwd", "") or request.cwd
    keys = ("sessionId", "agentId", "agentType", "parentAgentId")
    user = "root" if request.uid == 0 else environ.get("USER") or environ.get("LOGNAME") or ""
    home = environ.get("HOME") or environ.get("USERPROFILE") or ""
    project = environ.get("COPILOT_PROJECT_DIR") or environ.get("CLAUDE_PROJECT_DIR") or cwd
    return Scene(Caller(NAME, *(read_optional_text(fields, key) for key in keys)), cwd, project, home, environ, user)


def _read_call(payload: Fields, scene: Scene) -> ToolCall:
    tool = read_tool_name(payload, "toolName")
    fields = read_arguments(tool, payload.get("toolArgs", {}))
    return ToolCall(scene, tool, read_optional_text(payload, "toolCallId"), parse_action(tool, fields, scene.cwd), fields)


def _read_permission(fields: Fields, scene: Scene) -> PermissionRequested:
    tool_input = fields.get("toolInput", fields.get("toolArgs", {}))
    return PermissionRequested(
        scene,
        read_tool_name(fields, "toolName"),
        read_optional_text(fields, "toolCallId"),
        _read_action(fields, tool_input, scene),
    )


def _read_result(fields: Fields, scene: Scene) -> ToolResult:
    response = fields.get("toolResult")
    if isinstance(response, dict):  # both dialects use these keys in what is handed back
        response = {RESULT_KEYS.get(key, key): value for key, value in response.items()}
    action = _read_action(fields, fields.get("toolArgs", {}), scene)
    return ToolResult(scene, read_tool_name(fields, "toolName"), "", attach_answer(action, response), response)


def _read_action(fields: Fields, arguments: object, scene: Scene) -> Action:
    tool = read_tool_name(fields, "toolName")
    return parse_action(tool, read_arguments(tool, arguments), scene.cwd)


def _read_turn_ending(fields: Fields, scene: Scene) -> TurnEnding:
    return TurnEnding(scene, fields.get("stop_hook_active") is True or fields.get("stopHookActive") is True)


_EVENT_READERS: dict[str, Callable[[Fields, Scene], Event]] = {
    "preToolUse": _read_call,
    "permissionRequest": _read_permission,
    "postToolUse": _read_result,
    "userPromptSubmitted": lambda fields, scene: PromptSubmitted(scene, read_string(fields, "prompt")),
    "sessionStart": lambda fields, scene: SessionStarted(scene, read_optional_text(fields, "source")),
    "sessionEnd": lambda fields, scene: SessionEnded(scene, read_optional_text(fields, "reason")),
    "agentStop": _read_turn_ending,
}
EVENTS = tuple(_EVENT_READERS)


# --- answering -----------------------------------------------------------------------------------------------------------


def answer(decision: Decision, event: Event) -> Answer:
    """Returns the decision in the host's format. It has no message to the user beside a call; a warning is only recorded."""
    name = _EVENT_NAMES[type(event)]
    if decision.verdict < Verdict.ASK:
        return _answer_without_objection(event, decision)
    if decision.verdict is Verdict.ASK and isinstance(event, ToolCall):
        return _build_permission_answer("ask", build_reason(decision), **_build_rewrite(decision, event))
    if decision.verdict is Verdict.ASK and isinstance(event, PermissionRequested):
        return SILENCE  # its user has been asked, or is about to be
    return refuse(name, build_reason(decision))


def refuse(event: str, reason: str) -> Answer:
    """Returns the strongest refusal of an event; an unknown event gets the exit code that denies where anything does."""
    why = clean_reason(reason)
    match BORROWED_EVENTS.get(event, event):
        case "preToolUse":
            return _build_permission_answer("deny", why)
        case "permissionRequest":
            return Answer(render_object({"behavior": "deny", "message": why}))
        case "postToolUse" | "userPromptSubmitted" | "agentStop":
            return Answer(render_object({"decision": "block", "reason": why}))
        case "sessionStart" | "sessionEnd":
            return Answer("", why)
        case _:
            return Answer("", why, 2)


def _build_permission_answer(verdict: str, why: str, **changed: object) -> Answer:
    return Answer(render_object({"permissionDecision": verdict, "permissionDecisionReason": why, **changed}))


def _answer_without_objection(event: Event, decision: Decision) -> Answer:
    output = _build_rewrite(decision, event)
    if decision.tell_agent and isinstance(event, ToolCall | ToolResult | SessionStarted):
        output["additionalContext"] = clean_reason(decision.tell_agent)
    if isinstance(event, PromptSubmitted) and (decision.tell_agent or decision.tell_user):
        return refuse("userPromptSubmitted", decision.tell_user or decision.tell_agent)  # shown to its user, not to a model
    return Answer(render_object(output)) if output else SILENCE


def _build_rewrite(decision: Decision, event: Event) -> dict[str, object]:
    """Returns a changed call, with all arguments, which it replaces; or a changed result, in the tool's own shape."""
    match decision.rewrite, event:
        case RewrittenCommand(command), ToolCall():
            return {"modifiedArgs": {**event.raw_input, "command": command}}
        case RewrittenResult(response), ToolResult():
            return {"modifiedResult": response}
        case _:
            return {}


_EVENT_NAMES: dict[type[Event], str] = {
    ToolCall: "preToolUse",
    PermissionRequested: "permissionRequest",
    ToolResult: "postToolUse",
    PromptSubmitted: "userPromptSubmitted",
    SessionStarted: "sessionStart",
    SessionEnded: "sessionEnd",
    TurnEnding: "agentStop",
}
