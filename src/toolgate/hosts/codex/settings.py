"""Registers the gate with Codex: its own entries in `hooks.json`, which its user has to trust (`trust.py`)."""

import shlex
from collections.abc import Iterator, Mapping, Sequence

from toolgate.hosts import groups
from toolgate.model.host import OF_NONE, Commands, Steps

from .entries import is_ours, words
from .places import own_folder
from .trust import trust_file, trusted, trusts, without_trust
from .wire import EVENTS, NAME

__all__ = [
    "BLANK",
    "OLDEST",
    "PROGRAM",
    "SCOPES",
    "TRUST",
    "additions",
    "commands",
    "dropped",
    "events",
    "faults",
    "file",
    "ours",
    "register",
    "trust_file",
    "trusted",
    "trusts",
    "weaknesses",
    "withheld",
    "without_trust",
]

SCOPES = ("user", "project")
PROGRAM = "codex"
OLDEST = (0, 169)
"""The measured release line; no version refuses by itself when a hook fails."""
TIMEOUT = 10
BLANK = "{}\n"
TRUST = "Codex runs a hook only once you trust it: start codex and look them through with /hooks"


def file(scope: str, home: str, project: str, environ: Mapping[str, str]) -> str:
    """Returns the file of hooks of a scope. Raises KeyError for an unknown scope."""
    return {
        "user": f"{own_folder(home, environ)}/hooks.json",
        "project": f"{project.rstrip('/')}/.codex/hooks.json",
    }[scope]


def additions(command: Sequence[str], by_event: Commands = OF_NONE) -> tuple[tuple[Steps, object], ...]:
    """Returns the entries that register the gate, without matcher: the gate sees every call and decides itself."""
    return tuple((("hooks", event), {"hooks": [_handler(by_event.get(event, command), event)]}) for event in EVENTS)


def withheld() -> tuple[tuple[Steps, object], ...]:
    """Returns nothing: the host has no rules for calls that reach no hook."""
    return ()


def _handler(command: Sequence[str], event: str) -> dict[str, object]:
    return {"type": "command", "command": shlex.join((*command, NAME, event)), "timeout": TIMEOUT}


def register(settings: Mapping[str, object], command: Sequence[str], by_event: Commands = OF_NONE) -> dict[str, object]:
    """Returns the file with the gate registered once for every event, and everything else unchanged."""
    return groups.appended(groups.without(settings, is_ours), additions(command, by_event))


def ours(settings: object) -> tuple[Steps, ...]:
    return tuple(groups.places(settings, is_ours))


def events(settings: object) -> frozenset[str]:
    """Returns the events for which the gate is registered with the right argument."""
    return frozenset(event for event, _, handler in groups.registered(settings, is_ours) if words(handler)[-1] == event)


def commands(settings: object) -> tuple[tuple[str, ...], ...]:
    return tuple(dict.fromkeys(words(handler)[:-2] for _, _, handler in groups.registered(settings, is_ours)))


def faults(settings: object) -> tuple[str, ...]:
    """Returns why the client would not accept the file at all."""
    if not isinstance(settings, Mapping):
        return ("it is no JSON object",)
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, Mapping):
        return ("`hooks` is no object",)
    return tuple(f"`hooks.{event}` is no list" for event, every in hooks.items() if not isinstance(every, list))


def dropped(_settings: object) -> tuple[str, ...]:
    return ()


def weaknesses(settings: object) -> tuple[str, ...]:
    """Returns what weakens the gate in a file that the client accepts."""
    found = []
    seen: set[str] = set()
    for event, group, handler in groups.registered(settings, is_ours):
        where = f"hooks.{event}"
        if words(handler)[-1] != event:
            found.append(f"{where}: the gate is called for {words(handler)[-1]}, another event")
        if event in seen:
            found.append(f"{where}: the gate is registered twice")
        seen.add(event)
        if group.get("matcher") not in (None, "", "*"):
            found.append(f"{where}: a `matcher` keeps tools from the gate")
        found += [f"{where}: {problem}" for problem in _handler_weaknesses(handler)]
    return tuple(found)


def _handler_weaknesses(handler: Mapping[str, object]) -> Iterator[str]:
    if handler.get("timeout") != TIMEOUT:
        yield f"`timeout` is not {TIMEOUT} (seconds): a hook that takes longer lets the call run, and the gate answers within 8"
    if handler.get("async"):
        yield "`async`: the client does not wait for the answer"
