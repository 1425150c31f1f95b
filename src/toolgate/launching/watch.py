"""Watches everything that the gate depends on: the settings that register it, deployments, its client, its code."""

import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from toolgate.designs.safety_hook.deployment import PROFILE, check_deployment, resolve_target
from toolgate.hosts import HOSTS
from toolgate.hosts import load_settings as settings_of
from toolgate.install import own_command
from toolgate.install.wiring import check_wiring, find_registered_commands, iter_settings_files
from toolgate.machine import build, files, integrity
from toolgate.machine.environment import find_folders
from toolgate.model.errors import ToolgateError
from toolgate.policy.discovery import DEPLOYED_FILE

POLICY_FILE = "policy.toml"


@dataclass(frozen=True, slots=True)
class Drift:
    """`where` is a file or a folder. `at`: seconds since the epoch."""

    at: float
    where: str
    what: str

    def as_row(self) -> dict[str, str]:
        return {"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.at)), "where": self.where, "what": self.what}


WatchedState = Mapping[str, str]
"""Path -> the digest of its content; `absent`, or why it cannot be read."""


def find_problems(home: str, project: str, environ: Mapping[str, str], now: float) -> Iterator[Drift]:
    """Yields everything that is wrong now: the wiring, where the gate is registered, and every deployment."""
    for package in integrity.changed_packages():
        yield Drift(now, package, "is not what it was when the gate was registered; toolgate doctor says more")
    for name in HOSTS:
        if any(_has_gate_entry(name, path) for path in iter_settings_files(name, home, project, environ)):
            for problem in check_wiring(name, home, project, environ, ask_version=False):
                yield Drift(now, problem.where, f"{problem.what}; {problem.remedy}")
    for folder in list_deployments(home, environ):
        try:
            problems = check_deployment(resolve_target(folder, environ))
        except ToolgateError as problem:
            yield Drift(now, folder, str(problem))
            continue
        for each in problems:
            yield Drift(now, each.where, f"{each.what}; {each.remedy}")


def read_state(home: str, project: str, environ: Mapping[str, str]) -> WatchedState:
    """Returns the state of everything whose change is reported."""
    where = find_folders(environ, home)
    paths = [path for name in HOSTS for path in iter_settings_files(name, home, project, environ)]
    paths += [f"{folder}/{POLICY_FILE}" for folder in (where.organisation, where.config)]
    paths += [f"{where.config}/{DEPLOYED_FILE}", *(word for word in own_command() if os.path.isabs(word))]
    for folder in list_deployments(home, environ):
        target = resolve_target(folder, environ) if os.path.isdir(folder) else None
        paths += (
            [target.hook_path, f"{folder}/.claude/settings.json", f"{folder}/.claude/settings.local.json"] if target else [folder]
        )
    return {**{path: _digest_file(path) for path in dict.fromkeys(paths)}, build.PACKAGE: repr(build.code_stamp())}


def compare_states(before: WatchedState, after: WatchedState, now: float) -> Iterator[Drift]:
    for path in dict.fromkeys((*before, *after)):
        old, new = before.get(path, "absent"), after.get(path, "absent")
        if old != new:
            what = "is gone" if new == "absent" else "is new" if old == "absent" else "was changed"
            yield Drift(now, path, what)


def list_deployments(home: str, environ: Mapping[str, str]) -> list[str]:
    """Returns the folders that the safety hook was deployed into."""
    try:
        table = json.loads(files.read_file(f"{find_folders(environ, home).config}/{DEPLOYED_FILE}") or b"{}")
    except (OSError, ValueError):
        return []
    rows = table.items() if isinstance(table, dict) else ()
    return [
        folder
        for folder, deployed_folder in rows
        if isinstance(deployed_folder, dict) and deployed_folder.get("profile") == PROFILE
    ]


def _has_gate_entry(host: str, path: str) -> bool:
    try:
        return bool(find_registered_commands(settings_of(host), (files.read_file(path) or b"{}").decode()))
    except (OSError, ValueError):
        return False


def _digest_file(path: str) -> str:
    try:
        content = files.read_file(path)
    except OSError as problem:
        return problem.strerror or "unreadable"
    return "absent" if content is None else hashlib.sha256(content).hexdigest()
