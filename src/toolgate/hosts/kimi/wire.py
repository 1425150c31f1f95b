"""Kimi Code's wire format: payloads of its hooks, and the one answer that has an effect."""

from toolgate.hosts.formats.hook_payload import CallReader, EventReader, read_event
from toolgate.hosts.formats.payload import Fields, read_optional_text
from toolgate.hosts.formats.reply import build_reason, clean_reason
from toolgate.model.decision import Decision, Verdict
from toolgate.model.errors import BadPayload
from toolgate.model.event import Event, PromptSubmitted, Scene, SessionStarted, TurnEnding
from toolgate.model.request import SILENCE, Answer, Request

from .tools import FOLDER_KEY, SHELL_TOOL, parse_action

NAME = "kimi"
_CALLS = CallReader(parse_action, call="tool_call_id", response="tool_output", shell=SHELL_TOOL, folder=FOLDER_KEY)


def read(request: Request) -> Event | None:
    """Returns the event of a payload; None for an event that the gate does not judge. Raises BadPayload."""
    return read_event(request, NAME, _EVENT_READERS)


def _read_prompt(fields: Fields, scene: Scene) -> PromptSubmitted:
    """Reads the text of a prompt, which comes in blocks."""
    blocks = fields.get("prompt")
    if isinstance(blocks, str):
        return PromptSubmitted(scene, blocks)
    if not isinstance(blocks, list):
        raise BadPayload("`prompt` is neither text nor a list of blocks")
    texts = (read_optional_text(block, "text") for block in blocks if isinstance(block, dict) and block.get("type") == "text")
    return PromptSubmitted(scene, "\n".join(texts))


_EVENT_READERS: dict[str, EventReader] = {
    "PreToolUse": _CALLS.read_call,
    "PostToolUse": _CALLS.read_result,
    "UserPromptSubmit": _read_prompt,
    "SessionStart": lambda fields, scene: SessionStarted(scene, read_optional_text(fields, "source")),
    "Stop": lambda fields, scene: TurnEnding(scene, fields.get("stop_hook_active") is True),
}
EVENTS = tuple(_EVENT_READERS)


def answer(decision: Decision, _event: Event) -> Answer:
    """Returns the decision in the client's format. It can only refuse: the client ignores questions, rewrites and messages, and
    waits for no answer about a result."""
    return refuse("", build_reason(decision)) if decision.verdict >= Verdict.ASK else SILENCE


def refuse(_event: str, reason: str) -> Answer:
    """Returns the same refusal for every event."""
    return Answer("", clean_reason(reason), 2)
