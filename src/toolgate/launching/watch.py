"""Watches everything that the gate depends on: the settings that register it, deployments, its client, its code."""

import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from toolgate.hosts import HOSTS
from toolgate.hosts import settings as settings_of
from toolgate.install import own_command
from toolgate.install.wiring import check_wiring, registered, settings_files
from toolgate.machine import build, files, integrity
from toolgate.machine.environment import folders
from toolgate.model.errors import ToolgateError
from toolgate.policy.find import DEPLOYED

from .deployment import PROFILE, check_deployment, place

NAME = "policy.toml"


@dataclass(frozen=True, slots=True)
class Drift:
    """`where` is a file or a folder. `at`: seconds since the epoch."""

    at: float
    where: str
    what: str

    def row(self) -> dict[str, str]:
        return {"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.at)), "where": self.where, "what": self.what}


State = Mapping[str, str]
"""Path -> the digest of its content; `absent`, or why it cannot be read."""


def wrong(home: str, project: str, environ: Mapping[str, str], now: float) -> Iterator[Drift]:
    """Yields everything that is wrong now: the wiring, where the gate is registered, and every deployment."""
    for package in integrity.changes():
        yield Drift(now, package, "is not what it was when the gate was registered; toolgate doctor says more")
    for name in HOSTS:
        if any(_registers(name, path) for path in settings_files(name, home, project, environ)):
            for problem in check_wiring(name, home, project, environ, ask_version=False):
                yield Drift(now, problem.where, f"{problem.what}; {problem.remedy}")
    for folder in deployed(home, environ):
        try:
            problems = check_deployment(place(folder, environ))
        except ToolgateError as problem:
            yield Drift(now, folder, str(problem))
            continue
        for each in problems:
            yield Drift(now, each.where, f"{each.what}; {each.remedy}")


def seen(home: str, project: str, environ: Mapping[str, str]) -> State:
    """Returns the state of everything whose change is reported."""
    where = folders(environ, home)
    paths = [path for name in HOSTS for path in settings_files(name, home, project, environ)]
    paths += [f"{folder}/{NAME}" for folder in (where.organisation, where.config)]
    paths += [f"{where.config}/{DEPLOYED}", *(word for word in own_command() if os.path.isabs(word))]
    for folder in deployed(home, environ):
        there = place(folder, environ) if os.path.isdir(folder) else None
        paths += [there.hook, f"{folder}/.claude/settings.json", f"{folder}/.claude/settings.local.json"] if there else [folder]
    return {**{path: _digest(path) for path in dict.fromkeys(paths)}, build.PACKAGE: repr(build.stamp())}


def changed(before: State, after: State, now: float) -> Iterator[Drift]:
    for path in dict.fromkeys((*before, *after)):
        old, new = before.get(path, "absent"), after.get(path, "absent")
        if old != new:
            what = "is gone" if new == "absent" else "is new" if old == "absent" else "was changed"
            yield Drift(now, path, what)


def deployed(home: str, environ: Mapping[str, str]) -> list[str]:
    """Returns the folders that the safety hook was deployed into."""
    try:
        table = json.loads(files.read(f"{folders(environ, home).config}/{DEPLOYED}") or b"{}")
    except (OSError, ValueError):
        return []
    rows = table.items() if isinstance(table, dict) else ()
    return [folder for folder, said in rows if isinstance(said, dict) and said.get("profile") == PROFILE]


def _registers(host: str, path: str) -> bool:
    try:
        return bool(registered(settings_of(host), (files.read(path) or b"{}").decode()))
    except (OSError, ValueError):
        return False


def _digest(path: str) -> str:
    try:
        content = files.read(path)
    except OSError as problem:
        return problem.strerror or "unreadable"
    return "absent" if content is None else hashlib.sha256(content).hexdigest()
