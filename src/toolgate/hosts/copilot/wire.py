"""Copilot's wire format, in both dialects: camelCase event names with its own keys, PascalCase with Claude Code's.

Answers are the same in both: nothing, or one JSON object, and exit code 0. An invalid answer counts as no opinion.
"""

from collections.abc import Callable

from toolgate.hosts.payload import Given, lenient, parsed, string
from toolgate.hosts.reply import clean, one_object, reason
from toolgate.model.action import Action
from toolgate.model.decision import Decision, Input, Output, Verdict
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

from .tools import action, fields_of

NAME = "copilot"
BORROWED = {
    "PreToolUse": "preToolUse",
    "PermissionRequest": "permissionRequest",
    "PostToolUse": "postToolUse",
    "UserPromptSubmit": "userPromptSubmitted",
    "SessionStart": "sessionStart",
    "SessionEnd": "sessionEnd",
    "Stop": "agentStop",
}
"""Event names of the borrowed dialect -> Copilot's own."""
SNAKE = {
    "sessionId": "session_id",
    "toolName": "tool_name",
    "toolArgs": "tool_input",
    "toolResult": "tool_result",
    "agentId": "agent_id",
    "agentType": "agent_type",
    "parentAgentId": "parent_agent_id",
}
RESULT = {"result_type": "resultType", "text_result_for_llm": "textResultForLlm"}


# --- reading -------------------------------------------------------------------------------------------------------------


def read(request: Request) -> Event | None:
    """Returns the event of a payload; None for an event that the gate does not judge. Raises BadPayload."""
    given = _in_its_own_keys(parsed(request.payload))
    named = lenient(given, "hook_event_name") or lenient(given, "hookName") or request.event
    if BORROWED.get(named, named) != BORROWED.get(request.event, request.event):
        raise BadPayload(f"the payload is of {named!r}, but the hook was called for {request.event!r}")
    make = _EVENTS.get(BORROWED.get(request.event, request.event))
    return make(given, _scene(given, request)) if make else None


def _in_its_own_keys(given: Given) -> Given:
    return {**given, **{own: given[snake] for own, snake in SNAKE.items() if own not in given and snake in given}}


def _scene(given: Given, request: Request) -> Scene:
    environ = request.environ
    cwd = string(given, "cwd", "") or request.cwd
    keys = ("sessionId", "agentId", "agentType", "parentAgentId")
    user = "root" if request.uid == 0 else environ.get("USER") or environ.get("LOGNAME") or ""
    home = environ.get("HOME") or environ.get("USERPROFILE") or ""
    project = environ.get("COPILOT_PROJECT_DIR") or environ.get("CLAUDE_PROJECT_DIR") or cwd
    return Scene(Caller(NAME, *(lenient(given, key) for key in keys)), cwd, project, home, environ, user)


def _call(given: Given, scene: Scene) -> ToolCall:
    tool = _tool(given)
    fields = fields_of(tool, given.get("toolArgs", {}))
    return ToolCall(scene, tool, lenient(given, "toolCallId"), action(tool, fields, scene.cwd), fields)


def _permission(given: Given, scene: Scene) -> PermissionRequested:
    asked = given.get("toolInput", given.get("toolArgs", {}))
    return PermissionRequested(scene, _tool(given), lenient(given, "toolCallId"), _action(given, asked, scene))


def _result(given: Given, scene: Scene) -> ToolResult:
    response = given.get("toolResult")
    if isinstance(response, dict):  # both dialects use these keys in what is handed back
        response = {RESULT.get(key, key): value for key, value in response.items()}
    return ToolResult(scene, _tool(given), "", _action(given, given.get("toolArgs", {}), scene), response)


def _action(given: Given, arguments: object, scene: Scene) -> Action:
    tool = _tool(given)
    return action(tool, fields_of(tool, arguments), scene.cwd)


def _tool(given: Given) -> str:
    name = string(given, "toolName")
    if not name.strip():
        raise BadPayload("`toolName` is empty")
    return name


def _turn_ending(given: Given, scene: Scene) -> TurnEnding:
    return TurnEnding(scene, given.get("stop_hook_active") is True or given.get("stopHookActive") is True)


_EVENTS: dict[str, Callable[[Given, Scene], Event]] = {
    "preToolUse": _call,
    "permissionRequest": _permission,
    "postToolUse": _result,
    "userPromptSubmitted": lambda given, scene: PromptSubmitted(scene, string(given, "prompt")),
    "sessionStart": lambda given, scene: SessionStarted(scene, lenient(given, "source")),
    "sessionEnd": lambda given, scene: SessionEnded(scene, lenient(given, "reason")),
    "agentStop": _turn_ending,
}
EVENTS = tuple(_EVENTS)


# --- answering -----------------------------------------------------------------------------------------------------------


def answer(decision: Decision, event: Event) -> Answer:
    """Returns the decision in the host's format. It has no message to the user beside a call; a warning is only recorded."""
    name = _NAMES[type(event)]
    if decision.verdict < Verdict.ASK:
        return _told(event, decision)
    if decision.verdict is Verdict.ASK and isinstance(event, ToolCall):
        return _permitted("ask", reason(decision), **_changed(decision, event))
    if decision.verdict is Verdict.ASK and isinstance(event, PermissionRequested):
        return SILENCE  # its user has been asked, or is about to be
    return refuse(name, reason(decision))


def refuse(event: str, reason: str) -> Answer:
    """Returns the strongest refusal of an event; an unknown event gets the exit code that denies where anything does."""
    why = clean(reason)
    match BORROWED.get(event, event):
        case "preToolUse":
            return _permitted("deny", why)
        case "permissionRequest":
            return Answer(one_object({"behavior": "deny", "message": why}))
        case "postToolUse" | "userPromptSubmitted" | "agentStop":
            return Answer(one_object({"decision": "block", "reason": why}))
        case "sessionStart" | "sessionEnd":
            return Answer("", why)
        case _:
            return Answer("", why, 2)


def _permitted(verdict: str, why: str, **changed: object) -> Answer:
    return Answer(one_object({"permissionDecision": verdict, "permissionDecisionReason": why, **changed}))


def _told(event: Event, decision: Decision) -> Answer:
    whole = _changed(decision, event)
    if decision.tell_agent and isinstance(event, ToolCall | ToolResult | SessionStarted):
        whole["additionalContext"] = clean(decision.tell_agent)
    if isinstance(event, PromptSubmitted) and (decision.tell_agent or decision.tell_user):
        return refuse("userPromptSubmitted", decision.tell_user or decision.tell_agent)  # shown to its user, not to a model
    return Answer(one_object(whole)) if whole else SILENCE


def _changed(decision: Decision, event: Event) -> dict[str, object]:
    """Returns a changed call, with all arguments, which it replaces; or a changed result, in the tool's own shape."""
    match decision.rewrite, event:
        case Input(command), ToolCall():
            return {"modifiedArgs": {**event.given, "command": command}}
        case Output(response), ToolResult():
            return {"modifiedResult": response}
        case _:
            return {}


_NAMES: dict[type[Event], str] = {
    ToolCall: "preToolUse",
    PermissionRequested: "permissionRequest",
    ToolResult: "postToolUse",
    PromptSubmitted: "userPromptSubmitted",
    SessionStarted: "sessionStart",
    SessionEnded: "sessionEnd",
    TurnEnding: "agentStop",
}
