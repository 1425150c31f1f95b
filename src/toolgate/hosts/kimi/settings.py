"""Registers the gate with Kimi Code: `[[hooks]]` tables in `config.toml`.

The client drops every hook where one has a key or an event that it does not know.
"""

import json
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence

from toolgate.hosts.formats.commands import is_gate_command, split_command

from .places import own_folder
from .wire import EVENTS, NAME

SCOPES = ("user",)
PROGRAM = "kimi"
OLDEST = (2, 1)
"""The measured release line; no version refuses by itself when a hook fails."""
TIMEOUT = 10
KNOWN_KEYS = frozenset(("event", "matcher", "command", "timeout"))
KNOWN_EVENTS = frozenset(
    (
        "PreToolUse PostToolUse PostToolUseFailure PermissionRequest PermissionResult UserPromptSubmit UserPromptQueued "
        "TurnStarted Stop StopFailure Interrupt SessionStart SessionEnd SessionHeartbeat SubagentStart SubagentStop TaskStarted "
        "PreCompact PostCompact Notification"
    ).split()
)
_HEADER = "[[hooks]]"
_ENTRY_LINE = re.compile(r"\s*(?:event|matcher|command|timeout)\s*=")


def locate_settings(scope: str, home: str, _project: str, environ: Mapping[str, str]) -> str:
    """Returns the configuration of a scope. Raises KeyError for an unknown scope."""
    return {"user": f"{own_folder(home, environ)}/config.toml"}[scope]


def parse(text: str) -> Mapping[str, object]:
    """Returns the settings. Raises ValueError for text that is not TOML."""
    return tomllib.loads(text)


def add_entries(text: str, command: Sequence[str]) -> str:
    """Returns the configuration with the gate registered once for every event. Raises ValueError where that is not possible."""
    kept = remove_entries(text)
    gap = "" if not kept or kept.endswith("\n\n") else "\n" if kept.endswith("\n") else "\n\n"
    result = kept + gap + "\n".join(_render_entry(command, event) for event in EVENTS)
    _require_same_rest(text, result)
    return result


def remove_entries(text: str) -> str:
    """Returns the configuration without the gate's entries; every other byte stays. Raises ValueError."""
    kept: list[str] = []
    lines = text.splitlines(keepends=True)
    place = 0
    while place < len(lines):
        end = place + 1
        if lines[place].strip() == _HEADER:
            while end < len(lines) and _ENTRY_LINE.match(lines[end]):
                end += 1
            if _is_own("".join(lines[place + 1 : end])):
                place = end
                if kept and kept[-1].strip() == "":
                    kept.pop()  # the blank line before it
                continue
        kept += lines[place:end]
        place = end
    result = "".join(kept)
    _require_same_rest(text, result)
    return result


def _render_entry(command: Sequence[str], event: str) -> str:
    line = json.dumps(shlex.join((*command, NAME, event)), ensure_ascii=False)
    return f'{_HEADER}\nevent = "{event}"\nmatcher = ""\ncommand = {line}\ntimeout = {TIMEOUT}\n'


def _is_own(entry: str) -> bool:
    try:
        return _is_own_hook(tomllib.loads(entry))
    except ValueError:
        return False


def _is_own_hook(hook: Mapping[str, object]) -> bool:
    return is_gate_command(split_command(hook), NAME)


def _require_same_rest(before: str, after: str) -> None:
    """Raises ValueError where anything but the gate's entries differs."""
    if _drop_own(tomllib.loads(before)) != _drop_own(tomllib.loads(after)):
        raise ValueError("its hooks cannot be told apart")


def _drop_own(settings: dict[str, object]) -> dict[str, object]:
    others = [hook for hook in _iter_hooks(settings) if not _is_own_hook(hook)]
    return {**{key: value for key, value in settings.items() if key != "hooks"}, "hooks": others}


def _iter_hooks(settings: object) -> Iterator[Mapping[str, object]]:
    hooks = settings.get("hooks") if isinstance(settings, Mapping) else None
    yield from (hook for hook in (hooks if isinstance(hooks, list) else ()) if isinstance(hook, Mapping))


def _iter_own(settings: object) -> Iterator[tuple[Mapping[str, object], tuple[str, ...]]]:
    """Yields the gate's entries, and their command lines."""
    yield from ((hook, split_command(hook)) for hook in _iter_hooks(settings) if _is_own_hook(hook))


def list_events(settings: object) -> frozenset[str]:
    """Returns the events for which the gate is registered with the right argument."""
    return frozenset(words[-1] for hook, words in _iter_own(settings) if hook.get("event") == words[-1])


def list_commands(settings: object) -> tuple[tuple[str, ...], ...]:
    return tuple(dict.fromkeys(words[:-2] for _, words in _iter_own(settings)))


def find_faults(settings: object) -> tuple[str, ...]:
    """Returns why the client would drop every hook."""
    hooks = settings.get("hooks", []) if isinstance(settings, Mapping) else []
    if not isinstance(hooks, list):
        return ("`hooks` is no list of tables",)
    found = []
    for number, hook in enumerate(hooks):
        unknown = sorted(set(hook) - KNOWN_KEYS) if isinstance(hook, Mapping) else ["a value that is no table"]
        found += [f"`hooks[{number}]` has the unknown key {key}" for key in unknown]
        if isinstance(hook, Mapping) and hook.get("event") not in KNOWN_EVENTS:
            found.append(f"`hooks[{number}]` is for the unknown event {hook.get('event')}")
    return tuple(found)


def find_dropped_hooks(_settings: object) -> tuple[str, ...]:
    return ()


def find_weaknesses(settings: object) -> tuple[str, ...]:
    """Returns what weakens the gate in a configuration that the client accepts."""
    found = []
    seen: set[object] = set()
    for hook, words in _iter_own(settings):
        event = hook.get("event")
        where = f"hooks.{event}"
        if event != words[-1]:
            found.append(f"{where}: the gate is called for {words[-1]}, another event")
        if event in seen:
            found.append(f"{where}: the gate is registered twice")
        seen.add(event)
        if hook.get("matcher") not in (None, ""):
            found.append(f"{where}: a `matcher` keeps tools from the gate")
        if hook.get("timeout") != TIMEOUT:
            found.append(f"{where}: `timeout` is not {TIMEOUT} (seconds): a hook that takes longer lets the call run")
    return tuple(found)
