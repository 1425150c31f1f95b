"""The wire format of OpenCode's plugin: one JSON object each way, in toolgate's own form.

Every answer names the decision. The plugin treats an empty answer, as a program other than the gate would give, as a refusal.
"""

from collections.abc import Callable

from toolgate.hosts.payload import Given, lenient, parsed, string
from toolgate.hosts.reply import clean, one_object, reason
from toolgate.model.decision import Decision, Input, Output, Verdict
from toolgate.model.errors import BadPayload
from toolgate.model.event import Caller, Event, PromptSubmitted, Scene, ToolCall, ToolResult
from toolgate.model.request import Answer, Request

from .tools import SHELL, action

NAME = "opencode"


# --- reading -------------------------------------------------------------------------------------------------------------


def read(request: Request) -> Event | None:
    """Returns the event of a payload; None for an event that the gate does not judge. Raises BadPayload."""
    given = parsed(request.payload)
    make = _EVENTS.get(request.event)
    return make(given, _scene(given, request)) if make else None


def _scene(given: Given, request: Request) -> Scene:
    environ = request.environ
    folder = string(given, "directory", "") or request.cwd
    user = "root" if request.uid == 0 else environ.get("USER") or environ.get("LOGNAME") or ""
    home = environ.get("HOME") or environ.get("USERPROFILE") or ""
    return Scene(_caller(given), folder, folder, home, environ, user)


def _caller(given: Given) -> Caller:
    """Reads `lineage`: the session of the call, the one that started it, and so on to the person's own."""
    lineage = given.get("lineage")
    if not isinstance(lineage, list) or not lineage or not all(isinstance(each, str) and each for each in lineage):
        raise BadPayload("`lineage` is no list of sessions")
    own, *above = lineage
    return Caller(NAME, above[-1], own, "", above[0]) if above else Caller(NAME, own)


def _call(given: Given, scene: Scene) -> ToolCall:
    tool, fields = _tool(given), _fields(given)
    if tool == SHELL and "workdir" in fields:
        folder = string(fields, "workdir")
        scene = scene._replace(cwd=folder if folder.startswith("/") else f"{scene.cwd.rstrip('/')}/{folder}")
    return ToolCall(scene, tool, lenient(given, "callID"), action(tool, fields, scene.cwd), fields)


def _result(given: Given, scene: Scene) -> ToolResult:
    call = _call(given, scene)
    return ToolResult(call.scene, call.tool, call.call, call.action, given.get("result"))


def _tool(given: Given) -> str:
    name = string(given, "tool")
    if not name.strip():
        raise BadPayload("`tool` is empty")
    return name


def _fields(given: Given) -> Given:
    fields = given.get("args", {})
    if not isinstance(fields, dict):
        raise BadPayload("`args` is not an object")
    return fields


_EVENTS: dict[str, Callable[[Given, Scene], Event]] = {
    "tool.execute.before": _call,
    "tool.execute.after": _result,
    "chat.message": lambda given, scene: PromptSubmitted(scene, string(given, "prompt")),
}
EVENTS = tuple(_EVENTS)


# --- answering -----------------------------------------------------------------------------------------------------------


def answer(decision: Decision, event: Event) -> Answer:
    """Returns the decision for the plugin, which cannot ask anybody: `ask` is denied."""
    if decision.verdict >= Verdict.ASK:
        return refuse("", reason(decision))
    whole: dict[str, object] = {"decision": "pass"}
    if decision.tell_agent and isinstance(event, ToolCall | ToolResult):
        whole["context"] = clean(decision.tell_agent)
    match decision.rewrite, event:
        case Input(command), ToolCall():
            whole["args"] = {**event.given, "command": command}
        case Output(response), ToolResult():
            whole["result"] = response
        case _:
            pass
    return Answer(one_object(whole))


def refuse(_event: str, reason: str) -> Answer:
    """Returns the same refusal for every event: the plugin throws."""
    return Answer(one_object({"decision": "deny", "reason": clean(reason)}))
