"""Claude Code's wire format: payloads of its hooks, and the answers that it accepts.

Refusals differ from event to event, and an invalid answer counts as none: the call runs. So every answer is either empty or
exactly one JSON object in plain ASCII, without a null, and a denied call exits with 2 as well.
"""

from collections.abc import Callable
from types import MappingProxyType

from toolgate.hosts.formats.hook_payload import read_tool_input, read_tool_name
from toolgate.hosts.formats.payload import Fields, parse_payload, read_optional_text, read_string
from toolgate.hosts.formats.reply import build_reason, clean_reason, render_object
from toolgate.model.action import Action
from toolgate.model.decision import Decision, RewrittenCommand, RewrittenResult, Verdict
from toolgate.model.errors import BadPayload
from toolgate.model.event import (
    Caller,
    CompactionStarted,
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

from .questions import MODES_WITHOUT_QUESTIONS, explain_lost_question
from .tools import attach_answers, parse_action

NAME = "claude-code"


# --- reading -------------------------------------------------------------------------------------------------------------


def read(request: Request) -> Event | None:
    """Returns the event of a payload; None for an event that the gate does not judge.

    Fields that decide nothing are read leniently. An event other than the one the hook was called for, a tool's input in another
    shape than its own, or anything that is not one JSON object, raises BadPayload."""
    fields = parse_payload(request.payload)
    named = read_string(fields, "hook_event_name", request.event)
    if named != request.event:
        raise BadPayload(f"the payload is of {named!r}, but the hook was called for {request.event!r}")
    make = _EVENT_READERS.get(request.event)
    return make(fields, _read_scene(fields, request)) if make else None


def _read_scene(fields: Fields, request: Request) -> Scene:
    environ = request.environ
    cwd = read_string(fields, "cwd", "") or request.cwd
    caller = Caller(
        NAME,
        read_string(fields, "session_id", ""),
        read_optional_text(fields, "agent_id"),
        read_optional_text(fields, "agent_type"),
    )
    user = "root" if request.uid == 0 else environ.get("USER") or environ.get("LOGNAME") or ""
    home = environ.get("HOME") or environ.get("USERPROFILE") or ""
    unasked = fields.get("permission_mode") in MODES_WITHOUT_QUESTIONS
    project = environ.get("CLAUDE_PROJECT_DIR") or cwd
    return Scene(caller, cwd, project, home, environ, user, unasked, read_optional_text(fields, "prompt_id"))


def _read_call(fields: Fields, scene: Scene) -> ToolCall:
    return ToolCall(
        scene,
        read_tool_name(fields),
        read_optional_text(fields, "tool_use_id"),
        _read_action(fields, scene),
        read_tool_input(fields),
    )


def _read_result(fields: Fields, scene: Scene) -> ToolResult:
    tool, call = read_tool_name(fields), read_optional_text(fields, "tool_use_id")
    response = fields.get("tool_response")
    return ToolResult(scene, tool, call, attach_answers(_read_action(fields, scene), response), response)


def _read_failure(fields: Fields, scene: Scene) -> ToolFailed:
    return ToolFailed(
        scene, read_tool_name(fields), read_optional_text(fields, "tool_use_id"), read_optional_text(fields, "error")
    )


def _read_permission(fields: Fields, scene: Scene) -> PermissionRequested:
    return PermissionRequested(
        scene, read_tool_name(fields), read_optional_text(fields, "tool_use_id"), _read_action(fields, scene)
    )


def _read_action(fields: Fields, scene: Scene) -> Action:
    return parse_action(read_tool_name(fields), read_tool_input(fields), scene.cwd)


def _read_turn_ending(fields: Fields, scene: Scene) -> TurnEnding:
    return TurnEnding(scene, fields.get("stop_hook_active") is True)


_EVENT_READERS: dict[str, Callable[[Fields, Scene], Event]] = {
    "PreToolUse": _read_call,
    "PostToolUse": _read_result,
    "PostToolUseFailure": _read_failure,
    "PermissionRequest": _read_permission,
    "UserPromptSubmit": lambda fields, scene: PromptSubmitted(scene, read_string(fields, "prompt")),
    "SessionStart": lambda fields, scene: SessionStarted(scene, read_optional_text(fields, "source")),
    "SessionEnd": lambda fields, scene: SessionEnded(scene, read_optional_text(fields, "reason")),
    "SubagentStart": lambda _, scene: SubagentStarted(scene),
    "SubagentStop": lambda _, scene: SubagentEnded(scene),
    "PreCompact": lambda _, scene: CompactionStarted(scene),
    "ConfigChange": lambda fields, scene: ConfigChanged(
        scene, read_optional_text(fields, "source"), read_optional_text(fields, "file_path")
    ),
    "Stop": _read_turn_ending,
}
EVENTS = tuple(_EVENT_READERS)


# --- answering -----------------------------------------------------------------------------------------------------------


def answer(decision: Decision, event: Event) -> Answer:
    """Returns the decision in the host's format. Without an objection or a message it is silence: the host's own permissions
    apply. A warning never touches them either: it is text beside the call."""
    name = _event_name(event)
    if decision.allowed and decision.verdict is Verdict.PASS and isinstance(event, ToolCall):
        return Answer(_render_permission_decision("allow", clean_reason(f"toolgate: {decision.allowed}"), decision.tell_user))
    if decision.verdict < Verdict.ASK:
        return _answer_without_objection(event, decision)
    if decision.verdict is Verdict.ASK:
        if isinstance(event, ToolCall):
            if why := explain_lost_question(event):
                return _build_refusal(name, f"{build_reason(decision)} {why}", decision.tell_user)
            return Answer(
                _render_permission_decision("ask", build_reason(decision), decision.tell_user, _build_rewrite(decision, event))
            )
        if name == "PermissionRequest":
            return SILENCE  # the host is about to ask its user anyway
    return _build_refusal(name, build_reason(decision), decision.tell_user)


def refuse(event: str, reason: str) -> Answer:
    """Returns the strongest refusal of an event. Where the host accepts none, its user is told; an unknown event gets the exit
    code that blocks wherever anything does."""
    return _build_refusal(event, clean_reason(reason), "")


def _build_refusal(event: str, reason: str, tell_user: str) -> Answer:
    if event == "PreToolUse":
        return Answer(_render_permission_decision("deny", reason, tell_user), reason, 2)
    if event == "PostToolUse":
        return Answer(render_object({"continue": False, "stopReason": reason}))
    if event == "PermissionRequest":
        decision = {"behavior": "deny", "message": reason}
        return Answer(render_object({"hookSpecificOutput": {"hookEventName": event, "decision": decision}}))
    if event == "UserPromptSubmit":
        return Answer(render_object({"decision": "block", "reason": reason}))
    if event in _EVENT_READERS and event not in ("ConfigChange", "Stop"):
        return Answer(render_object({"systemMessage": clean_reason(tell_user) if tell_user else reason}))
    return Answer("", reason, 2)


def _render_permission_decision(verdict: str, reason: str, tell_user: str, updated_input: Fields = MappingProxyType({})) -> str:
    output: dict[str, object] = {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": verdict,
            "permissionDecisionReason": reason,
            **updated_input,
        }
    }
    if tell_user:
        output["systemMessage"] = clean_reason(tell_user)
    return render_object(output)


def _answer_without_objection(event: Event, decision: Decision) -> Answer:
    name = _event_name(event)
    output: dict[str, object] = {}
    if decision.tell_user:
        output["systemMessage"] = clean_reason(decision.tell_user)
    specific = dict(_build_rewrite(decision, event))
    if decision.tell_agent and name in _CONTEXT_EVENTS:
        specific["additionalContext"] = clean_reason(decision.tell_agent)
    if specific:
        output["hookSpecificOutput"] = {"hookEventName": name, **specific}
    return Answer(render_object(output)) if output else SILENCE


def _build_rewrite(decision: Decision, event: Event) -> Fields:
    """Returns a changed call, which approves nothing, or a changed result in the tool's own shape: the host ignores any other."""
    match decision.rewrite, event:
        case RewrittenCommand(command), ToolCall():
            return {"updatedInput": {**event.raw_input, "command": command}}
        case RewrittenResult(response), ToolResult():
            return {"updatedToolOutput": response}
        case _:
            return {}


_CONTEXT_EVENTS = frozenset(
    ("PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "SessionStart", "SubagentStart")
)
"""Stop and SubagentStop accept context too, but then continue the turn: a warning must not keep a turn from ending."""


def _event_name(event: Event) -> str:
    return _EVENT_NAMES[type(event)]


_EVENT_NAMES: dict[type[Event], str] = {
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
    CompactionStarted: "PreCompact",
    ConfigChanged: "ConfigChange",
}
