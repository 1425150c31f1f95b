"""Checks in the settings files, read as the host reads them, whether the gate is between the agent and its tools."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from toolgate.hosts import load_host as host_named
from toolgate.hosts import load_settings as settings_of
from toolgate.machine import files
from toolgate.model.host import HostSettings, NeedsTrust, OwnFile, Registration, TextSettings

from .json_text import NotJson, parse
from .trust import find_untrusted_events

MAX_HAND_WRITTEN = 100_000
"""Characters."""


@dataclass(frozen=True, slots=True)
class Problem:
    """`where` is a file or a program."""

    where: str
    what: str
    remedy: str


def check_wiring(host: str, home: str, project: str, environ: Mapping[str, str], *, ask_version: bool = True) -> list[Problem]:
    """Returns everything that keeps a call from the gate, or the gate from refusing. Empty: it is in place.

    `ask_version` starts the host's program once, which takes a moment; everything else only reads files."""
    wiring = settings_of(host)
    scopes = {wiring.locate_settings(scope, home, project, environ): scope for scope in wiring.SCOPES}
    problems: list[Problem] = []
    events: frozenset[str] = frozenset()
    for path in iter_settings_files(host, home, project, environ):
        settings = _read_settings(wiring, path, problems)
        if settings is None:
            continue
        again = f"toolgate install {host} --scope {scopes.get(path, 'user')}"
        faults = wiring.find_faults(settings)
        problems += [Problem(path, f"{fault}: the host drops the whole file", "fix it in an editor") for fault in faults]
        for each in wiring.find_weaknesses(settings):
            problems.append(Problem(path, each, again if each.startswith("hooks.") else "take it out of the file"))
        problems += _iter_stale_commands(wiring, path, settings, again)
        if not faults:
            events |= wiring.list_events(settings)
            if isinstance(wiring, NeedsTrust) and (skipped := find_untrusted_events(wiring, path, settings, home, environ)):
                problem = f"the host skips what its user does not trust: {', '.join(sorted(skipped))}"
                problems.append(Problem(path, problem, wiring.TRUST))
    missing = [event for event in host_named(host).EVENTS if event not in events]
    if missing:
        what = f"not registered for {', '.join(missing)}" if events else "not registered in any settings file"
        problems.append(Problem(host, what, f"toolgate install {host}"))
    return [*problems, *_iter_version_problems(wiring, environ)] if ask_version else problems


def find_disabled_hooks(host: str, home: str, project: str, environ: Mapping[str, str]) -> list[Problem]:
    """Returns what keeps every hook from being called, in any of the files that the host reads."""
    found: list[Problem] = []
    wiring = settings_of(host)
    for path in iter_settings_files(host, home, project, environ):
        settings = _read_settings(wiring, path, [])
        if settings is None or wiring.find_faults(settings):
            continue
        found += [
            Problem(path, each, "take it out of the file")
            for each in wiring.find_weaknesses(settings)
            if not each.startswith("hooks.")
        ]
    return found


def iter_settings_files(host: str, home: str, project: str, environ: Mapping[str, str]) -> Iterator[str]:
    """Yields the files that may register the gate, or switch it off."""
    module, wiring = host_named(host), settings_of(host)
    if isinstance(wiring, OwnFile | TextSettings):
        yield from (wiring.locate_settings(scope, home, project, environ) for scope in wiring.SCOPES)
        return
    scripts = module.hook_folders(home, project, environ)
    for path in module.settings_files(home, project, environ):
        if path.endswith(".json"):
            yield path
        elif path.endswith("/") and path not in scripts and os.path.isdir(path):
            yield from (path + name for name in sorted(os.listdir(path)) if name.endswith(".json"))


def find_registered_commands(wiring: HostSettings | OwnFile | TextSettings, text: str) -> tuple[tuple[str, ...], ...]:
    """Returns the gate's command lines in the text of a settings file. Raises ValueError where it is not in the host's format."""
    return wiring.list_commands(wiring.parse(text) if isinstance(wiring, OwnFile | TextSettings) else json.loads(text))


def _read_settings(wiring: HostSettings | OwnFile | TextSettings, path: str, problems: list[Problem]) -> object:
    """Returns the settings as the host would read them; None, and perhaps a problem, where there are none."""
    try:
        content = files.read_file(path)
        if content is not None and isinstance(wiring, OwnFile | TextSettings):
            return wiring.parse(content.decode("utf-8-sig"))
        return None if content is None else _parse_json(content.decode("utf-8-sig"))
    except NotJson as fault:
        problems.append(Problem(f"{path}:{fault.line}", f"{fault.problem}: the host drops the whole file", "fix it in an editor"))
    except UnicodeDecodeError:
        problems.append(Problem(path, "it is not UTF-8: the host may drop the whole file", "save it as UTF-8"))
    except ValueError as error:
        problems.append(Problem(path, f"{error}: the host drops the whole file", "fix it in an editor"))
    except OSError as error:
        problems.append(Problem(path, f"it cannot be read ({error.strerror or error})", "give its reader the right to"))
    return None


def _parse_json(text: str) -> object:
    """Parses JSON in hooks, on files that a stranger may have made large: the strict parser only locates errors, in files short
    enough to be written by hand."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        if len(text) < MAX_HAND_WRITTEN:
            parse(text)
        raise NotJson(f"it is no JSON ({error})", 1) from None


def _iter_stale_commands(wiring: Registration, path: str, settings: object, remedy: str) -> Iterator[Problem]:
    for command in wiring.list_commands(settings):
        if not os.path.isabs(command[0]):
            yield Problem(path, f"the hook command {command[0]} has no absolute path", remedy)
        for word in command:
            if os.path.isabs(word) and not os.path.exists(word):
                yield Problem(path, f"the hook command names {word}, which is not there", remedy)
        if os.path.isabs(command[0]) and os.path.exists(command[0]) and not os.access(command[0], os.X_OK):
            yield Problem(path, f"the hook command {command[0]} is not executable", remedy)


def find_version_problems(host: str, environ: Mapping[str, str]) -> Iterator[Problem]:
    """Checks the version of the host's client, if it is on this machine: it is started once."""
    return _iter_version_problems(settings_of(host), environ)


def _iter_version_problems(wiring: Registration, environ: Mapping[str, str]) -> Iterator[Problem]:
    """Checks the version that the host reports. Where its program is not found, there is nothing to check."""
    program = shutil.which(wiring.PROGRAM, path=environ.get("PATH", os.defpath))
    return iter(()) if program is None else check_version(wiring, program, environ)


def check_version(wiring: Registration, program: str, environ: Mapping[str, str]) -> Iterator[Problem]:
    """Yields a problem where this client is too old to refuse by itself when the gate fails. It is started once."""
    oldest = ".".join(map(str, wiring.OLDEST))
    try:
        version = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=20, check=False, env=dict(environ)
        ).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        yield Problem(program, f"its version cannot be asked for ({error})", f"make sure that it is {oldest} or later")
        return
    found = re.search(r"\d+(?:\.\d+)+", version)
    if found is None:
        yield Problem(program, "it does not tell its version", f"make sure that it is {oldest} or later")
    elif tuple(map(int, found[0].split("."))) < wiring.OLDEST:
        yield Problem(
            program, f"{found[0]} runs the call when the gate fails: it is older than {oldest}", f"update it to {oldest} or later"
        )
