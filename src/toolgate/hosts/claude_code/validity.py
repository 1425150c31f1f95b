"""Checks whether Claude Code would accept a settings file. Measured on the client itself (tests/e2e/test_settings.py): one bad
value in a hook for a guarding event invalidates the whole file with its deny rules, silently in an unattended session. A bad hook
of any other event is dropped alone."""

from collections.abc import Callable, Iterator, Mapping

KNOWN_EVENTS = frozenset(
    "PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit UserPromptExpansion"
    " SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact PreModelSwitch"
    " PostModelSwitch PermissionRequest PermissionDenied Setup TeammateIdle TaskCreated TaskCompleted Elicitation"
    " ElicitationResult ConfigChange WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged FileChanged"
    " DirectoryAdded MessageDisplay".split()
)
"""The client ignores an event of another name, whatever it holds."""


GUARDS = ("PreToolUse", "PermissionRequest")


def faults(settings: object) -> tuple[str, ...]:
    """Returns why the client would drop this whole file, each with the place in it."""
    if not isinstance(settings, Mapping):
        return ("the settings are not an object",)
    found = [f"`{key}` is neither true nor false" for key in _FLAGS if not isinstance(settings.get(key, False), bool)]
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, Mapping):
        found.append("`hooks` is not an object")
    else:
        found += _hooks({event: groups for event, groups in hooks.items() if event in GUARDS})
    permissions = settings.get("permissions", {})
    if not isinstance(permissions, Mapping):
        found.append("`permissions` is not an object")
    else:
        found += [f"`permissions.{key}` is not a list" for key in _RULES if not isinstance(permissions.get(key, []), list)]
    return tuple(found)


def dropped(settings: object) -> tuple[str, ...]:
    """Returns the hooks that the client would leave out of a file that it accepts."""
    hooks = settings.get("hooks") if isinstance(settings, Mapping) else None
    if not isinstance(hooks, Mapping):
        return ()
    return tuple(_hooks({event: groups for event, groups in hooks.items() if event in KNOWN_EVENTS and event not in GUARDS}))


def _hooks(hooks: Mapping[str, object]) -> Iterator[str]:
    for event, groups in hooks.items():
        if not isinstance(groups, list):
            yield f"`hooks.{event}` is not a list"
            continue
        for number, group in enumerate(groups):
            for problem in _group(group):
                yield f"`hooks.{event}[{number}]`: {problem}"


def _group(group: object) -> Iterator[str]:
    if not isinstance(group, Mapping):
        yield "it is not an object"
        return
    if "matcher" in group and not isinstance(group["matcher"], str):
        yield "`matcher` is not text"
    handlers = group.get("hooks")
    if not isinstance(handlers, list):
        yield "it has no list `hooks`; a handler stands in a group, not by itself"
        return
    for number, handler in enumerate(handlers):
        for problem in _handler(handler):
            yield f"`hooks[{number}]`: {problem}"


def _handler(handler: object) -> Iterator[str]:
    if not isinstance(handler, Mapping):
        yield "it is not an object"
        return
    kind = handler.get("type")
    if not isinstance(kind, str) or kind not in _REQUIRED:
        yield f"`type` is none of {', '.join(_REQUIRED)}"
        return
    for key in _REQUIRED[kind]:
        if key not in handler:
            yield f"`{key}` is missing"
    for key, (holds, wanted) in _FIELDS.items():
        if key in handler and not holds(handler[key]):
            yield f"`{key}` is not {wanted}"


def _text(value: object) -> bool:
    return isinstance(value, str)


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _flag(value: object) -> bool:
    return isinstance(value, bool)


def _seconds(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


_FLAGS = ("disableAllHooks", "allowManagedHooksOnly")
_RULES = ("allow", "deny", "ask", "additionalDirectories")
_REQUIRED = {
    "command": ("command",),
    "http": ("url",),
    "mcp_tool": ("server", "tool"),
    "prompt": ("prompt",),
    "agent": ("prompt",),
}
_FIELDS: dict[str, tuple[Callable[[object], bool], str]] = {
    "command": (_text, "text"),
    "args": (_texts, "a list of texts"),
    "url": (_text, "text"),
    "server": (_text, "text"),
    "tool": (_text, "text"),
    "prompt": (_text, "text"),
    "timeout": (_seconds, "a number of seconds above 0"),
    "if": (_text, "text"),
    "statusMessage": (_text, "text"),
    "once": (_flag, "true or false"),
    "async": (_flag, "true or false"),
    "asyncRewake": (_flag, "true or false"),
    "shell": (lambda value: value in ("bash", "powershell"), '"bash" or "powershell"'),
    "onFailure": (lambda value: value in ("continue", "block"), '"continue" or "block"'),
}
