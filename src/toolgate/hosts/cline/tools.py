"""Translates calls of Cline's tools to actions. The only file that knows their names and the keys of their input."""

import shlex
from collections.abc import Callable, Mapping

from toolgate.hosts.formats.payload import ToolInput, replace_surrogates
from toolgate.hosts.formats.questions import parse_questions
from toolgate.model.action import (
    Action,
    ApplyPatch,
    CallTool,
    EditFile,
    Fetch,
    OtherTool,
    ReadFile,
    Replacement,
    RunShell,
    Search,
    WriteFile,
)
from toolgate.model.errors import BadPayload

SHELL_TOOL = "run_commands"
TEAM_PREFIX = "team_"
"""The prefix of tools that speak with other agents of the client's own."""


def parse_action(tool: str, fields: Mapping[str, object], cwd: str) -> Action:
    """Returns the action of a tool call. Raises BadPayload when the input does not have the tool's shape."""
    lower = TOOLS.get(tool)
    if lower is not None:
        return lower(ToolInput(tool, fields, cwd))
    server, _, name = tool.partition("__")
    if server and name:
        return CallTool(server, name, fields)
    return OtherTool(tool, fields, "agent" if tool.startswith(TEAM_PREFIX) else "unknown")


def _read_list(tool_input: ToolInput, key: str) -> list[object]:
    every = tool_input.fields.get(key)
    if not isinstance(every, list) or not every:
        raise BadPayload(f"{tool_input.tool}: `{key}` is no list, or an empty one")
    return every


def _parse_commands(tool_input: ToolInput) -> Action:
    """Each command is run by a shell of its own, in the folder of the project."""
    texts = _read_list(tool_input, "commands")
    if not all(isinstance(text, str) for text in texts):
        raise BadPayload(f"{tool_input.tool}: one of `commands` is not text")
    commands = [replace_surrogates(str(text)) for text in texts]
    return RunShell(commands[0] if len(commands) == 1 else "\n".join(f"bash -c {shlex.quote(each)}" for each in commands))


def _parse_files(tool_input: ToolInput) -> Action:
    rows = _read_list(tool_input, "files")
    paths = [ToolInput(tool_input.tool, row, tool_input.cwd).read_path("path") for row in rows if isinstance(row, dict)]
    if len(paths) != len(rows):
        raise BadPayload(f"{tool_input.tool}: one of `files` is not an object")
    return ReadFile(paths[0]) if len(paths) == 1 else Search(tuple(paths), "")


def _parse_edit(tool_input: ToolInput) -> Action:
    """Without the text to replace, a new file is made, or text is inserted in front of a line."""
    path, new = tool_input.read_path("path"), tool_input.read_string("new_text")
    if tool_input.fields.get("insert_line") is not None:
        return EditFile(path, (Replacement("", new),))
    if tool_input.fields.get("old_text") is None:
        return WriteFile(path, new)
    return EditFile(path, (Replacement(tool_input.read_string("old_text"), new),))


def _parse_requests(tool_input: ToolInput) -> Action:
    """Several addresses are judged as arguments of a tool that nobody described."""
    rows = _read_list(tool_input, "requests")
    if len(rows) == 1 and isinstance(rows[0], dict):
        return Fetch(ToolInput(tool_input.tool, rows[0], tool_input.cwd).read_string("url"))
    return OtherTool(tool_input.tool, tool_input.fields)


TOOLS: dict[str, Callable[[ToolInput], Action]] = {
    SHELL_TOOL: _parse_commands,
    "editor": _parse_edit,
    "apply_patch": lambda tool_input: ApplyPatch(tool_input.read_string("input")),
    "read_files": _parse_files,
    "search_codebase": lambda tool_input: Search((tool_input.cwd,), " ".join(map(str, _read_list(tool_input, "queries")))),
    "fetch_web_content": _parse_requests,
    "ask_question": parse_questions,
    "spawn_agent": lambda tool_input: OtherTool(tool_input.tool, tool_input.fields, "agent"),
    "skills": lambda tool_input: OtherTool(tool_input.tool, tool_input.fields, "conversation"),
    "submit_and_exit": lambda tool_input: OtherTool(tool_input.tool, tool_input.fields, "conversation"),
}
