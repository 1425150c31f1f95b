"""Registers the gate with Claude Code: finds, adds and inspects its own entries in a settings file.

Everything here is a function of parsed settings. `validity` tells whether the client would accept the file at all.
"""

from collections.abc import Iterator, Mapping, Sequence

from toolgate.hosts.formats import hook_groups
from toolgate.hosts.formats.commands import is_gate_command, program_name
from toolgate.model.host import NO_COMMANDS, Commands, Steps

from .places import DEPLOYED_SCRIPT, MANAGED_FOLDERS, SECRET_FILES, own_folder
from .validity import find_dropped_hooks, find_faults
from .wire import EVENTS, NAME

__all__ = [
    "BLANK",
    "OLDEST",
    "PROGRAM",
    "SCOPES",
    "STATUS_LINE",
    "build_additions",
    "find_dropped_hooks",
    "find_faults",
    "find_own_entries",
    "find_weaknesses",
    "is_own_status_line",
    "list_commands",
    "list_events",
    "locate_settings",
    "make_status_line",
    "permission_additions",
    "register",
    "unregister",
]

SCOPES = ("user", "project", "local", "managed")
PROGRAM = "claude"
OLDEST = (2, 1, 295)
"""The first version that knows `onFailure`: an older one ignores it, and runs the call when the hook fails."""
TIMEOUT = 10
BLANK = ""
STATUS_LINE = "statusLine"
_OWN_STATUS_LINE = " -m toolgate statusline"


def locate_settings(scope: str, home: str, project: str, environ: Mapping[str, str]) -> str:
    """Returns the settings file of a scope. Raises KeyError for an unknown scope."""
    return {
        "user": f"{own_folder(home, environ)}/settings.json",
        "project": f"{project.rstrip('/')}/.claude/settings.json",
        "local": f"{project.rstrip('/')}/.claude/settings.local.json",
        "managed": f"{MANAGED_FOLDERS[0]}/managed-settings.json",
    }[scope]


def build_additions(command: Sequence[str], by_event: Commands = NO_COMMANDS) -> tuple[tuple[Steps, object], ...]:
    """Returns the entries that register the gate. Without matcher and `if`: the gate sees every call and decides itself. The
    event is among the arguments, so that even a hook that cannot read its input knows what to refuse."""
    return tuple((("hooks", event), {"hooks": [_build_handler(by_event.get(event, command), event)]}) for event in EVENTS)


def permission_additions() -> tuple[tuple[Steps, object], ...]:
    """Returns deny rules for files of credentials: a mention of a file (`@file`) fires no hook. The brackets have no meaning for
    the host, and distinguish the gate's rules from a person's."""
    return tuple((("permissions", "deny"), rule) for rule in _DENY_RULES)


def _build_read_rule(path: str) -> str:
    first = next(place for place, char in enumerate(path) if char.isalpha())
    return f"Read({path[:first]}[{path[first]}]{path[first + 1 :]})"


_DENY_RULES = tuple(map(_build_read_rule, SECRET_FILES))


def _build_handler(command: Sequence[str], event: str) -> dict[str, object]:
    program, *arguments = command
    return {
        "type": "command",
        "command": program,
        "args": [*arguments, NAME, event],
        "timeout": TIMEOUT,
        "onFailure": "block",
    }


def register(settings: Mapping[str, object], command: Sequence[str], by_event: Commands = NO_COMMANDS) -> dict[str, object]:
    """Returns the settings with the gate registered once for every event, and everything else unchanged."""
    settings_with_gate = hook_groups.append_groups(unregister(settings), build_additions(command, by_event))
    permissions = settings_with_gate.get("permissions")
    kept: dict[str, object] = dict(permissions) if isinstance(permissions, Mapping) else {}
    before = kept.get("deny")
    kept["deny"] = [*(before if isinstance(before, list) else ()), *_DENY_RULES]
    return {**settings_with_gate, "permissions": kept}


def unregister(settings: Mapping[str, object]) -> dict[str, object]:
    """Returns the settings without the gate's entries. Lists that held nothing else stay, empty."""
    result = hook_groups.remove_own_handlers(settings, is_own_handler)
    permissions = settings.get("permissions")
    if isinstance(permissions, Mapping) and isinstance(permissions.get("deny"), list):
        result["permissions"] = {**permissions, "deny": [rule for rule in permissions["deny"] if rule not in _DENY_RULES]}
    return result


def find_own_entries(settings: object) -> tuple[Steps, ...]:
    """Returns what to remove: a whole group where it holds nothing else, otherwise single handlers."""
    permissions = settings.get("permissions") if isinstance(settings, Mapping) else None
    denied = permissions.get("deny") if isinstance(permissions, Mapping) else None
    rules = denied if isinstance(denied, list) else []
    withheld = (("permissions", "deny", place) for place, rule in enumerate(rules) if rule in _DENY_RULES)
    return (*hook_groups.iter_own_entries(settings, is_own_handler), *withheld)


def list_events(settings: object) -> frozenset[str]:
    """Returns the events for which the gate is registered with the right argument."""
    return frozenset(
        event
        for event, _, handler in hook_groups.iter_own_handlers(settings, is_own_handler)
        if _split_command(handler)[-1] == event
    )


def list_commands(settings: object) -> tuple[tuple[str, ...], ...]:
    """Returns the command lines of the gate's entries, without the host and the event."""
    every = (_split_command(handler) for _, _, handler in hook_groups.iter_own_handlers(settings, is_own_handler))
    return tuple(dict.fromkeys(words[:-2] for words in every if len(words) > 2))


def find_weaknesses(settings: object) -> tuple[str, ...]:
    """Returns what weakens the gate in a file that the client accepts."""
    found = []
    if isinstance(settings, Mapping):
        if settings.get("disableAllHooks") is True:
            found.append("`disableAllHooks` switches every hook off")
        if settings.get("allowManagedHooksOnly") is True and not list_events(settings):
            found.append("`allowManagedHooksOnly` leaves only managed hooks, and the gate is not among them")
    entries = hook_groups.iter_own_handlers(settings, is_own_handler)
    return (*found, *hook_groups.iter_weaknesses(entries, _split_command, _iter_handler_weaknesses))


def _iter_handler_weaknesses(handler: Mapping[str, object]) -> Iterator[str]:
    if handler.get("onFailure") != "block":
        yield '`onFailure` is not "block": when the gate cannot start, calls run'
    if handler.get("timeout") != TIMEOUT:
        yield f"`timeout` is not {TIMEOUT} (seconds): the gate answers within 8"
    if "if" in handler:
        yield "`if` keeps calls from the gate"
    if handler.get("async") or handler.get("asyncRewake"):
        yield "`async`: the client does not wait for the answer"
    if handler.get("once"):
        yield "`once`: the gate is asked a single time"
    if "args" not in handler:
        yield "no `args`: the command goes through a shell"


def is_own_handler(handler: object) -> bool:
    """Returns whether this handler is the gate, or a deployed script that calls it, under any path."""
    if not isinstance(handler, Mapping) or handler.get("type") != "command":
        return False
    words = _split_command(handler)
    return any(program_name(word) == DEPLOYED_SCRIPT for word in words) or is_gate_command(words, NAME)


def _split_command(handler: Mapping[str, object]) -> tuple[str, ...]:
    command, arguments = handler.get("command"), handler.get("args")
    if not isinstance(command, str):
        return ()
    if isinstance(arguments, list):
        return (command, *(argument for argument in arguments if isinstance(argument, str)))
    return tuple(word.strip("\"'") for word in command.split())


def make_status_line(python: str) -> dict[str, object]:
    """The value of `STATUS_LINE` that shows the gate's line. `python`: the interpreter, quoted for a shell, with its options."""
    return {"type": "command", "command": f"{python}{_OWN_STATUS_LINE}"}


def is_own_status_line(value: object) -> bool:
    command = value.get("command") if isinstance(value, Mapping) else None
    return isinstance(command, str) and command.endswith(_OWN_STATUS_LINE)
