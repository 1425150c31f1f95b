"""The wire format of the gate's own plugins in JavaScript (`clients/node`): one JSON object each way.

Every answer names the decision. A plugin treats an empty answer, as a program other than the gate would give, as a refusal.
"""

from collections.abc import Callable
from typing import NamedTuple

from toolgate.model.action import Action, RunShell
from toolgate.model.decision import Decision, RewrittenCommand, RewrittenResult, Verdict
from toolgate.model.errors import BadPayload
from toolgate.model.event import Caller, Event, PromptSubmitted, Scene, ToolCall, ToolResult
from toolgate.model.request import Answer, Request

from .hook_payload import build_scene, read_tool_input, read_tool_name, resolve_shell_folder
from .payload import Fields, parse_payload, read_optional_text, read_string
from .reply import build_reason, clean_reason, render_object


class PluginWire(NamedTuple):
    """`call_event`, `result_event`, `prompt_event`: the names of the events. `folder`: the argument of a shell call that names
    its folder. `put_command`: the arguments of a shell call with another command. `asks`: the client asks its user where the
    plugin says so."""

    host: str
    parse_action: Callable[[str, Fields, str], Action]
    call_event: str
    result_event: str
    prompt_event: str
    folder: str
    put_command: Callable[[Fields, str], Fields]
    asks: bool = False

    @property
    def events(self) -> tuple[str, ...]:
        return (self.call_event, self.result_event, self.prompt_event)

    def read(self, request: Request) -> Event | None:
        """Returns the event of a payload; None for an event that the gate does not judge. Raises BadPayload."""
        fields = parse_payload(request.payload)
        if request.event not in self.events:
            return None
        folder = read_string(fields, "directory", "") or request.cwd
        scene = build_scene(self._read_caller(fields), folder, folder, request)
        if request.event == self.prompt_event:
            return PromptSubmitted(scene, read_string(fields, "prompt"))
        call = self._read_call(fields, scene)
        if request.event == self.call_event:
            return call
        return ToolResult(call.scene, call.tool, call.call, call.action, fields.get("result"))

    def _read_caller(self, fields: Fields) -> Caller:
        """Reads `lineage`: the session of the call, the one that started it, and so on to the person's own."""
        lineage = fields.get("lineage")
        if not isinstance(lineage, list) or not lineage or not all(isinstance(each, str) and each for each in lineage):
            raise BadPayload("`lineage` is no list of sessions")
        own, *above = lineage
        return Caller(self.host, above[-1], own, "", above[0]) if above else Caller(self.host, own)

    def _read_call(self, payload: Fields, scene: Scene) -> ToolCall:
        tool, fields = read_tool_name(payload, "tool"), read_tool_input(payload, "args")
        action = self.parse_action(tool, fields, scene.cwd)
        if self.folder and isinstance(action, RunShell):
            scene = resolve_shell_folder(scene, fields, self.folder)
        return ToolCall(scene, tool, read_optional_text(payload, "callID"), action, fields)

    def answer(self, decision: Decision, event: Event) -> Answer:
        """Returns the decision for the plugin. Where the client cannot ask anybody, `ask` is denied."""
        if decision.verdict is Verdict.ASK and self.asks and isinstance(event, ToolCall):
            return Answer(render_object({"decision": "ask", "reason": build_reason(decision)}))
        if decision.verdict >= Verdict.ASK:
            return refuse("", build_reason(decision))
        output: dict[str, object] = {"decision": "pass"}
        if decision.tell_agent and isinstance(event, ToolCall | ToolResult):
            output["context"] = clean_reason(decision.tell_agent)
        match decision.rewrite, event:
            case RewrittenCommand(command), ToolCall():
                output["args"] = self.put_command(event.raw_input, command)
            case RewrittenResult(response), ToolResult():
                output["result"] = response
            case _:
                pass
        return Answer(render_object(output))


def refuse(_event: str, reason: str) -> Answer:
    """Returns the same refusal for every event."""
    return Answer(render_object({"decision": "deny", "reason": clean_reason(reason)}))
