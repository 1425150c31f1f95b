"""Starts a host's client with the gate locked on: its settings go into `--settings`, which nothing in a project or in the user's
own settings overrides, and replace a flag that switches every permission off.

The client is started only when the wiring is verified. There is no fallback.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolgate.hosts import host as host_of
from toolgate.hosts import settings as settings_of
from toolgate.hosts.claude_code import settings as wiring
from toolgate.hosts.claude_code.launch import BYPASS_MODE, SWITCHED_ON, VARIABLE_OFF, argv, read
from toolgate.install import Change, Plan, in_words, must_start, own_command
from toolgate.install.wiring import Problem, switched_off, version_problems
from toolgate.machine import files
from toolgate.machine.environment import folders
from toolgate.model.errors import SettingsError

HOST = "claude-code"


@dataclass(frozen=True, slots=True)
class Launch:
    """The command to start: `argv`, which names the `file` that `plan` writes."""

    argv: tuple[str, ...]
    file: str
    plan: Plan
    notes: tuple[str, ...]


def settings_for(given: Mapping[str, Any], command: Sequence[str]) -> dict[str, Any]:
    """Returns the settings to pass: the given ones, the gate for every event, and hooks that lower settings cannot switch off."""
    return {**wiring.register(given, command), **SWITCHED_ON}


def file(home: str, environ: Mapping[str, str]) -> str:
    """Returns the file that `install --scope launcher` writes, and that a launch without settings of its own passes."""
    return f"{folders(environ, home).config}/launcher/{HOST}.json"


def plan_settings(home: str, environ: Mapping[str, str]) -> Plan:
    """Plans the launcher's file. Only the gate uses it, and its contents are replaced."""
    must_start(file(home, environ), own_command())
    return _plan(file(home, environ), {})


def prepared(command: Sequence[str], home: str, project: str, environ: Mapping[str, str], *, strict: bool) -> Launch:
    """Returns the launch, verified except for files not yet written. Raises SettingsError: then nothing may be started.

    `strict`: refuses weaknesses as well, such as a client that runs calls when the gate fails."""
    words = read(command)
    program = shutil.which(words.program, path=environ.get("PATH", os.defpath))
    if program is None or os.path.basename(words.program) not in host_of(HOST).TRACES.programs:
        raise SettingsError(words.program, "it is no client that toolgate can start", "toolgate run -- claude ...")
    if environ.get(VARIABLE_OFF, "") not in ("", "0"):
        raise SettingsError(VARIABLE_OFF, "where it is set the client calls no hook", "unset it")
    must_start("toolgate run", own_command())
    given = _given(words.settings)
    path = file(home, environ) if not words.settings else _named(given, home, environ)
    problems = [each for each in switched_off(HOST, home, project, environ) if _overrides(each, home, project, environ)]
    weak = [*version_problems(settings_of(HOST), program, environ)]
    if problems or (strict and weak):
        first = (problems or weak)[0]
        raise SettingsError(first.where, first.what, first.remedy)
    notes = [f"{each.where}: {each.what}; {each.remedy}" for each in weak]
    notes += [f"{each} is left out: the settings say what may run" for each in words.left_out]
    return Launch(argv(os.path.abspath(program), path, words), path, _plan(path, given), tuple(notes))


def verified(launch: Launch) -> None:
    """Checks that the client will read what was written, and accept it. Raises SettingsError."""
    path = launch.file
    held = files.read(path)
    settings: object = json.loads(held) if held else None
    missing = [event for event in host_of(HOST).EVENTS if event not in wiring.events(settings)]
    wrong = [*wiring.faults(settings), *wiring.weaknesses(settings), *(f"it lacks {event}" for event in missing)]
    if any(change.after != held for change in launch.plan.changes) or wrong:
        what = wrong[0] if wrong else "it does not hold what was just written"
        raise SettingsError(path, what, "nothing was started; toolgate doctor says more")


def sdk_options(home: str, environ: Mapping[str, str], settings: str = "", permission_mode: str = "default") -> dict[str, str]:
    """Returns keywords for the options of an SDK that starts the client. The file is written and verified.

    Raises SettingsError, also for the permission mode that asks nothing."""
    if permission_mode == BYPASS_MODE:
        raise SettingsError("permission_mode", "it switches every permission off", "leave it out: the settings say what may run")
    must_start("toolgate", own_command())
    given = _given(settings)
    path = _named(given, home, environ) if settings else file(home, environ)
    write(Launch((), path, _plan(path, given), ()))
    return {"settings": path, "permission_mode": permission_mode}


def write(launch: Launch) -> None:
    """Writes the settings for the client, and verifies them."""
    for change in launch.plan.changes:
        with in_words(), files.locked(os.path.dirname(change.path)):
            files.write(change.path, change.after or b"", 0o600)
    verified(launch)


def _plan(path: str, given: Mapping[str, Any]) -> Plan:
    with in_words():
        before, after = files.read(path), _text(given)
    return Plan(HOST, () if before == after else (Change(path, before, after),))


def _text(given: Mapping[str, Any]) -> bytes:
    return (json.dumps(settings_for(given, own_command()), indent=2) + "\n").encode()


def _named(given: Mapping[str, Any], home: str, environ: Mapping[str, str]) -> str:
    """Returns one file for each content: parallel launches do not overwrite each other's."""
    return f"{folders(environ, home).config}/launcher/{hashlib.sha256(_text(given)).hexdigest()[:16]}.json"


def _given(settings: str) -> Mapping[str, Any]:
    """Returns the settings that `--settings` names: a file, or the JSON itself. Raises SettingsError."""
    if not settings:
        return {}
    inline = settings.lstrip().startswith("{")
    try:
        content = settings.encode() if inline else files.read(settings)
        value = None if content is None else json.loads(content)
    except (OSError, ValueError) as problem:
        raise SettingsError("--settings" if inline else settings, f"it cannot be read ({problem})", "mend it") from None
    if value is None:
        raise SettingsError(settings, "there is no such file", "toolgate settings init writes one")
    faults = wiring.faults(value)
    if faults or not isinstance(value, dict):
        raise SettingsError(settings, f"{faults[0]}, for which the client drops the whole file", "mend that first")
    return value


def _overrides(problem: Problem, home: str, project: str, environ: Mapping[str, str]) -> bool:
    """Returns whether the problem affects `--settings`, too: lower settings are overridden; managed settings are not."""
    return problem.where not in {wiring.file(scope, home, project, environ) for scope in ("user", "project", "local")}
