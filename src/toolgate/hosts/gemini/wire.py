"""Gemini CLI's wire format: payloads of its hooks, and the answers that it accepts."""

from toolgate.hosts.formats.hook_payload import CallReader, EventReader, read_event
from toolgate.hosts.formats.payload import Fields, read_optional_text, read_string
from toolgate.hosts.formats.reply import build_reason, clean_reason, join_text_blocks, render_object
from toolgate.model.action import CallTool
from toolgate.model.decision import Decision, RewrittenCommand, RewrittenResult, Verdict
from toolgate.model.event import Event, PromptSubmitted, Scene, SessionEnded, SessionStarted, ToolCall, ToolResult, TurnEnding
from toolgate.model.request import SILENCE, Answer, Request

from .tools import FOLDER_KEY, SHELL_TOOL, parse_action

NAME = "gemini"
_CALLS = CallReader(parse_action, shell=SHELL_TOOL, folder=FOLDER_KEY)


# --- reading -------------------------------------------------------------------------------------------------------------


def read(request: Request) -> Event | None:
    """Returns the event of a payload; None for an event that the gate does not judge. Raises BadPayload."""
    return read_event(request, NAME, _EVENT_READERS)


def _read_call(fields: Fields, scene: Scene) -> ToolCall:
    """Reads a call. The payload gives the names of a server and its tool apart; the name of the call joins them."""
    call, context = _CALLS.read_call(fields, scene), fields.get("mcp_context")
    if isinstance(call.action, CallTool) and isinstance(context, dict):
        server, tool = read_optional_text(context, "server_name"), read_optional_text(context, "tool_name")
        return call._replace(action=CallTool(server, tool, call.raw_input))
    return call


def _read_result(fields: Fields, scene: Scene) -> ToolResult:
    call = _read_call(fields, scene)
    return ToolResult(call.scene, call.tool, call.call, call.action, fields.get("tool_response"))


_EVENT_READERS: dict[str, EventReader] = {
    "BeforeTool": _read_call,
    "AfterTool": _read_result,
    "BeforeAgent": lambda fields, scene: PromptSubmitted(scene, read_string(fields, "prompt")),
    "AfterAgent": lambda fields, scene: TurnEnding(scene, fields.get("stop_hook_active") is True),
    "SessionStart": lambda fields, scene: SessionStarted(scene, read_optional_text(fields, "source")),
    "SessionEnd": lambda fields, scene: SessionEnded(scene, read_optional_text(fields, "reason")),
}
EVENTS = tuple(_EVENT_READERS)


# --- answering -----------------------------------------------------------------------------------------------------------


def answer(decision: Decision, event: Event) -> Answer:
    """Returns the decision in the client's format. A question of a hook ends a headless run without a word: it is denied."""
    name = _EVENT_NAMES[type(event)]
    if decision.verdict >= Verdict.ASK:
        return refuse(name, build_reason(decision))
    match decision.rewrite, event:
        case RewrittenCommand(command), ToolCall():
            return _render_details(name, tool_input={**event.raw_input, "command": command})
        case RewrittenResult(response), ToolResult():
            text = response.get("llmContent") if isinstance(response, dict) else response
            return Answer(render_object({"decision": "deny", "reason": join_text_blocks(text)}))
        case _:
            pass
    if decision.tell_agent and isinstance(event, ToolResult | SessionStarted):
        return _render_details(name, additionalContext=clean_reason(decision.tell_agent))
    return SILENCE


def _render_details(event: str, **details: object) -> Answer:
    return Answer(render_object({"hookSpecificOutput": {"hookEventName": event, **details}}))


def refuse(event: str, reason: str) -> Answer:
    """Returns the strongest refusal of an event. The start and the end of a session cannot be prevented: the user is told."""
    why = clean_reason(reason)
    return Answer(render_object({"systemMessage": why})) if event in ("SessionStart", "SessionEnd") else Answer("", why, 2)


_EVENT_NAMES: dict[type[Event], str] = {
    ToolCall: "BeforeTool",
    ToolResult: "AfterTool",
    PromptSubmitted: "BeforeAgent",
    TurnEnding: "AfterAgent",
    SessionStarted: "SessionStart",
    SessionEnded: "SessionEnd",
}
