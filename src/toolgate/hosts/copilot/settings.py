"""Registers the gate with Copilot: a file of hooks of its own, beside any others.

Any file's deny wins, so no other file can loosen it.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence

from toolgate.hosts.formats.commands import is_gate_command, split_command
from toolgate.model.host import NO_COMMANDS, Commands, Steps

from .places import own_folder
from .wire import BORROWED_EVENTS, EVENTS, NAME

SCOPES = ("user", "project")
PROGRAM = "copilot"
OLDEST = (1, 0, 0)
TIMEOUT = 10
BLANK = '{\n  "version": 1\n}\n'
SHELLS = ("bash", "powershell")


def locate_settings(scope: str, home: str, project: str, environ: Mapping[str, str]) -> str:
    """Returns the file of hooks of a scope. Raises KeyError for an unknown scope."""
    return {
        "user": f"{own_folder(home, environ)}/hooks/toolgate.json",
        "project": f"{project.rstrip('/')}/.github/hooks/toolgate.json",
    }[scope]


def build_additions(command: Sequence[str], by_event: Commands = NO_COMMANDS) -> tuple[tuple[Steps, object], ...]:
    """Returns the entries that register the gate, without matcher: the gate sees every call and decides itself."""
    return tuple((("hooks", event), _build_handler(by_event.get(event, command), event)) for event in EVENTS)


def permission_additions() -> tuple[tuple[Steps, object], ...]:
    """Returns nothing: the host has no rules for calls that reach no hook."""
    return ()


def _build_handler(command: Sequence[str], event: str) -> dict[str, object]:
    words = (*command, NAME, event)
    quoted = " ".join("'" + word.replace("'", "''") + "'" for word in words)
    return {"type": "command", "bash": shlex.join(words), "powershell": f"& {quoted}", "timeoutSec": TIMEOUT}


def register(settings: Mapping[str, object], command: Sequence[str], by_event: Commands = NO_COMMANDS) -> dict[str, object]:
    """Returns the file with the gate registered once for every event, and everything else unchanged."""
    clean = _remove_own_handlers(settings)
    hooks = clean.get("hooks")
    lists: dict[str, object] = dict(hooks) if isinstance(hooks, Mapping) else {}
    for (_, event), handler in build_additions(command, by_event):
        entries = lists.get(str(event))
        lists[str(event)] = [*entries, handler] if isinstance(entries, list) else [handler]
    return {"version": 1, **clean, "hooks": lists}


def _remove_own_handlers(settings: Mapping[str, object]) -> dict[str, object]:
    hooks = settings.get("hooks")
    if not isinstance(hooks, Mapping):
        return dict(settings)
    kept = {
        event: [each for each in handlers if not _is_own_handler(each)] if isinstance(handlers, list) else handlers
        for event, handlers in hooks.items()
    }
    return {**settings, "hooks": kept}


def find_own_entries(settings: object) -> tuple[Steps, ...]:
    return tuple(("hooks", event, place) for event, place, handler in _iter_handlers(settings) if _is_own_handler(handler))


def list_events(settings: object) -> frozenset[str]:
    """Returns the events for which the gate is registered with the right argument, in either dialect."""
    return frozenset(
        BORROWED_EVENTS.get(event, event)
        for event, handler in _iter_own_handlers(settings)
        if split_command(handler, "bash")[-1] == event
    )


def list_commands(settings: object) -> tuple[tuple[str, ...], ...]:
    return tuple(dict.fromkeys(split_command(handler, "bash")[:-2] for _, handler in _iter_own_handlers(settings)))


def find_faults(settings: object) -> tuple[str, ...]:
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


def find_dropped_hooks(_settings: object) -> tuple[str, ...]:
    return ()


def find_weaknesses(settings: object) -> tuple[str, ...]:
    """Returns what weakens the gate in a file that the client accepts."""
    found = []
    if isinstance(settings, Mapping) and settings.get("disableAllHooks") is True:
        found.append("`disableAllHooks` may switch every hook off")
    seen: set[str] = set()
    for event, handler in _iter_own_handlers(settings):
        where = f"hooks.{event}"
        if split_command(handler, "bash")[-1] != event:
            found.append(f"{where}: the gate is called for {split_command(handler, 'bash')[-1]}, another event")
        if event in seen:
            found.append(f"{where}: the gate is registered twice")
        seen.add(event)
        found += [f"{where}: {problem}" for problem in _iter_handler_weaknesses(handler)]
    return tuple(found)


def _iter_handler_weaknesses(handler: Mapping[str, object]) -> Iterator[str]:
    if handler.get("timeoutSec") != TIMEOUT:
        yield f"`timeoutSec` is not {TIMEOUT}: a hook that takes longer lets the call run, and the gate answers within 8"
    if handler.get("matcher") not in (None, "", "*"):
        yield "a `matcher` keeps tools from the gate"
    if handler.get("env"):
        yield "`env` changes what the gate goes by"
    for shell in SHELLS:
        if shell not in handler:
            yield f"no `{shell}`: nothing is called where that is the shell"


def _is_own_handler(handler: object) -> bool:
    return (
        isinstance(handler, Mapping)
        and handler.get("type", "command") == "command"
        and is_gate_command(split_command(handler, "bash"), NAME)
    )


def _iter_own_handlers(settings: object) -> Iterator[tuple[str, Mapping[str, object]]]:
    for event, _, handler in _iter_handlers(settings):
        if isinstance(handler, Mapping) and _is_own_handler(handler):
            yield event, handler


def _iter_handlers(settings: object) -> Iterator[tuple[str, int, object]]:
    hooks = settings.get("hooks") if isinstance(settings, Mapping) else None
    for event, handlers in hooks.items() if isinstance(hooks, Mapping) else ():
        for place, handler in enumerate(handlers if isinstance(handlers, list) else ()):
            yield event, place, handler
