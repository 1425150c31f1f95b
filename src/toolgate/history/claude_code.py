"""Transcripts of Claude Code: `projects/<project>/<session>.jsonl`, with files of their own for sub-agents.

A line is an object with `type`, `sessionId`, `cwd`, `timestamp` and `message`; a call is a `tool_use` block of an assistant's
message, and its result a `tool_result` block of a later user's message (seen with 2.1.328). A compacted or forked conversation
repeats earlier lines: a call is identified by its id.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from .calls import CallOutcome, PastCall, UnreadableLine
from .json_lines import read_objects

HOST = "claude-code"
_MESSAGE_TYPES = ("assistant", "user")
"""Lines of other types repeat calls: as the body of a request, or in a snapshot."""
_REFUSAL_PREFIXES = ("The user doesn't want to ", "Permission to use ", "Claude requested permissions to ", "PreToolUse:")
"""The beginning of the client's messages for a refused call, where the line has no `toolDenialKind`."""


class TranscriptReader:
    def list_folders(self, home: str, environ: Mapping[str, str]) -> tuple[str, ...]:
        return (f"{(environ.get('CLAUDE_CONFIG_DIR') or f'{home}/.claude').rstrip('/')}/projects",)

    def is_own_format(self, first_object: Mapping[str, Any]) -> bool:
        return isinstance(first_object.get("sessionId"), str) and isinstance(first_object.get("type"), str)

    def read(self, path: str) -> Iterator[PastCall | UnreadableLine]:
        """Yields calls in the order in which they were made; their outcomes are known at the end of the file."""
        calls: list[PastCall | UnreadableLine] = []
        outcomes: dict[str, CallOutcome] = {}
        project = ""
        for line in read_objects(path, b'"tool_use"', b'"tool_result"'):
            if line.value is None:
                calls.append(UnreadableLine(path, line.number, line.cause))
                continue
            project = project or _read_text(line.value, "cwd")
            message = line.value.get("message") if line.value.get("type") in _MESSAGE_TYPES else None
            content = message.get("content") if isinstance(message, dict) else None
            for block in content if isinstance(content, list) else ():
                if not isinstance(block, dict):
                    continue
                if block.get("type") == "tool_use":
                    calls.append(_read_call(block, line.value, project, path, line.number))
                elif block.get("type") == "tool_result":
                    outcomes[_read_text(block, "tool_use_id")] = _read_outcome(block, line.value)
        for call in calls:
            yield call._replace(outcome=outcomes.get(call.call, "unknown")) if isinstance(call, PastCall) else call


def _read_call(
    block: Mapping[str, Any], line: Mapping[str, Any], project: str, path: str, number: int
) -> PastCall | UnreadableLine:
    name, arguments = block.get("name"), block.get("input")
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return UnreadableLine(path, number, "a call without the name of its tool, or without arguments")
    cwd = _read_text(line, "cwd") or project
    return PastCall(
        HOST,
        _read_text(line, "sessionId"),
        _read_text(block, "id") or f"{path}:{number}",
        _read_text(line, "timestamp"),
        project or cwd,
        cwd,
        name,
        arguments,
        "unknown",
        path,
        number,
    )


def _read_outcome(block: Mapping[str, Any], line: Mapping[str, Any]) -> CallOutcome:
    if "toolDenialKind" in line:
        return "refused"
    if block.get("is_error") is not True:
        return "ran"
    content = block.get("content")
    if isinstance(content, list):
        content = " ".join(_read_text(each, "text") for each in content if isinstance(each, dict))
    return "refused" if isinstance(content, str) and content.startswith(_REFUSAL_PREFIXES) else "failed"


def _read_text(table: Mapping[str, Any], key: str) -> str:
    value = table.get(key)
    return value if isinstance(value, str) else ""
