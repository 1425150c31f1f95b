"""Registers the gate with Codex: its own entries in `hooks.json`, which its user has to trust (`trust.py`)."""

import shlex
from collections.abc import Iterator, Mapping, Sequence

from toolgate.hosts import hook_groups
from toolgate.model.host import NO_COMMANDS, Commands, Steps

from .entries import is_own_handler, split_command
from .places import own_folder
from .trust import add_trust, read_trusted_events, remove_trust, trust_file
from .wire import EVENTS, NAME

__all__ = [
    "BLANK",
    "OLDEST",
    "PROGRAM",
    "SCOPES",
    "TRUST",
    "add_trust",
    "build_additions",
    "find_dropped_hooks",
    "find_faults",
    "find_own_entries",
    "find_weaknesses",
    "list_commands",
    "list_events",
    "locate_settings",
    "permission_additions",
    "read_trusted_events",
    "register",
    "remove_trust",
    "trust_file",
]

SCOPES = ("user", "project")
PROGRAM = "codex"
OLDEST = (0, 169)
"""The measured release line; no version refuses by itself when a hook fails."""
TIMEOUT = 10
BLANK = "{}\n"
TRUST = "Codex runs a hook only once you trust it: start codex and look them through with /hooks"


def locate_settings(scope: str, home: str, project: str, environ: Mapping[str, str]) -> str:
    """Returns the file of hooks of a scope. Raises KeyError for an unknown scope."""
    return {
        "user": f"{own_folder(home, environ)}/hooks.json",
        "project": f"{project.rstrip('/')}/.codex/hooks.json",
    }[scope]


def build_additions(command: Sequence[str], by_event: Commands = NO_COMMANDS) -> tuple[tuple[Steps, object], ...]:
    """Returns the entries that register the gate, without matcher: the gate sees every call and decides itself."""
    return tuple((("hooks", event), {"hooks": [_build_handler(by_event.get(event, command), event)]}) for event in EVENTS)


def permission_additions() -> tuple[tuple[Steps, object], ...]:
    """Returns nothing: the host has no rules for calls that reach no hook."""
    return ()


def _build_handler(command: Sequence[str], event: str) -> dict[str, object]:
    return {"type": "command", "command": shlex.join((*command, NAME, event)), "timeout": TIMEOUT}


def register(settings: Mapping[str, object], command: Sequence[str], by_event: Commands = NO_COMMANDS) -> dict[str, object]:
    """Returns the file with the gate registered once for every event, and everything else unchanged."""
    return hook_groups.append_groups(
        hook_groups.remove_own_handlers(settings, is_own_handler), build_additions(command, by_event)
    )


def find_own_entries(settings: object) -> tuple[Steps, ...]:
    return tuple(hook_groups.iter_own_entries(settings, is_own_handler))


def list_events(settings: object) -> frozenset[str]:
    """Returns the events for which the gate is registered with the right argument."""
    return frozenset(
        event
        for event, _, handler in hook_groups.iter_own_handlers(settings, is_own_handler)
        if split_command(handler)[-1] == event
    )


def list_commands(settings: object) -> tuple[tuple[str, ...], ...]:
    return tuple(
        dict.fromkeys(split_command(handler)[:-2] for _, _, handler in hook_groups.iter_own_handlers(settings, is_own_handler))
    )


def find_faults(settings: object) -> tuple[str, ...]:
    """Returns why the client would not accept the file at all."""
    if not isinstance(settings, Mapping):
        return ("it is no JSON object",)
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, Mapping):
        return ("`hooks` is no object",)
    return tuple(f"`hooks.{event}` is no list" for event, every in hooks.items() if not isinstance(every, list))


def find_dropped_hooks(_settings: object) -> tuple[str, ...]:
    return ()


def find_weaknesses(settings: object) -> tuple[str, ...]:
    """Returns what weakens the gate in a file that the client accepts."""
    found = []
    seen: set[str] = set()
    for event, group, handler in hook_groups.iter_own_handlers(settings, is_own_handler):
        where = f"hooks.{event}"
        if split_command(handler)[-1] != event:
            found.append(f"{where}: the gate is called for {split_command(handler)[-1]}, another event")
        if event in seen:
            found.append(f"{where}: the gate is registered twice")
        seen.add(event)
        if group.get("matcher") not in (None, "", "*"):
            found.append(f"{where}: a `matcher` keeps tools from the gate")
        found += [f"{where}: {problem}" for problem in _iter_handler_weaknesses(handler)]
    return tuple(found)


def _iter_handler_weaknesses(handler: Mapping[str, object]) -> Iterator[str]:
    if handler.get("timeout") != TIMEOUT:
        yield f"`timeout` is not {TIMEOUT} (seconds): a hook that takes longer lets the call run, and the gate answers within 8"
    if handler.get("async"):
        yield "`async`: the client does not wait for the answer"
