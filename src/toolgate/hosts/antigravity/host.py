"""Antigravity CLI (`agy`), as its documents describe it: hooks are commands that read and answer one JSON object.

Each answer names one of four decisions: one without a decision counts as a refusal. `allow` does not skip the client's own
question, and `force_ask` asks whatever the user has always allowed.
"""

from toolgate.hosts.formats.hook_payload import build_scene, read_tool_input, read_tool_name, resolve_shell_folder
from toolgate.hosts.formats.payload import Fields, parse_payload, read_optional_text, read_string
from toolgate.hosts.formats.reply import build_reason, clean_reason, render_object
from toolgate.hosts.formats.server_tools import Parsers, parse_call
from toolgate.hosts.formats.unknown_seat import explain_lost_question, read_seat
from toolgate.model.action import Action, OtherTool, RunShell
from toolgate.model.decision import Decision, Verdict
from toolgate.model.errors import BadPayload
from toolgate.model.event import Caller, Event, Scene, ToolCall
from toolgate.model.host import Traces
from toolgate.model.request import Answer, Request

from .places import environment_files, hook_folders, own_folder, settings_files

__all__ = ["environment_files", "explain_lost_question", "hook_folders", "own_folder", "read_seat", "settings_files"]

NAME, EVENTS = "antigravity", ("PreToolUse",)
TRACES = Traces(variables=(), programs=("agy",))
SHELL_TOOL, FOLDER_KEY = "run_command", "Cwd"


def read(request: Request) -> Event | None:
    """Returns the event of a payload; None for an event that the gate does not judge. Raises BadPayload."""
    payload = parse_payload(request.payload)
    if request.event not in EVENTS:
        return None
    call = payload.get("toolCall")
    if not isinstance(call, dict):
        raise BadPayload("`toolCall` is not an object")
    tool, fields, scene = read_tool_name(call, "name"), read_tool_input(call, "args"), _read_scene(payload, request)
    if tool == SHELL_TOOL:
        scene = resolve_shell_folder(scene, fields, FOLDER_KEY)
    return ToolCall(scene, tool, read_optional_text(call, "id"), parse_action(tool, fields, scene.cwd), fields)


def _read_scene(fields: Fields, request: Request) -> Scene:
    folders = fields.get("workspacePaths")
    project = next((each for each in folders if isinstance(each, str)), "") if isinstance(folders, list) else ""
    project = project or request.cwd
    return build_scene(Caller(NAME, read_string(fields, "conversationId", "")), project, project, request)


def parse_action(tool: str, fields: Fields, cwd: str) -> Action:
    """Returns the action of a tool call. The documents give the keys of the shell alone: other tools are read by their
    arguments."""
    return parse_call(TOOLS, tool, fields, cwd, prefix="mcp_")


TOOLS: Parsers = {
    SHELL_TOOL: lambda tool_input: RunShell(tool_input.read_string("CommandLine")),
    "invoke_subagent": lambda tool_input: OtherTool(tool_input.tool, tool_input.fields, "agent"),
}


def answer(decision: Decision, _event: Event) -> Answer:
    if decision.verdict is Verdict.ASK:
        return Answer(render_object({"decision": "force_ask", "reason": build_reason(decision)}))
    return refuse("", build_reason(decision)) if decision.verdict > Verdict.ASK else Answer(render_object({"decision": "allow"}))


legacy_answer = answer


def refuse(_event: str, reason: str) -> Answer:
    """Returns the same refusal for every event."""
    return Answer(render_object({"decision": "deny", "reason": clean_reason(reason)}))
