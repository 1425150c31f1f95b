"""Rollouts of Codex: `sessions/<year>/<month>/<day>/rollout-<time>-<session>.jsonl`.

A call is a `function_call` or a `custom_tool_call`, and its result the `..._output` with the same `call_id`; `session_meta` names
the session and its folder, `turn_context` the folder of a turn (seen with 0.169.0). Calls are read as the hook is given them.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from .calls import CallOutcome, PastCall, UnreadableLine
from .json_lines import read_objects

HOST = "codex"
_COMMAND_TOOLS = ("exec_command", "shell_command", "shell", "local_shell")
_CALL_TYPES = ("function_call", "custom_tool_call")
_REFUSAL_PREFIXES = ("Command blocked by ", "Tool call blocked by ", "exec command rejected by user", "patch rejected by user")
_SHELL_OPTIONS = ("-c", "-lc")


class RolloutReader:
    def list_folders(self, home: str, environ: Mapping[str, str]) -> tuple[str, ...]:
        own = (environ.get("CODEX_HOME") or f"{home}/.codex").rstrip("/")
        return f"{own}/sessions", f"{own}/archived_sessions"

    def is_own_format(self, first_object: Mapping[str, Any]) -> bool:
        return first_object.get("type") == "session_meta" and isinstance(first_object.get("payload"), dict)

    def read(self, path: str) -> Iterator[PastCall | UnreadableLine]:
        """Yields calls in the order in which they were made; their outcomes are known at the end of the file."""
        calls: list[PastCall | UnreadableLine] = []
        outcomes: dict[str, CallOutcome] = {}
        session = project = cwd = ""
        for line in read_objects(path, b'"session_meta"', b'"turn_context"', b"_call"):
            payload = line.value.get("payload") if line.value is not None else None
            if line.value is None or not isinstance(payload, dict):
                calls.append(UnreadableLine(path, line.number, line.cause or "a line without a payload"))
                continue
            kind = payload.get("type")
            if line.value.get("type") == "session_meta":
                session = session or str(payload.get("id", ""))
                project = cwd = project or str(payload.get("cwd", ""))
            elif line.value.get("type") == "turn_context":
                cwd = str(payload.get("cwd") or cwd)
            elif line.value.get("type") != "response_item":
                continue
            elif kind in _CALL_TYPES:
                where = (str(line.value.get("timestamp", "")), session, project, cwd, path, line.number)
                calls.append(_read_call(payload, *where))
            elif isinstance(kind, str) and kind.endswith("_call_output"):
                outcomes[f"{session}/{payload.get('call_id', '')}"] = _read_outcome(payload.get("output"))
        for call in calls:
            yield call._replace(outcome=outcomes.get(call.call, "unknown")) if isinstance(call, PastCall) else call


def _read_call(
    payload: Mapping[str, Any], time: str, session: str, project: str, cwd: str, path: str, number: int
) -> PastCall | UnreadableLine:
    name, arguments = payload.get("name"), _read_arguments(payload)
    if not isinstance(name, str) or arguments is None:
        return UnreadableLine(path, number, "a call without the name of its tool, or without arguments")
    if name in _COMMAND_TOOLS:
        command = _read_command(arguments)
        if command is None:
            return UnreadableLine(path, number, "a call without the name of its tool, or without arguments")
        folder = arguments.get("workdir")
        cwd = f"{cwd}/{folder}" if isinstance(folder, str) and not folder.startswith("/") else str(folder or cwd)
        name, arguments = "Bash", {"command": command}
    call = str(payload.get("call_id") or f"{path}:{number}")
    return PastCall(HOST, session, f"{session}/{call}", time, project, cwd, name, arguments, "unknown", path, number)


def _read_arguments(payload: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns the arguments of a function, which are JSON, or the text of a custom tool, as the hook is given it."""
    text = payload.get("input")
    if isinstance(text, str):
        return {"command": text}
    try:
        arguments = json.loads(payload.get("arguments") or "{}")
    except (ValueError, TypeError, RecursionError):
        return None
    return arguments if isinstance(arguments, dict) else None


def _read_command(arguments: Mapping[str, Any]) -> str | None:
    """Returns the command line; earlier versions recorded the words of `bash -lc`."""
    command = arguments.get("cmd", arguments.get("command"))
    if isinstance(command, list) and len(command) == 3 and command[1] in _SHELL_OPTIONS:
        command = command[2]
    return command if isinstance(command, str) else None


def _read_outcome(output: object) -> CallOutcome:
    if isinstance(output, dict):
        output = output.get("content")
    text = output if isinstance(output, str) else ""
    if text.startswith(_REFUSAL_PREFIXES):
        return "refused"
    beginning = text.partition("\nOutput:")[0]
    code = (
        beginning.rpartition("xited with code ")[2] if "xited with code " in beginning else beginning.rpartition("Exit code: ")[2]
    )
    return "failed" if code.partition("\n")[0].strip("0123456789") == "" and code.partition("\n")[0] not in ("", "0") else "ran"
