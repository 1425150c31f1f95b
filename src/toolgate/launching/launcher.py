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

from toolgate.hosts import load_host as host_of
from toolgate.hosts import load_settings as settings_of
from toolgate.hosts.claude_code import settings as wiring
from toolgate.hosts.claude_code.launch import BYPASS_MODE, HOOKLESS_VARIABLE, HOOKS_ON, build_argv, parse_command
from toolgate.install import Change, Plan, own_command, report_os_errors, require_startable
from toolgate.install.wiring import Problem, check_version, find_disabled_hooks
from toolgate.machine import files
from toolgate.machine.environment import find_folders
from toolgate.model.errors import SettingsError

HOST = "claude-code"


@dataclass(frozen=True, slots=True)
class Launch:
    """The command to start: `argv`, which names the `file` that `plan` writes."""

    argv: tuple[str, ...]
    file: str
    plan: Plan
    notes: tuple[str, ...]


def build_settings(payload: Mapping[str, Any], command: Sequence[str]) -> dict[str, Any]:
    """Returns the settings to pass: the given ones, the gate for every event, and hooks that lower settings cannot switch off."""
    return {**wiring.register(payload, command), **HOOKS_ON}


def launcher_settings_path(home: str, environ: Mapping[str, str]) -> str:
    """Returns the file that `install --scope launcher` writes, and that a launch without settings of its own passes."""
    return f"{find_folders(environ, home).config}/launcher/{HOST}.json"


def plan_settings(home: str, environ: Mapping[str, str]) -> Plan:
    """Plans the launcher's file. Only the gate uses it, and its contents are replaced."""
    require_startable(launcher_settings_path(home, environ), own_command())
    return _plan_file(launcher_settings_path(home, environ), {})


def prepare_launch(command: Sequence[str], home: str, project: str, environ: Mapping[str, str], *, strict: bool) -> Launch:
    """Returns the launch, verified except for files not yet written. Raises SettingsError: then nothing may be started.

    `strict`: refuses weaknesses as well, such as a client that runs calls when the gate fails."""
    words = parse_command(command)
    program = shutil.which(words.program, path=environ.get("PATH", os.defpath))
    if program is None or os.path.basename(words.program) not in host_of(HOST).TRACES.programs:
        raise SettingsError(
            words.program,
            "it is not installed, or not a client that toolgate can start",
            "install it, or name another: toolgate run -- claude ...",
        )
    if environ.get(HOOKLESS_VARIABLE, "") not in ("", "0"):
        raise SettingsError(HOOKLESS_VARIABLE, "where it is set the client calls no hook", "unset it")
    require_startable("toolgate run", own_command())
    settings = _read_given_settings(words.settings)
    path = launcher_settings_path(home, environ) if not words.settings else _content_path(settings, home, environ)
    problems = [
        each
        for each in find_disabled_hooks(HOST, home, project, environ)
        if _is_effective_at_launch(each, home, project, environ)
    ]
    weak = [*check_version(settings_of(HOST), program, environ)]
    if problems or (strict and weak):
        first = (problems or weak)[0]
        raise SettingsError(first.where, first.what, first.remedy)
    notes = [f"{each.where}: {each.what}; {each.remedy}" for each in weak]
    notes += [f"{each} is left out: the settings say what may run" for each in words.left_out]
    return Launch(build_argv(os.path.abspath(program), path, words), path, _plan_file(path, settings), tuple(notes))


def verify_launch(launch: Launch) -> None:
    """Checks that the client will read what was written, and accept it. Raises SettingsError."""
    path = launch.file
    held = files.read_file(path)
    settings: object = json.loads(held) if held else None
    missing = [event for event in host_of(HOST).EVENTS if event not in wiring.list_events(settings)]
    wrong = [*wiring.find_faults(settings), *wiring.find_weaknesses(settings), *(f"it lacks {event}" for event in missing)]
    if any(change.after != held for change in launch.plan.changes) or wrong:
        what = wrong[0] if wrong else "it does not hold what was just written"
        raise SettingsError(path, what, "nothing was started; toolgate doctor says more")


def sdk_options(home: str, environ: Mapping[str, str], settings: str = "", permission_mode: str = "default") -> dict[str, str]:
    """Returns keywords for the options of an SDK that starts the client. The file is written and verified.

    Raises SettingsError, also for the permission mode that asks nothing."""
    if permission_mode == BYPASS_MODE:
        raise SettingsError("permission_mode", "it switches every permission off", "leave it out: the settings say what may run")
    require_startable("toolgate", own_command())
    given_settings = _read_given_settings(settings)
    path = _content_path(given_settings, home, environ) if settings else launcher_settings_path(home, environ)
    write_settings(Launch((), path, _plan_file(path, given_settings), ()))
    return {"settings": path, "permission_mode": permission_mode}


def write_settings(launch: Launch) -> None:
    """Writes the settings for the client, and verifies them."""
    for change in launch.plan.changes:
        with report_os_errors(), files.lock_folder(os.path.dirname(change.path)):
            files.write_file(change.path, change.after or b"", 0o600)
    verify_launch(launch)


def _plan_file(path: str, payload: Mapping[str, Any]) -> Plan:
    with report_os_errors():
        before, after = files.read_file(path), _render_text(payload)
    return Plan(HOST, () if before == after else (Change(path, before, after),))


def _render_text(payload: Mapping[str, Any]) -> bytes:
    return (json.dumps(build_settings(payload, own_command()), indent=2) + "\n").encode()


def _content_path(payload: Mapping[str, Any], home: str, environ: Mapping[str, str]) -> str:
    """Returns one file for each content: parallel launches do not overwrite each other's."""
    return f"{find_folders(environ, home).config}/launcher/{hashlib.sha256(_render_text(payload)).hexdigest()[:16]}.json"


def _read_given_settings(settings: str) -> Mapping[str, Any]:
    """Returns the settings that `--settings` names: a file, or the JSON itself. Raises SettingsError."""
    if not settings:
        return {}
    inline = settings.lstrip().startswith("{")
    try:
        content = settings.encode() if inline else files.read_file(settings)
        value = None if content is None else json.loads(content)
    except (OSError, ValueError) as problem:
        raise SettingsError("--settings" if inline else settings, f"it cannot be read ({problem})", "fix its syntax") from None
    if value is None:
        raise SettingsError(settings, "there is no such file", "toolgate settings init writes one")
    faults = wiring.find_faults(value)
    if faults or not isinstance(value, dict):
        raise SettingsError(settings, f"{faults[0]}, for which the client drops the whole file", "fix that first")
    return value


def _is_effective_at_launch(problem: Problem, home: str, project: str, environ: Mapping[str, str]) -> bool:
    """Returns whether the problem affects `--settings`, too: lower settings are overridden; managed settings are not."""
    return problem.where not in {wiring.locate_settings(scope, home, project, environ) for scope in ("user", "project", "local")}
