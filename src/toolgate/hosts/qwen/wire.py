"""Qwen Code's wire format: payloads of its hooks, and the answers that it accepts."""

from toolgate.hosts.formats.hook_payload import CallReader, EventReader, read_event
from toolgate.hosts.formats.payload import Fields, read_optional_text, read_string
from toolgate.hosts.formats.reply import build_reason, clean_reason, join_text_blocks, render_object
from toolgate.model.decision import Decision, RewrittenResult, Verdict
from toolgate.model.event import (
    Event,
    PromptSubmitted,
    Scene,
    SessionEnded,
    SessionStarted,
    ToolCall,
    ToolFailed,
    ToolResult,
    TurnEnding,
)
from toolgate.model.request import SILENCE, Answer, Request

from .tools import FOLDER_KEY, SHELL_TOOL, parse_action

NAME = "qwen"
_CALLS = CallReader(parse_action, shell=SHELL_TOOL, folder=FOLDER_KEY)


# --- reading -------------------------------------------------------------------------------------------------------------


def read(request: Request) -> Event | None:
    """Returns the event of a payload; None for an event that the gate does not judge. Raises BadPayload."""
    return read_event(request, NAME, _EVENT_READERS)


def _read_prompt(fields: Fields, scene: Scene) -> PromptSubmitted | None:
    """Returns the prompt; None where the model merely goes on, for which the client calls the same hook without a text."""
    prompt = read_string(fields, "prompt")
    return PromptSubmitted(scene, prompt) if prompt else None


_EVENT_READERS: dict[str, EventReader] = {
    "PreToolUse": _CALLS.read_call,
    "PostToolUse": _CALLS.read_result,
    "PostToolUseFailure": _CALLS.read_failure,
    "UserPromptSubmit": _read_prompt,
    "SessionStart": lambda fields, scene: SessionStarted(scene, read_optional_text(fields, "source")),
    "SessionEnd": lambda fields, scene: SessionEnded(scene, read_optional_text(fields, "reason")),
    "Stop": lambda fields, scene: TurnEnding(scene, fields.get("stop_hook_active") is True),
}
EVENTS = tuple(_EVENT_READERS)


# --- answering -----------------------------------------------------------------------------------------------------------


def answer(decision: Decision, event: Event) -> Answer:
    """Returns the decision in the client's format. A cleaned result takes the place of the whole as the reason to stop: it
    reaches the model as an error, and the run goes on."""
    name = _EVENT_NAMES[type(event)]
    if decision.verdict is Verdict.ASK and isinstance(event, ToolCall):
        return _render_details(name, permissionDecision="ask", permissionDecisionReason=build_reason(decision))
    if decision.verdict >= Verdict.ASK:
        return refuse(name, build_reason(decision))
    if isinstance(decision.rewrite, RewrittenResult) and isinstance(event, ToolResult):
        response = decision.rewrite.response
        text = response.get("llmContent") if isinstance(response, dict) else response
        return Answer(render_object({"continue": False, "stopReason": join_text_blocks(text)}))
    if decision.tell_agent and isinstance(event, ToolCall | ToolResult | SessionStarted):
        return _render_details(name, additionalContext=clean_reason(decision.tell_agent))
    return SILENCE


def _render_details(event: str, **details: object) -> Answer:
    return Answer(render_object({"hookSpecificOutput": {"hookEventName": event, **details}}))


def refuse(event: str, reason: str) -> Answer:
    """Returns the strongest refusal of an event. A session's start and end and a failed call cannot be refused."""
    why = clean_reason(reason)
    if event == "PostToolUse":
        return Answer(render_object({"continue": False, "stopReason": why}))
    return Answer(render_object({"systemMessage": why})) if event in _UNSTOPPABLE else Answer("", why, 2)


_UNSTOPPABLE = ("SessionStart", "SessionEnd", "PostToolUseFailure")
_EVENT_NAMES: dict[type[Event], str] = {
    ToolCall: "PreToolUse",
    ToolResult: "PostToolUse",
    ToolFailed: "PostToolUseFailure",
    PromptSubmitted: "UserPromptSubmit",
    SessionStarted: "SessionStart",
    SessionEnded: "SessionEnd",
    TurnEnding: "Stop",
}
