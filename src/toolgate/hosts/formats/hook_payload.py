"""Reads payloads in the keys that most hosts share: `hook_event_name`, `session_id`, `cwd`, `tool_name`, `tool_input`."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from toolgate.model.action import Action
from toolgate.model.errors import BadPayload
from toolgate.model.event import Caller, Event, PermissionRequested, Scene, ToolCall, ToolFailed, ToolResult
from toolgate.model.request import Request

from .payload import Fields, parse_payload, read_optional_text, read_string

EventReader = Callable[[Fields, Scene], Event | None]


def read_event(request: Request, host: str, readers: Mapping[str, EventReader]) -> Event | None:
    """Returns the event of a payload; None for an event that the gate does not judge. Raises BadPayload."""
    fields = parse_payload(request.payload)
    named = read_string(fields, "hook_event_name", request.event)
    if named != request.event:
        raise BadPayload(f"the payload is of {named!r}, but the hook was called for {request.event!r}")
    read = readers.get(request.event)
    return read(fields, read_scene(fields, request, host)) if read else None


def read_scene(fields: Fields, request: Request, host: str) -> Scene:
    """Returns the scene. The session's own folder is the one in which the host starts the hook."""
    cwd = read_string(fields, "cwd", "") or request.cwd
    agent, kind = read_optional_text(fields, "agent_id"), read_optional_text(fields, "agent_type")
    caller = Caller(host, read_string(fields, "session_id", ""), agent, kind)
    return build_scene(caller, cwd, request.cwd, request, turn=read_optional_text(fields, "turn_id"))


def build_scene(caller: Caller, cwd: str, project: str, request: Request, *, turn: str = "") -> Scene:
    """Returns a scene with the user and the home folder of the request's environment."""
    environ = request.environ
    user = "root" if request.uid == 0 else environ.get("USER") or environ.get("LOGNAME") or ""
    home = environ.get("HOME") or environ.get("USERPROFILE") or ""
    return Scene(caller, cwd, project, home, environ, user, turn=turn)


def read_tool_name(fields: Fields, key: str = "tool_name") -> str:
    name = read_string(fields, key)
    if not name.strip():
        raise BadPayload(f"`{key}` is empty")
    return name


def read_tool_input(payload: Fields, key: str = "tool_input") -> Fields:
    fields = payload.get(key, {})
    if not isinstance(fields, dict):
        raise BadPayload(f"`{key}` is not an object")
    return fields


def resolve_shell_folder(scene: Scene, fields: Fields, key: str) -> Scene:
    """Returns the scene in the folder that a shell call names under `key`."""
    folder = read_string(fields, key, "") if fields.get(key) is not None else ""
    if not folder:
        return scene
    return scene._replace(cwd=folder if folder.startswith("/") else f"{scene.cwd.rstrip('/')}/{folder}")


class CallReader(NamedTuple):
    """Reads events about tool calls. `call`: the key of a call's id; `response`: that of its result. `shell` and `folder`: the
    shell tool, and its argument that names the folder of the call."""

    parse_action: Callable[[str, Fields, str], Action]
    call: str = "tool_use_id"
    response: str = "tool_response"
    shell: str = ""
    folder: str = ""

    def read_call(self, payload: Fields, scene: Scene) -> ToolCall:
        tool, fields = read_tool_name(payload), read_tool_input(payload)
        if tool == self.shell:
            scene = resolve_shell_folder(scene, fields, self.folder)
        action = self.parse_action(tool, fields, scene.cwd)
        return ToolCall(scene, tool, read_optional_text(payload, self.call), action, fields)

    def read_permission(self, fields: Fields, scene: Scene) -> PermissionRequested:
        call = self.read_call(fields, scene)
        return PermissionRequested(call.scene, call.tool, call.call, call.action)

    def read_result(self, fields: Fields, scene: Scene) -> ToolResult:
        call = self.read_call(fields, scene)
        return ToolResult(call.scene, call.tool, call.call, call.action, fields.get(self.response))

    def read_failure(self, fields: Fields, scene: Scene) -> ToolFailed:
        call = read_optional_text(fields, self.call)
        return ToolFailed(scene, read_tool_name(fields), call, read_optional_text(fields, "error"))
