"""The wire format of OpenCode's plugin: one JSON object each way, in toolgate's own form.

Every answer names the decision. The plugin treats an empty answer, as a program other than the gate would give, as a refusal.
"""

from collections.abc import Callable

from toolgate.hosts.payload import Fields, parse_payload, read_optional_text, read_string
from toolgate.hosts.reply import build_reason, clean_reason, render_object
from toolgate.model.decision import Decision, RewrittenCommand, RewrittenResult, Verdict
from toolgate.model.errors import BadPayload
from toolgate.model.event import Caller, Event, PromptSubmitted, Scene, ToolCall, ToolResult
from toolgate.model.request import Answer, Request

from .tools import SHELL_TOOL, parse_action

NAME = "opencode"


# --- reading -------------------------------------------------------------------------------------------------------------


def read(request: Request) -> Event | None:
    """Returns the event of a payload; None for an event that the gate does not judge. Raises BadPayload."""
    given = parse_payload(request.payload)
    make = _EVENT_READERS.get(request.event)
    return make(given, _read_scene(given, request)) if make else None


def _read_scene(given: Fields, request: Request) -> Scene:
    environ = request.environ
    folder = read_string(given, "directory", "") or request.cwd
    user = "root" if request.uid == 0 else environ.get("USER") or environ.get("LOGNAME") or ""
    home = environ.get("HOME") or environ.get("USERPROFILE") or ""
    return Scene(_read_caller(given), folder, folder, home, environ, user)


def _read_caller(given: Fields) -> Caller:
    """Reads `lineage`: the session of the call, the one that started it, and so on to the person's own."""
    lineage = given.get("lineage")
    if not isinstance(lineage, list) or not lineage or not all(isinstance(each, str) and each for each in lineage):
        raise BadPayload("`lineage` is no list of sessions")
    own, *above = lineage
    return Caller(NAME, above[-1], own, "", above[0]) if above else Caller(NAME, own)


def _read_call(given: Fields, scene: Scene) -> ToolCall:
    tool, fields = _read_tool_name(given), _read_fields(given)
    if tool == SHELL_TOOL and "workdir" in fields:
        folder = read_string(fields, "workdir")
        scene = scene._replace(cwd=folder if folder.startswith("/") else f"{scene.cwd.rstrip('/')}/{folder}")
    return ToolCall(scene, tool, read_optional_text(given, "callID"), parse_action(tool, fields, scene.cwd), fields)


def _read_result(given: Fields, scene: Scene) -> ToolResult:
    call = _read_call(given, scene)
    return ToolResult(call.scene, call.tool, call.call, call.action, given.get("result"))


def _read_tool_name(given: Fields) -> str:
    name = read_string(given, "tool")
    if not name.strip():
        raise BadPayload("`tool` is empty")
    return name


def _read_fields(given: Fields) -> Fields:
    fields = given.get("args", {})
    if not isinstance(fields, dict):
        raise BadPayload("`args` is not an object")
    return fields


_EVENT_READERS: dict[str, Callable[[Fields, Scene], Event]] = {
    "tool.execute.before": _read_call,
    "tool.execute.after": _read_result,
    "chat.message": lambda given, scene: PromptSubmitted(scene, read_string(given, "prompt")),
}
EVENTS = tuple(_EVENT_READERS)


# --- answering -----------------------------------------------------------------------------------------------------------


def answer(decision: Decision, event: Event) -> Answer:
    """Returns the decision for the plugin, which cannot ask anybody: `ask` is denied."""
    if decision.verdict >= Verdict.ASK:
        return refuse("", build_reason(decision))
    whole: dict[str, object] = {"decision": "pass"}
    if decision.tell_agent and isinstance(event, ToolCall | ToolResult):
        whole["context"] = clean_reason(decision.tell_agent)
    match decision.rewrite, event:
        case RewrittenCommand(command), ToolCall():
            whole["args"] = {**event.given, "command": command}
        case RewrittenResult(response), ToolResult():
            whole["result"] = response
        case _:
            pass
    return Answer(render_object(whole))


def refuse(_event: str, reason: str) -> Answer:
    """Returns the same refusal for every event: the plugin throws."""
    return Answer(render_object({"decision": "deny", "reason": clean_reason(reason)}))
