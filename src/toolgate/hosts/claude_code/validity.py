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


GUARDING_EVENTS = ("PreToolUse", "PermissionRequest")


def find_faults(settings: object) -> tuple[str, ...]:
    """Returns why the client would drop this whole file, each with the place in it."""
    if not isinstance(settings, Mapping):
        return ("the settings are not an object",)
    found = [f"`{key}` is neither true nor false" for key in _FLAG_KEYS if not isinstance(settings.get(key, False), bool)]
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, Mapping):
        found.append("`hooks` is not an object")
    else:
        found += _iter_hook_faults({event: groups for event, groups in hooks.items() if event in GUARDING_EVENTS})
    permissions = settings.get("permissions", {})
    if not isinstance(permissions, Mapping):
        found.append("`permissions` is not an object")
    else:
        found += [
            f"`permissions.{key}` is not a list" for key in _PERMISSION_KEYS if not isinstance(permissions.get(key, []), list)
        ]
    return tuple(found)


def find_dropped_hooks(settings: object) -> tuple[str, ...]:
    """Returns the hooks that the client would leave out of a file that it accepts."""
    hooks = settings.get("hooks") if isinstance(settings, Mapping) else None
    if not isinstance(hooks, Mapping):
        return ()
    return tuple(
        _iter_hook_faults(
            {event: groups for event, groups in hooks.items() if event in KNOWN_EVENTS and event not in GUARDING_EVENTS}
        )
    )


def _iter_hook_faults(hooks: Mapping[str, object]) -> Iterator[str]:
    for event, groups in hooks.items():
        if not isinstance(groups, list):
            yield f"`hooks.{event}` is not a list"
            continue
        for number, group in enumerate(groups):
            for problem in _iter_group_faults(group):
                yield f"`hooks.{event}[{number}]`: {problem}"


def _iter_group_faults(group: object) -> Iterator[str]:
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
        for problem in _iter_handler_faults(handler):
            yield f"`hooks[{number}]`: {problem}"


def _iter_handler_faults(handler: object) -> Iterator[str]:
    if not isinstance(handler, Mapping):
        yield "it is not an object"
        return
    kind = handler.get("type")
    if not isinstance(kind, str) or kind not in _REQUIRED_KEYS:
        yield f"`type` is none of {', '.join(_REQUIRED_KEYS)}"
        return
    for key in _REQUIRED_KEYS[kind]:
        if key not in handler:
            yield f"`{key}` is missing"
    for key, (holds, expected) in _FIELD_CHECKS.items():
        if key in handler and not holds(handler[key]):
            yield f"`{key}` is not {expected}"


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_text_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_positive_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


_FLAG_KEYS = ("disableAllHooks", "allowManagedHooksOnly")
_PERMISSION_KEYS = ("allow", "deny", "ask", "additionalDirectories")
_REQUIRED_KEYS = {
    "command": ("command",),
    "http": ("url",),
    "mcp_tool": ("server", "tool"),
    "prompt": ("prompt",),
    "agent": ("prompt",),
}
_FIELD_CHECKS: dict[str, tuple[Callable[[object], bool], str]] = {
    "command": (_is_text, "text"),
    "args": (_is_text_list, "a list of texts"),
    "url": (_is_text, "text"),
    "server": (_is_text, "text"),
    "tool": (_is_text, "text"),
    "prompt": (_is_text, "text"),
    "timeout": (_is_positive_number, "a number of seconds above 0"),
    "if": (_is_text, "text"),
    "statusMessage": (_is_text, "text"),
    "once": (_is_flag, "true or false"),
    "async": (_is_flag, "true or false"),
    "asyncRewake": (_is_flag, "true or false"),
    "shell": (lambda value: value in ("bash", "powershell"), '"bash" or "powershell"'),
    "onFailure": (lambda value: value in ("continue", "block"), '"continue" or "block"'),
}
