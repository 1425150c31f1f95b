"""Finds the variables that a project, not the person who started the host, passes to the gate.

A host adds the `env` of a repository's settings to the environment of its hooks. A repository must not move the gate's
policy or state (law 9), so a call with such a variable is refused; variables about the caller are dropped.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from toolgate import designs
from toolgate.model.event import AGENT, PHASE, READS, ROLE, WRITES, Event
from toolgate.model.host import Host
from toolgate.model.request import Request

from . import files, processes

PLACE_VARIABLES = (
    *(
        "TOOLGATE_HOME",
        "TOOLGATE_STORE_URL",
        "HOME",
        "USERPROFILE",
        "CLAUDE_CONFIG_DIR",
        "CLAUDE_PROJECT_DIR",
        "COPILOT_HOME",
        "CODEX_HOME",
        "GEMINI_CLI_HOME",
        "QWEN_HOME",
        "KIMI_CODE_HOME",
        "CLINE_DIR",
        "CLINE_DATA_DIR",
    ),
    *("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"),
)
"""Variables that locate policy, state, socket and the hosts' settings."""
_LOADER_PREFIXES = ("LD_", "DYLD_")
CLAIM_VARIABLES = frozenset(
    (
        AGENT,
        ROLE,
        PHASE,
        WRITES,
        READS,
        "TOOLGATE_PROFILE",
        *designs.VARIABLES,
        "CLAUDE_PID",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_SESSION_ATTENDED",
    )
)
"""Who calls, in which mode, and whether a person is present: from a project, each of them could loosen the answer."""
_SHELL_NAMES = frozenset(("sh", "bash", "dash", "zsh", "env"))


class InjectedVariables(NamedTuple):
    """`refused`: for each variable that moves the gate, who sets it. `ignored`: the names that are dropped."""

    refused: Mapping[str, str]
    ignored: frozenset[str]


def find_injected(host: Host, environ: Mapping[str, str], folders: Iterable[str], pid: int) -> InjectedVariables:
    """Returns the variables that a project's settings added to the environment. `folders`: where the session may have started;
    `pid`: the hook's own process."""
    refused: dict[str, str] = {}
    ignored: set[str] = set()
    for path in dict.fromkeys(path for folder in folders for path in host.environment_files(folder)):
        for name, value in _variables_of_file(path).items():
            if environ.get(name) != value:
                continue
            if name in PLACE_VARIABLES or name.startswith(_LOADER_PREFIXES):
                refused[name] = path
            elif name in CLAIM_VARIABLES:
                ignored.add(name)
    if pid:
        started_with = tuple((name, environ.get(name, "")) for name in PLACE_VARIABLES)
        for name in _changed_by_host(processes.parent_of(pid), host.TRACES.programs, started_with):
            refused.setdefault(name, f"{host.NAME}, which was started without it")
    started_so = {
        name for name in refused if refused[name].startswith("/") and pid and _was_started_with(host, environ, name, pid)
    }
    return InjectedVariables({name: who for name, who in refused.items() if name not in started_so}, frozenset(ignored))


def drop_injected(event: Event, host: Host, request: Request) -> tuple[str, Event]:
    """Returns why the event is refused, or an empty text, and the event without claims of a project's settings."""
    found = find_injected(host, request.environ, (event.scene.project, event.scene.cwd, request.cwd), request.pid)
    return _refusal_reason(found.refused) if found.refused else "", _drop_variables(event, found.ignored)


def _refusal_reason(variables: Mapping[str, str]) -> str:
    named = ", ".join(f"{name} (set by {who})" for name, who in variables.items())
    return (
        f"toolgate refuses this call: the environment of its hook would move the gate's policy or state: {named}. Only whoever"
        " starts the host may set that: take it out of the project's settings, and start the host again."
    )


def _drop_variables(event: Event, names: frozenset[str]) -> Event:
    if not names:
        return event
    environ = {name: value for name, value in event.scene.environ.items() if name not in names}
    return event._replace(scene=event.scene._replace(environ=environ))


def _was_started_with(host: Host, environ: Mapping[str, str], name: str, pid: int) -> bool:
    """Returns whether the host itself was started with this value."""
    started = _environment_of_host(processes.parent_of(pid), host.TRACES.programs)
    return started is not None and started.get(name, "") == environ.get(name, "")


@lru_cache(64)
def _changed_by_host(parent: int, programs: tuple[str, ...], started_with: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    """Returns the variables that the host was started without, or with another value; none if that is unknown."""
    started = _environment_of_host(parent, programs)
    if started is None:
        return ()
    return tuple(name for name, value in started_with if name not in _SET_BY_HOSTS and value != started.get(name, ""))


_SET_BY_HOSTS = frozenset(("CLAUDE_PROJECT_DIR",))


def _environment_of_host(pid: int, programs: tuple[str, ...]) -> Mapping[str, str] | None:
    """Returns the environment that the host above a hook was started with; None if something else started the hook."""
    while pid > 1:
        names = set(processes.names_of(pid))
        if not names.isdisjoint(programs):
            return processes.environment_of(pid)
        if names.isdisjoint(_SHELL_NAMES):
            return None
        pid = processes.parent_of(pid)
    return None


def _variables_of_file(path: str) -> Mapping[str, str]:
    try:
        status = os.stat(path)
    except OSError:
        return {}
    return _read_variables(path, (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns))


@lru_cache(64)
def _read_variables(path: str, _file: tuple[int, ...]) -> Mapping[str, str]:
    """Returns the `env` of a settings file, or the variables of a `.env` file. `_file` names its version. A file that no host
    can read injects nothing."""
    try:
        text = (files.read_file(path) or b"{}").decode("utf-8-sig")
        if path.endswith(".env"):
            return dict(_iter_assignments(text))
        settings = json.loads(text)
    except (OSError, ValueError, RecursionError):
        return {}
    return dict(_iter_pairs(settings.get("env"))) if isinstance(settings, dict) else {}


_ASSIGNMENT = re.compile(
    r"""^\s*(?:export\s+)?([\w.-]+)(?:\s*=\s*?|:\s+?)(\s*'[^']*'|\s*"[^"]*"|\s*`[^`]*`|[^#\r\n]+)?""", re.MULTILINE
)
"""A line as the `dotenv` package reads it, without escapes inside quotes."""


def _iter_assignments(text: str) -> Iterator[tuple[str, str]]:
    for name, value in _ASSIGNMENT.findall(text):
        bare = value.strip()
        yield name, bare[1:-1] if len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "'\"`" else bare


def _iter_pairs(variables: object) -> Iterator[tuple[str, str]]:
    for name, value in variables.items() if isinstance(variables, dict) else ():
        if isinstance(value, str | int | float):
            yield str(name), str(value)
