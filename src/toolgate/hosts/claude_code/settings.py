"""How the gate is registered with Claude Code: its own entries in a settings file, found, made and inspected.

Everything here is a function of parsed settings. Whether the client would take the file at all is `validity`'s to say.
"""

from collections.abc import Iterator, Mapping, Sequence

from toolgate.hosts import groups
from toolgate.hosts.commands import is_gate, name_of
from toolgate.model.host import OF_NONE, Commands, Steps

from .places import DEPLOYED, MANAGED, SECRET_FILES, own_folder
from .validity import dropped, faults
from .wire import EVENTS, NAME

__all__ = [
    "BLANK",
    "OLDEST",
    "PROGRAM",
    "SCOPES",
    "STATUS_LINE",
    "additions",
    "commands",
    "dropped",
    "events",
    "faults",
    "file",
    "is_own_status_line",
    "make_status_line",
    "ours",
    "register",
    "unregister",
    "weaknesses",
    "withheld",
]

SCOPES = ("user", "project", "local", "managed")
PROGRAM = "claude"
OLDEST = (2, 1, 295)
"""The first version that knows `onFailure`: an older one ignores it, and runs the call when the hook fails."""
TIMEOUT = 10
BLANK = ""
STATUS_LINE = "statusLine"
_OWN_STATUS_LINE = " -m toolgate statusline"


def file(scope: str, home: str, project: str, environ: Mapping[str, str]) -> str:
    """The settings file of a scope. Raises KeyError for a scope that there is not."""
    return {
        "user": f"{own_folder(home, environ)}/settings.json",
        "project": f"{project.rstrip('/')}/.claude/settings.json",
        "local": f"{project.rstrip('/')}/.claude/settings.local.json",
        "managed": f"{MANAGED[0]}/managed-settings.json",
    }[scope]


def additions(command: Sequence[str], by_event: Commands = OF_NONE) -> tuple[tuple[Steps, object], ...]:
    """No matcher and no `if`: the gate sees every call and decides by itself. The event stands in the arguments, so that
    even a hook that cannot read its input knows what to refuse."""
    return tuple((("hooks", event), {"hooks": [_handler(by_event.get(event, command), event)]}) for event in EVENTS)


def withheld() -> tuple[tuple[Steps, object], ...]:
    """Deny rules for files of credentials: a mention of a file (`@file`) fires no hook. The brackets change nothing for the
    host, and tell our rules from a person's own."""
    return tuple((("permissions", "deny"), rule) for rule in _WITHHELD)


def _bracketed(path: str) -> str:
    first = next(place for place, char in enumerate(path) if char.isalpha())
    return f"Read({path[:first]}[{path[first]}]{path[first + 1 :]})"


_WITHHELD = tuple(map(_bracketed, SECRET_FILES))


def _handler(command: Sequence[str], event: str) -> dict[str, object]:
    program, *arguments = command
    return {
        "type": "command",
        "command": program,
        "args": [*arguments, NAME, event],
        "timeout": TIMEOUT,
        "onFailure": "block",
    }


def register(settings: Mapping[str, object], command: Sequence[str], by_event: Commands = OF_NONE) -> dict[str, object]:
    """The settings with the gate registered once for every event, and everything else as it was."""
    whole = groups.appended(unregister(settings), additions(command, by_event))
    permissions = whole.get("permissions")
    kept: dict[str, object] = dict(permissions) if isinstance(permissions, Mapping) else {}
    before = kept.get("deny")
    kept["deny"] = [*(before if isinstance(before, list) else ()), *_WITHHELD]
    return {**whole, "permissions": kept}


def unregister(settings: Mapping[str, object]) -> dict[str, object]:
    """The settings without the gate's entries. Lists that only held those stay, empty."""
    result = groups.without(settings, is_ours)
    permissions = settings.get("permissions")
    if isinstance(permissions, Mapping) and isinstance(permissions.get("deny"), list):
        result["permissions"] = {**permissions, "deny": [rule for rule in permissions["deny"] if rule not in _WITHHELD]}
    return result


def ours(settings: object) -> tuple[Steps, ...]:
    """What is to be removed: a whole group where it holds nothing else, one handler beside others."""
    permissions = settings.get("permissions") if isinstance(settings, Mapping) else None
    denied = permissions.get("deny") if isinstance(permissions, Mapping) else None
    rules = denied if isinstance(denied, list) else []
    withheld = (("permissions", "deny", place) for place, rule in enumerate(rules) if rule in _WITHHELD)
    return (*groups.places(settings, is_ours), *withheld)


def events(settings: object) -> frozenset[str]:
    """The events that the gate is registered for, under the right name."""
    return frozenset(event for event, _, handler in groups.registered(settings, is_ours) if _words(handler)[-1] == event)


def commands(settings: object) -> tuple[tuple[str, ...], ...]:
    """The command lines of the gate's entries, without the host and the event."""
    every = (_words(handler) for _, _, handler in groups.registered(settings, is_ours))
    return tuple(dict.fromkeys(words[:-2] for words in every if len(words) > 2))


def weaknesses(settings: object) -> tuple[str, ...]:
    """What opens the gate in a file that the client takes as valid."""
    found = []
    if isinstance(settings, Mapping):
        if settings.get("disableAllHooks") is True:
            found.append("`disableAllHooks` switches every hook off")
        if settings.get("allowManagedHooksOnly") is True and not events(settings):
            found.append("`allowManagedHooksOnly` leaves only managed hooks, and the gate is not among them")
    seen: set[str] = set()
    for event, group, handler in groups.registered(settings, is_ours):
        where = f"hooks.{event}"
        if _words(handler)[-1] != event:
            found.append(f"{where}: the gate is called for {_words(handler)[-1]}, another event")
        if event in seen:
            found.append(f"{where}: the gate is registered twice")
        seen.add(event)
        if group.get("matcher") not in (None, "", "*"):
            found.append(f"{where}: a `matcher` keeps tools from the gate")
        found += [f"{where}: {problem}" for problem in _handler_weaknesses(handler)]
    return tuple(found)


def _handler_weaknesses(handler: Mapping[str, object]) -> Iterator[str]:
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


def is_ours(handler: object) -> bool:
    """Is this registered handler the gate, or a deployed script that calls it, however that is called?"""
    if not isinstance(handler, Mapping) or handler.get("type") != "command":
        return False
    words = _words(handler)
    return any(name_of(word) == DEPLOYED for word in words) or is_gate(words, NAME)


def _words(handler: Mapping[str, object]) -> tuple[str, ...]:
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
