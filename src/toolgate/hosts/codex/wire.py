"""Codex's wire format: payloads of its hooks, and the answers that it accepts.

`cwd` is the folder of the call, which the agent chooses; the session's own folder is the one in which the hook is started.
"""

from toolgate.hosts.formats.hook_payload import CallReader, EventReader, read_event
from toolgate.hosts.formats.payload import read_optional_text, read_string
from toolgate.hosts.formats.reply import build_reason, clean_reason, join_text_blocks, render_object
from toolgate.model.decision import Decision, RewrittenResult, Verdict
from toolgate.model.event import (
    Event,
    PermissionRequested,
    PromptSubmitted,
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
    return read_event(request, NAME, _EVENT_READERS)


_CALLS = CallReader(parse_action)
_EVENT_READERS: dict[str, EventReader] = {
    "PreToolUse": _CALLS.read_call,
    "PermissionRequest": _CALLS.read_permission,
    "PostToolUse": _CALLS.read_result,
    "UserPromptSubmit": lambda fields, scene: PromptSubmitted(scene, read_string(fields, "prompt")),
    "SessionStart": lambda fields, scene: SessionStarted(scene, read_optional_text(fields, "source")),
    "Stop": lambda fields, scene: TurnEnding(scene, fields.get("stop_hook_active") is True),
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
        response = decision.rewrite.response
        text = response.get("content", response) if isinstance(response, dict) else response
        return Answer(render_object({"decision": "block", "reason": join_text_blocks(text)}))
    output: dict[str, object] = {}
    if decision.tell_user and isinstance(event, ToolCall | SessionStarted):
        output["systemMessage"] = clean_reason(decision.tell_user)
    if decision.tell_agent and isinstance(event, ToolCall | ToolResult | SessionStarted):
        output["hookSpecificOutput"] = {"hookEventName": name, "additionalContext": clean_reason(decision.tell_agent)}
    return Answer(render_object(output)) if output else SILENCE


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
