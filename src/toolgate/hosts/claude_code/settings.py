"""How the gate is registered with Claude Code: its own entries in a settings file, found, made and inspected.

Everything here is a function of parsed settings. Whether the client would take the file at all is `validity`'s to say.
"""

from collections.abc import Iterator, Mapping, Sequence

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
    "additions",
    "commands",
    "dropped",
    "events",
    "faults",
    "file",
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
    clean = unregister(settings)
    hooks = clean.get("hooks")
    lists: dict[str, object] = dict(hooks) if isinstance(hooks, Mapping) else {}
    for (_, event), group in additions(command, by_event):
        there = lists.get(str(event))
        lists[str(event)] = [*there, group] if isinstance(there, list) else [group]
    permissions = clean.get("permissions")
    kept: dict[str, object] = dict(permissions) if isinstance(permissions, Mapping) else {}
    before = kept.get("deny")
    kept["deny"] = [*(before if isinstance(before, list) else ()), *_WITHHELD]
    return {**clean, "hooks": lists, "permissions": kept}


def unregister(settings: Mapping[str, object]) -> dict[str, object]:
    """The settings without the gate's entries. Lists that only held those stay, empty."""
    result = dict(settings)
    hooks, permissions = settings.get("hooks"), settings.get("permissions")
    if isinstance(hooks, Mapping):
        result["hooks"] = {event: [*_kept(groups)] if isinstance(groups, list) else groups for event, groups in hooks.items()}
    if isinstance(permissions, Mapping) and isinstance(permissions.get("deny"), list):
        result["permissions"] = {**permissions, "deny": [rule for rule in permissions["deny"] if rule not in _WITHHELD]}
    return result


def _kept(groups: list[object]) -> Iterator[object]:
    for group in groups:
        handlers = _handlers(group)
        others = [handler for handler in handlers if not is_ours(handler)]
        if others or not handlers:
            yield {**group, "hooks": others} if isinstance(group, Mapping) and len(others) < len(handlers) else group


def ours(settings: object) -> tuple[Steps, ...]:
    """What is to be removed: a whole group where it holds nothing else, one handler beside others."""
    found: list[Steps] = []
    for event, number, group in _groups(settings):
        handlers = _handlers(group)
        mine = [place for place, handler in enumerate(handlers) if is_ours(handler)]
        if mine and len(mine) == len(handlers):
            found.append(("hooks", event, number))
        else:
            found += [("hooks", event, number, "hooks", place) for place in mine]
    permissions = settings.get("permissions") if isinstance(settings, Mapping) else None
    denied = permissions.get("deny") if isinstance(permissions, Mapping) else None
    rules = denied if isinstance(denied, list) else []
    return (*found, *(("permissions", "deny", place) for place, rule in enumerate(rules) if rule in _WITHHELD))


def events(settings: object) -> frozenset[str]:
    """The events that the gate is registered for, under the right name."""
    return frozenset(event for event, _, handler in _registered(settings) if _words(handler)[-1] == event)


def commands(settings: object) -> tuple[tuple[str, ...], ...]:
    """The command lines of the gate's entries, without the host and the event."""
    return tuple(dict.fromkeys(words[:-2] for _, _, handler in _registered(settings) if len(words := _words(handler)) > 2))


def weaknesses(settings: object) -> tuple[str, ...]:
    """What opens the gate in a file that the client takes as valid."""
    found = []
    if isinstance(settings, Mapping):
        if settings.get("disableAllHooks") is True:
            found.append("`disableAllHooks` switches every hook off")
        if settings.get("allowManagedHooksOnly") is True and not events(settings):
            found.append("`allowManagedHooksOnly` leaves only managed hooks, and the gate is not among them")
    seen: set[str] = set()
    for event, group, handler in _registered(settings):
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


def _registered(settings: object) -> Iterator[tuple[str, Mapping[str, object], Mapping[str, object]]]:
    for event, _, group in _groups(settings):
        for handler in _handlers(group):
            if isinstance(group, Mapping) and isinstance(handler, Mapping) and is_ours(handler):
                yield event, group, handler


def _groups(settings: object) -> Iterator[tuple[str, int, object]]:
    hooks = settings.get("hooks") if isinstance(settings, Mapping) else None
    for event, groups in hooks.items() if isinstance(hooks, Mapping) else ():
        for number, group in enumerate(groups if isinstance(groups, list) else ()):
            yield event, number, group


def _handlers(group: object) -> list[object]:
    handlers = group.get("hooks") if isinstance(group, Mapping) else None
    return handlers if isinstance(handlers, list) else []
