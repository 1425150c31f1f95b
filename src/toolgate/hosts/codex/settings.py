"""How the gate is registered with Codex: its own entries in `hooks.json`, which its user has to trust (`trust.py`)."""

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
"""The line that was measured; no version refuses by itself when a hook fails."""
TIMEOUT = 10
BLANK = "{}\n"
TRUST = "Codex runs a hook only once you trust it: start codex and look them through with /hooks"


def file(scope: str, home: str, project: str, environ: Mapping[str, str]) -> str:
    """The file of hooks of a scope. Raises KeyError for a scope that there is not."""
    return {
        "user": f"{own_folder(home, environ)}/hooks.json",
        "project": f"{project.rstrip('/')}/.codex/hooks.json",
    }[scope]


def additions(command: Sequence[str], by_event: Commands = OF_NONE) -> tuple[tuple[Steps, object], ...]:
    """No matcher: the gate sees every call and decides by itself."""
    return tuple((("hooks", event), {"hooks": [_handler(by_event.get(event, command), event)]}) for event in EVENTS)


def withheld() -> tuple[tuple[Steps, object], ...]:
    """Nothing: it has no rules for what no hook is asked about."""
    return ()


def _handler(command: Sequence[str], event: str) -> dict[str, object]:
    return {"type": "command", "command": shlex.join((*command, NAME, event)), "timeout": TIMEOUT}


def register(settings: Mapping[str, object], command: Sequence[str], by_event: Commands = OF_NONE) -> dict[str, object]:
    """The file with the gate registered once for every event, and everything else as it was."""
    return groups.appended(groups.without(settings, is_ours), additions(command, by_event))


def ours(settings: object) -> tuple[Steps, ...]:
    return tuple(groups.places(settings, is_ours))


def events(settings: object) -> frozenset[str]:
    """The events that the gate is registered for, under the right name."""
    return frozenset(event for event, _, handler in groups.registered(settings, is_ours) if words(handler)[-1] == event)


def commands(settings: object) -> tuple[tuple[str, ...], ...]:
    return tuple(dict.fromkeys(words(handler)[:-2] for _, _, handler in groups.registered(settings, is_ours)))


def faults(settings: object) -> tuple[str, ...]:
    """Why it would not take the file at all."""
    if not isinstance(settings, Mapping):
        return ("it is no JSON object",)
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, Mapping):
        return ("`hooks` is no object",)
    return tuple(f"`hooks.{event}` is no list" for event, every in hooks.items() if not isinstance(every, list))


def dropped(_settings: object) -> tuple[str, ...]:
    return ()


def weaknesses(settings: object) -> tuple[str, ...]:
    """What opens the gate in a file that it takes."""
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
