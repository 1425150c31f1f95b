"""Claude Code's wire format: payloads of its hooks, and the answers that it accepts.

Refusals differ from event to event, and an invalid answer counts as none: the call runs. So every answer is either empty or
exactly one JSON object in plain ASCII, without a null, and a denied call exits with 2 as well.
"""

from collections.abc import Callable
from types import MappingProxyType

from toolgate.hosts.payload import Given, lenient, parsed, string
from toolgate.hosts.reply import clean, one_object, reason
from toolgate.model.action import Action
from toolgate.model.decision import Decision, Input, Output, Verdict
from toolgate.model.errors import BadPayload
from toolgate.model.event import (
    Caller,
    Compacting,
    ConfigChanged,
    Event,
    PermissionRequested,
    PromptSubmitted,
    Scene,
    SessionEnded,
    SessionStarted,
    SubagentEnded,
    SubagentStarted,
    ToolCall,
    ToolFailed,
    ToolResult,
    TurnEnding,
)
from toolgate.model.request import SILENCE, Answer, Request

from .questions import MODES_WITHOUT_QUESTIONS, may_drop
from .tools import action, answered

NAME = "claude-code"


# --- reading -------------------------------------------------------------------------------------------------------------


def read(request: Request) -> Event | None:
    """Returns the event of a payload; None for an event that the gate does not judge.

    Fields that decide nothing are read leniently. An event other than the one the hook was called for, a tool's input in another
    shape than its own, or anything that is not one JSON object, raises BadPayload."""
    given = parsed(request.payload)
    named = string(given, "hook_event_name", request.event)
    if named != request.event:
        raise BadPayload(f"the payload is of {named!r}, but the hook was called for {request.event!r}")
    make = _EVENTS.get(request.event)
    return make(given, _scene(given, request)) if make else None


def _scene(given: Given, request: Request) -> Scene:
    environ = request.environ
    cwd = string(given, "cwd", "") or request.cwd
    caller = Caller(
        NAME,
        string(given, "session_id", ""),
        lenient(given, "agent_id"),
        lenient(given, "agent_type"),
    )
    user = "root" if request.uid == 0 else environ.get("USER") or environ.get("LOGNAME") or ""
    home = environ.get("HOME") or environ.get("USERPROFILE") or ""
    unasked = given.get("permission_mode") in MODES_WITHOUT_QUESTIONS
    project = environ.get("CLAUDE_PROJECT_DIR") or cwd
    return Scene(caller, cwd, project, home, environ, user, unasked, lenient(given, "prompt_id"))


def _call(given: Given, scene: Scene) -> ToolCall:
    return ToolCall(scene, _tool(given), lenient(given, "tool_use_id"), _action(given, scene), _input(given))


def _result(given: Given, scene: Scene) -> ToolResult:
    tool, call = _tool(given), lenient(given, "tool_use_id")
    response = given.get("tool_response")
    return ToolResult(scene, tool, call, answered(_action(given, scene), response), response)


def _failure(given: Given, scene: Scene) -> ToolFailed:
    return ToolFailed(scene, _tool(given), lenient(given, "tool_use_id"), lenient(given, "error"))


def _permission(given: Given, scene: Scene) -> PermissionRequested:
    return PermissionRequested(scene, _tool(given), lenient(given, "tool_use_id"), _action(given, scene))


def _tool(given: Given) -> str:
    name = string(given, "tool_name")
    if not name.strip():
        raise BadPayload("`tool_name` is empty")
    return name


def _action(given: Given, scene: Scene) -> Action:
    return action(_tool(given), _input(given), scene.cwd)


def _input(given: Given) -> Given:
    given_input = given.get("tool_input", {})
    if not isinstance(given_input, dict):
        raise BadPayload("`tool_input` is not an object")
    return given_input


def _turn_ending(given: Given, scene: Scene) -> TurnEnding:
    return TurnEnding(scene, given.get("stop_hook_active") is True)


_EVENTS: dict[str, Callable[[Given, Scene], Event]] = {
    "PreToolUse": _call,
    "PostToolUse": _result,
    "PostToolUseFailure": _failure,
    "PermissionRequest": _permission,
    "UserPromptSubmit": lambda given, scene: PromptSubmitted(scene, string(given, "prompt")),
    "SessionStart": lambda given, scene: SessionStarted(scene, lenient(given, "source")),
    "SessionEnd": lambda given, scene: SessionEnded(scene, lenient(given, "reason")),
    "SubagentStart": lambda _, scene: SubagentStarted(scene),
    "SubagentStop": lambda _, scene: SubagentEnded(scene),
    "PreCompact": lambda _, scene: Compacting(scene),
    "ConfigChange": lambda given, scene: ConfigChanged(scene, lenient(given, "source"), lenient(given, "file_path")),
    "Stop": _turn_ending,
}
EVENTS = tuple(_EVENTS)


# --- answering -----------------------------------------------------------------------------------------------------------


def answer(decision: Decision, event: Event) -> Answer:
    """Returns the decision in the host's format. Without an objection or a message it is silence: the host's own permissions
    apply. A warning never touches them either: it is text beside the call."""
    name = _name_of(event)
    if decision.allowed and decision.verdict is Verdict.PASS and isinstance(event, ToolCall):
        return Answer(_pre_tool_use("allow", clean(f"toolgate: {decision.allowed}"), decision.tell_user))
    if decision.verdict < Verdict.ASK:
        return _told(event, decision)
    if decision.verdict is Verdict.ASK:
        if isinstance(event, ToolCall):
            if why := may_drop(event):
                return _refusal(name, f"{reason(decision)} {why}", decision.tell_user)
            return Answer(_pre_tool_use("ask", reason(decision), decision.tell_user, _changed(decision, event)))
        if name == "PermissionRequest":
            return SILENCE  # the host is about to ask its user anyway
    return _refusal(name, reason(decision), decision.tell_user)


def refuse(event: str, reason: str) -> Answer:
    """Returns the strongest refusal of an event. Where the host accepts none, its user is told; an unknown event gets the exit
    code that blocks wherever anything does."""
    return _refusal(event, clean(reason), "")


def _refusal(event: str, reason: str, tell_user: str) -> Answer:
    if event == "PreToolUse":
        return Answer(_pre_tool_use("deny", reason, tell_user), reason, 2)
    if event == "PostToolUse":
        return Answer(one_object({"continue": False, "stopReason": reason}))
    if event == "PermissionRequest":
        decision = {"behavior": "deny", "message": reason}
        return Answer(one_object({"hookSpecificOutput": {"hookEventName": event, "decision": decision}}))
    if event == "UserPromptSubmit":
        return Answer(one_object({"decision": "block", "reason": reason}))
    if event in _EVENTS and event not in ("ConfigChange", "Stop"):
        return Answer(one_object({"systemMessage": clean(tell_user) if tell_user else reason}))
    return Answer("", reason, 2)


def _pre_tool_use(verdict: str, reason: str, tell_user: str, changed: Given = MappingProxyType({})) -> str:
    whole: dict[str, object] = {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": verdict,
            "permissionDecisionReason": reason,
            **changed,
        }
    }
    if tell_user:
        whole["systemMessage"] = clean(tell_user)
    return one_object(whole)


def _told(event: Event, decision: Decision) -> Answer:
    name = _name_of(event)
    whole: dict[str, object] = {}
    if decision.tell_user:
        whole["systemMessage"] = clean(decision.tell_user)
    specific = dict(_changed(decision, event))
    if decision.tell_agent and name in _TAKES_CONTEXT:
        specific["additionalContext"] = clean(decision.tell_agent)
    if specific:
        whole["hookSpecificOutput"] = {"hookEventName": name, **specific}
    return Answer(one_object(whole)) if whole else SILENCE


def _changed(decision: Decision, event: Event) -> Given:
    """Returns a changed call, which approves nothing, or a changed result in the tool's own shape: the host ignores any other."""
    match decision.rewrite, event:
        case Input(command), ToolCall():
            return {"updatedInput": {**event.given, "command": command}}
        case Output(response), ToolResult():
            return {"updatedToolOutput": response}
        case _:
            return {}


_TAKES_CONTEXT = frozenset(
    ("PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "SessionStart", "SubagentStart")
)
"""Stop and SubagentStop accept context too, but then continue the turn: a warning must not keep a turn from ending."""


def _name_of(event: Event) -> str:
    return _NAMES[type(event)]


_NAMES: dict[type[Event], str] = {
    ToolCall: "PreToolUse",
    ToolResult: "PostToolUse",
    ToolFailed: "PostToolUseFailure",
    PermissionRequested: "PermissionRequest",
    PromptSubmitted: "UserPromptSubmit",
    SessionStarted: "SessionStart",
    SessionEnded: "SessionEnd",
    TurnEnding: "Stop",
    SubagentStarted: "SubagentStart",
    SubagentEnded: "SubagentStop",
    Compacting: "PreCompact",
    ConfigChanged: "ConfigChange",
}
