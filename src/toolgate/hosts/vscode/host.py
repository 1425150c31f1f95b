"""Agent hooks of VS Code (its local agents), as its documents describe them: commands that read and answer one JSON object.

A refusal is JSON and exit code 2; another exit code is shown as a warning, and the call runs.
"""

from toolgate.hosts.formats.hook_payload import CallReader, EventReader, build_scene
from toolgate.hosts.formats.payload import Fields, parse_payload, read_optional_text, read_string
from toolgate.hosts.formats.reply import build_reason, clean_reason, render_object
from toolgate.hosts.formats.server_tools import Parsers, parse_call
from toolgate.hosts.formats.unknown_seat import explain_lost_question, read_seat
from toolgate.model.action import Action, RunShell, WriteFile
from toolgate.model.decision import Decision, RewrittenCommand, Verdict
from toolgate.model.errors import BadPayload
from toolgate.model.event import Caller, Event, PromptSubmitted, SessionStarted, ToolCall, TurnEnding
from toolgate.model.host import Traces
from toolgate.model.request import SILENCE, Answer, Request

from .places import environment_files, hook_folders, own_folder, settings_files

__all__ = ["environment_files", "explain_lost_question", "hook_folders", "own_folder", "read_seat", "settings_files"]

NAME = "vscode"
TRACES = Traces(variables=(), programs=())
SHELL_TOOL = "run_in_terminal"


def read(request: Request) -> Event | None:
    """Returns the event of a payload; None for an event that the gate does not judge. Raises BadPayload."""
    fields = parse_payload(request.payload)
    named = read_string(fields, "hookEventName", request.event)
    if named != request.event:
        raise BadPayload(f"the payload is of {named!r}, but the hook was called for {request.event!r}")
    make = _EVENT_READERS.get(request.event)
    if make is None:
        return None
    cwd = read_string(fields, "cwd", "") or request.cwd
    return make(fields, build_scene(Caller(NAME, read_string(fields, "sessionId", "")), cwd, cwd, request))


def parse_action(tool: str, fields: Fields, cwd: str) -> Action:
    """Returns the action of a tool call. Tools whose keys the documents do not give are read by their arguments."""
    return parse_call(TOOLS, tool, fields, cwd, prefix="mcp_")


TOOLS: Parsers = {
    SHELL_TOOL: lambda tool_input: RunShell(tool_input.read_string("command")),
    "create_file": lambda tool_input: WriteFile(tool_input.read_path("filePath"), tool_input.read_string("content", "")),
}


_EVENT_READERS: dict[str, EventReader] = {
    "PreToolUse": CallReader(parse_action).read_call,
    "UserPromptSubmit": lambda fields, scene: PromptSubmitted(scene, read_string(fields, "prompt")),
    "SessionStart": lambda fields, scene: SessionStarted(scene, read_optional_text(fields, "source")),
    "Stop": lambda fields, scene: TurnEnding(scene, fields.get("stop_hook_active") is True),
}
EVENTS = tuple(_EVENT_READERS)


def answer(decision: Decision, event: Event) -> Answer:
    """Returns the decision in the client's format."""
    if decision.verdict >= Verdict.ASK and not isinstance(event, ToolCall):
        return refuse("", build_reason(decision))
    if decision.verdict >= Verdict.ASK:
        verdict, code = ("ask", 0) if decision.verdict is Verdict.ASK else ("deny", 2)
        return _render_permission(build_reason(decision), verdict, code)
    output: dict[str, object] = {"systemMessage": clean_reason(decision.tell_user)} if decision.tell_user else {}
    details: dict[str, object] = {}
    if decision.tell_agent and isinstance(event, ToolCall | SessionStarted):
        details["additionalContext"] = clean_reason(decision.tell_agent)
    if isinstance(decision.rewrite, RewrittenCommand) and isinstance(event, ToolCall):
        details["updatedInput"] = {**event.raw_input, "command": decision.rewrite.command}
    if details:
        name = "PreToolUse" if isinstance(event, ToolCall) else "SessionStart"
        output["hookSpecificOutput"] = {"hookEventName": name, **details}
    return Answer(render_object(output)) if output else SILENCE


legacy_answer = answer


def _render_permission(reason: str, verdict: str, code: int) -> Answer:
    details = {"hookEventName": "PreToolUse", "permissionDecision": verdict, "permissionDecisionReason": reason}
    return Answer(render_object({"hookSpecificOutput": details}), reason if code else "", code)


def refuse(event: str, reason: str) -> Answer:
    """Returns the strongest refusal of an event; the start of a session cannot be refused."""
    why = clean_reason(reason)
    if event == "PreToolUse":
        return _render_permission(why, "deny", 2)
    return Answer(render_object({"systemMessage": why})) if event == "SessionStart" else Answer("", why, 2)
