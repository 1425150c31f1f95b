"""Translates calls of Copilot's tools to actions. The only file that knows their names and the keys of their input.

The same tools have two names: Copilot's own, and those of the dialect borrowed from Claude Code, with Copilot's keys. A
permission request describes a call with keys of a third kind.
"""

import json
import re
from collections.abc import Callable, Mapping

from toolgate.hosts.formats.payload import ToolInput
from toolgate.hosts.formats.questions import parse_questions
from toolgate.hosts.formats.searches import parse_glob
from toolgate.model.action import (
    Action,
    ApplyPatch,
    AskUser,
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

PATCH_KEY = "patch"


def read_arguments(tool: str, arguments: object) -> Mapping[str, object]:
    """Returns the arguments of a call: an object, its JSON text (as earlier versions sent it), or a raw patch."""
    if isinstance(arguments, str):
        try:
            read: object = json.loads(arguments)
        except (ValueError, RecursionError):
            if tool != "apply_patch":
                raise BadPayload(f"{tool}: its arguments are neither an object nor JSON") from None
            return {PATCH_KEY: arguments}
        arguments = read
    if not isinstance(arguments, dict):
        raise BadPayload(f"{tool}: its arguments are not an object")
    return arguments


def parse_action(tool: str, fields: Mapping[str, object], cwd: str) -> Action:
    """Returns the action of a tool call. Raises BadPayload when the input does not have the tool's shape.

    A server's tool is `server-tool`, in a permission request `server/tool`; server names contain hyphens more often than tool
    names."""
    lower = TOOLS.get(tool)
    if lower is not None:
        return lower(ToolInput(tool, fields, cwd))
    server, _, name = tool.partition("/") if "/" in tool else tool.rpartition("-")
    return CallTool(server, name, fields) if server and name else OtherTool(tool, fields)


def _choose_key(tool_input: ToolInput, *names: str) -> str:
    return next((name for name in names if name in tool_input.fields), names[0])


def _read_path(tool_input: ToolInput) -> str:
    named = [tool_input.read_path(key) for key in ("path", "file_path", "filePath") if key in tool_input.fields] or [
        tool_input.read_path("path")
    ]
    if len(set(named)) > 1:
        raise BadPayload(f"{tool_input.tool}: two of its arguments name two files")
    return named[0]


def _parse_create(tool_input: ToolInput) -> Action:
    return WriteFile(_read_path(tool_input), tool_input.read_string(_choose_key(tool_input, "file_text", "content")))


def _parse_edit(tool_input: ToolInput) -> Action:
    if "diff" in tool_input.fields:  # a permission request shows only the difference
        added = [
            line[1:]
            for line in tool_input.read_string("diff").splitlines()
            if line.startswith("+") and not line.startswith("+++")
        ]
        return EditFile(_read_path(tool_input), (Replacement("", "\n".join(added)),))
    old, new = _choose_key(tool_input, "old_str", "old_string"), _choose_key(tool_input, "new_str", "new_string")
    return EditFile(_read_path(tool_input), (Replacement(tool_input.read_string(old, ""), tool_input.read_string(new, "")),))


def _parse_insert(tool_input: ToolInput) -> Action:
    return EditFile(
        _read_path(tool_input), (Replacement("", tool_input.read_string(_choose_key(tool_input, "insert_text", "new_str"))),)
    )


def _parse_editor_call(tool_input: ToolInput) -> Action:
    """Parses the one tool with which earlier versions did all edits."""
    command = tool_input.read_string("command")
    if command not in _EDITOR_COMMANDS:
        raise BadPayload(f"{tool_input.tool}: `command` {command!r} is none of its own")
    return _EDITOR_COMMANDS[command](tool_input)


def _parse_patch(tool_input: ToolInput) -> Action:
    """Reads the patch under any of its keys; a file named beside it is a changed file."""
    if {"path", "file_path"} & set(tool_input.fields):
        return EditFile(_read_path(tool_input), (Replacement("", ""),))
    return ApplyPatch(tool_input.read_string(_choose_key(tool_input, PATCH_KEY, "input")))


def _parse_search(tool_input: ToolInput) -> Action:
    return Search(
        _read_folders(tool_input), tool_input.read_string("pattern", ""), tree=not {"path", "paths"}.isdisjoint(tool_input.fields)
    )


def _parse_glob(tool_input: ToolInput) -> Action:
    return parse_glob(_read_folders(tool_input), tool_input.read_string("pattern"))


def _read_folders(tool_input: ToolInput) -> tuple[str, ...]:
    """Returns `paths`, one or a list; without any, the folder of the session."""
    named = tool_input.fields.get("paths", tool_input.fields.get("path", tool_input.cwd))
    every = named if isinstance(named, list) else [named]
    if not all(isinstance(each, str) for each in every):
        raise BadPayload(f"{tool_input.tool}: `paths` are not text")
    return tuple(each for each in every if isinstance(each, str)) or (tool_input.cwd,)


_ANSWER_SENTENCE = re.compile(r"User (?:responded|selected): (.*)", re.DOTALL)


def attach_answer(action: Action, response: object) -> Action:
    """Returns the question with the person's answer, which the runtime puts into a sentence for the model (seen in 1.0.102)."""
    text = response.get("textResultForLlm") if isinstance(response, dict) else None
    found = _ANSWER_SENTENCE.fullmatch(text) if isinstance(text, str) else None
    return AskUser(action.questions, (found[1],)) if isinstance(action, AskUser) and found is not None else action


_EDITOR_COMMANDS: dict[str, Callable[[ToolInput], Action]] = {
    "view": lambda tool_input: ReadFile(_read_path(tool_input)),
    "create": _parse_create,
    "str_replace": _parse_edit,
    "insert": _parse_insert,
}
_CONVERSATION_TOOLS = (
    "read_bash stop_bash list_bash read_powershell stop_powershell list_powershell report_intent update_todo store_memory "
    "vote_memory "
    "skill task_complete exit_plan_mode read_agent list_agents fetch_copilot_cli_documentation TodoWrite Skill ExitPlanMode"
).split()
"""Tools that change nothing outside the conversation, whatever their names say."""
TOOLS: dict[str, Callable[[ToolInput], Action]] = {
    **dict.fromkeys(("bash", "Bash"), lambda tool_input: RunShell(tool_input.read_string("command"))),
    **dict.fromkeys(("powershell", "PowerShell"), lambda tool_input: RunShell(tool_input.read_string("command"), "powershell")),
    "write_bash": lambda tool_input: RunShell(tool_input.read_string("input", "")),
    "write_powershell": lambda tool_input: RunShell(tool_input.read_string("input", ""), "powershell"),
    **dict.fromkeys(("view", "Read"), lambda tool_input: ReadFile(_read_path(tool_input))),
    **dict.fromkeys(("create", "Write"), _parse_create),
    **dict.fromkeys(("edit", "Edit"), _parse_edit),
    "insert": _parse_insert,
    "str_replace_editor": _parse_editor_call,
    "apply_patch": _parse_patch,
    **dict.fromkeys(("grep", "rg", "Grep"), _parse_search),
    **dict.fromkeys(("glob", "Glob"), _parse_glob),
    **dict.fromkeys(("web_fetch", "WebFetch"), lambda tool_input: Fetch(tool_input.read_string("url"))),
    **dict.fromkeys(("ask_user", "AskUserQuestion"), parse_questions),
    **dict.fromkeys(("web_search", "WebSearch"), lambda tool_input: OtherTool(tool_input.tool, tool_input.fields, "search")),
    **dict.fromkeys(("task", "Task", "write_agent"), lambda tool_input: OtherTool(tool_input.tool, tool_input.fields, "agent")),
    **dict.fromkeys(_CONVERSATION_TOOLS, lambda tool_input: OtherTool(tool_input.tool, tool_input.fields, "conversation")),
}
"""Tool -> parser of its input. Text typed into a running shell (`write_bash`) is a command. A tool that is missing here has no
description."""
