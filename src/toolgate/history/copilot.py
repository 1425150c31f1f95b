"""Events of Copilot CLI: `session-state/<session>/events.jsonl`.

A call is a `tool.execution_start`, and its result the `tool.execution_complete` with the same `toolCallId`; `session.start` names
the session and its folder (seen with 1.0.102).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from .calls import CallOutcome, PastCall, UnreadableLine
from .json_lines import read_objects

HOST = "copilot"
_REFUSAL_PREFIXES = ("Denied by", "denied by", "The user rejected", "Permission denied")


class EventsReader:
    def list_folders(self, home: str, environ: Mapping[str, str]) -> tuple[str, ...]:
        return (f"{(environ.get('COPILOT_HOME') or f'{home}/.copilot').rstrip('/')}/session-state",)

    def is_own_format(self, first_object: Mapping[str, Any]) -> bool:
        return first_object.get("type") == "session.start" and isinstance(first_object.get("data"), dict)

    def read(self, path: str) -> Iterator[PastCall | UnreadableLine]:
        """Yields calls in the order in which they were made; their outcomes are known at the end of the file."""
        calls: list[PastCall | UnreadableLine] = []
        outcomes: dict[str, CallOutcome] = {}
        session = folder = ""
        for line in read_objects(path, b'"session.start"', b'"tool.execution_'):
            data = line.value.get("data") if line.value is not None else None
            if line.value is None or not isinstance(data, dict):
                calls.append(UnreadableLine(path, line.number, line.cause or "an event without data"))
                continue
            kind = line.value.get("type")
            if kind == "session.start":
                context = data.get("context")
                session = str(data.get("sessionId", ""))
                folder = str(context.get("cwd", "")) if isinstance(context, dict) else ""
            elif kind == "tool.execution_start":
                calls.append(_read_call(data, str(line.value.get("timestamp", "")), session, folder, path, line.number))
            elif kind == "tool.execution_complete":
                outcomes[f"{session}/{data.get('toolCallId', '')}"] = _read_outcome(data)
        for call in calls:
            yield call._replace(outcome=outcomes.get(call.call, "unknown")) if isinstance(call, PastCall) else call


def _read_call(
    data: Mapping[str, Any], time: str, session: str, folder: str, path: str, number: int
) -> PastCall | UnreadableLine:
    name, arguments = data.get("toolName"), data.get("arguments")
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return UnreadableLine(path, number, "a call without the name of its tool, or without arguments")
    call = str(data.get("toolCallId") or f"{path}:{number}")
    return PastCall(HOST, session, f"{session}/{call}", time, folder, folder, name, arguments, "unknown", path, number)


def _read_outcome(data: Mapping[str, Any]) -> CallOutcome:
    if data.get("success") is True:
        return "ran"
    error = data.get("error")
    message = str(error.get("message", "")) if isinstance(error, dict) else ""
    return "refused" if message.startswith(_REFUSAL_PREFIXES) else "failed"
