"""Registers the gate with Copilot: a file of hooks of its own, beside any others.

Any file's deny wins, so no other file can loosen it.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence

from toolgate.hosts.commands import is_gate
from toolgate.model.host import OF_NONE, Commands, Steps

from .places import own_folder
from .wire import BORROWED, EVENTS, NAME

SCOPES = ("user", "project")
PROGRAM = "copilot"
OLDEST = (1, 0, 0)
TIMEOUT = 10
BLANK = '{\n  "version": 1\n}\n'
SHELLS = ("bash", "powershell")


def file(scope: str, home: str, project: str, environ: Mapping[str, str]) -> str:
    """Returns the file of hooks of a scope. Raises KeyError for an unknown scope."""
    return {
        "user": f"{own_folder(home, environ)}/hooks/toolgate.json",
        "project": f"{project.rstrip('/')}/.github/hooks/toolgate.json",
    }[scope]


def additions(command: Sequence[str], by_event: Commands = OF_NONE) -> tuple[tuple[Steps, object], ...]:
    """Returns the entries that register the gate, without matcher: the gate sees every call and decides itself."""
    return tuple((("hooks", event), _handler(by_event.get(event, command), event)) for event in EVENTS)


def withheld() -> tuple[tuple[Steps, object], ...]:
    """Returns nothing: the host has no rules for calls that reach no hook."""
    return ()


def _handler(command: Sequence[str], event: str) -> dict[str, object]:
    words = (*command, NAME, event)
    quoted = " ".join("'" + word.replace("'", "''") + "'" for word in words)
    return {"type": "command", "bash": shlex.join(words), "powershell": f"& {quoted}", "timeoutSec": TIMEOUT}


def register(settings: Mapping[str, object], command: Sequence[str], by_event: Commands = OF_NONE) -> dict[str, object]:
    """Returns the file with the gate registered once for every event, and everything else unchanged."""
    clean = _without(settings)
    hooks = clean.get("hooks")
    lists: dict[str, object] = dict(hooks) if isinstance(hooks, Mapping) else {}
    for (_, event), handler in additions(command, by_event):
        there = lists.get(str(event))
        lists[str(event)] = [*there, handler] if isinstance(there, list) else [handler]
    return {"version": 1, **clean, "hooks": lists}


def _without(settings: Mapping[str, object]) -> dict[str, object]:
    hooks = settings.get("hooks")
    if not isinstance(hooks, Mapping):
        return dict(settings)
    kept = {
        event: [each for each in handlers if not _is_ours(each)] if isinstance(handlers, list) else handlers
        for event, handlers in hooks.items()
    }
    return {**settings, "hooks": kept}


def ours(settings: object) -> tuple[Steps, ...]:
    return tuple(("hooks", event, place) for event, place, handler in _handlers(settings) if _is_ours(handler))


def events(settings: object) -> frozenset[str]:
    """Returns the events for which the gate is registered with the right argument, in either dialect."""
    return frozenset(BORROWED.get(event, event) for event, handler in _registered(settings) if _words(handler)[-1] == event)


def commands(settings: object) -> tuple[tuple[str, ...], ...]:
    return tuple(dict.fromkeys(_words(handler)[:-2] for _, handler in _registered(settings)))


def faults(settings: object) -> tuple[str, ...]:
    """Returns why the client would not accept the file at all."""
    if not isinstance(settings, Mapping):
        return ("it is no JSON object",)
    if "hooks" not in settings and "version" not in settings:
        return ()  # settings, not a file of hooks
    found = []
    if settings.get("version") != 1:
        found.append("`version` is not 1")
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, Mapping):
        return (*found, "`hooks` is no object")
    return (*found, *(f"`hooks.{event}` is no list" for event, handlers in hooks.items() if not isinstance(handlers, list)))


def dropped(_settings: object) -> tuple[str, ...]:
    return ()


def weaknesses(settings: object) -> tuple[str, ...]:
    """Returns what weakens the gate in a file that the client accepts."""
    found = []
    if isinstance(settings, Mapping) and settings.get("disableAllHooks") is True:
        found.append("`disableAllHooks` may switch every hook off")
    seen: set[str] = set()
    for event, handler in _registered(settings):
        where = f"hooks.{event}"
        if _words(handler)[-1] != event:
            found.append(f"{where}: the gate is called for {_words(handler)[-1]}, another event")
        if event in seen:
            found.append(f"{where}: the gate is registered twice")
        seen.add(event)
        found += [f"{where}: {problem}" for problem in _handler_weaknesses(handler)]
    return tuple(found)


def _handler_weaknesses(handler: Mapping[str, object]) -> Iterator[str]:
    if handler.get("timeoutSec") != TIMEOUT:
        yield f"`timeoutSec` is not {TIMEOUT}: a hook that takes longer lets the call run, and the gate answers within 8"
    if handler.get("matcher") not in (None, "", "*"):
        yield "a `matcher` keeps tools from the gate"
    if handler.get("env"):
        yield "`env` changes what the gate goes by"
    for shell in SHELLS:
        if shell not in handler:
            yield f"no `{shell}`: nothing is called where that is the shell"


def _is_ours(handler: object) -> bool:
    return isinstance(handler, Mapping) and handler.get("type", "command") == "command" and is_gate(_words(handler), NAME)


def _words(handler: Mapping[str, object]) -> tuple[str, ...]:
    line = handler.get("bash")
    if not isinstance(line, str):
        return ()
    try:
        return tuple(shlex.split(line))
    except ValueError:  # an open quote
        return ()


def _registered(settings: object) -> Iterator[tuple[str, Mapping[str, object]]]:
    for event, _, handler in _handlers(settings):
        if isinstance(handler, Mapping) and _is_ours(handler):
            yield event, handler


def _handlers(settings: object) -> Iterator[tuple[str, int, object]]:
    hooks = settings.get("hooks") if isinstance(settings, Mapping) else None
    for event, handlers in hooks.items() if isinstance(hooks, Mapping) else ():
        for place, handler in enumerate(handlers if isinstance(handlers, list) else ()):
            yield event, place, handler
