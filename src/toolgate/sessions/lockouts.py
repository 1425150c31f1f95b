"""Adds and clears lockouts of agents in the team's own file and in the store.

Either source applies. The file is append-only, one JSON object on each line; writers are serialised, and no reader sees half a
line.
"""

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass

from toolgate.consent import lockouts
from toolgate.machine import files
from toolgate.machine.world import Machine
from toolgate.model.state import Change, Key, Scope, Store
from toolgate.rules.team.context import Team, team_of

FILE = "lockout.json"


@dataclass(frozen=True, slots=True)
class Book:
    """The lockouts of a team. `folder`: its own folder; empty where it has none, and only the store counts."""

    team: Team
    folder: str
    store: Store

    @property
    def key(self) -> Key:
        return Key(Scope("team", self.team.root), lockouts.LOCKOUTS)

    @property
    def path(self) -> str:
        return f"{self.folder}/{FILE}"


def book(project: str, store: Store) -> Book:
    own = team_of(project, Machine())
    return Book(own, own.own if own.there else "", store)


def entries(found: Book, now: float) -> tuple[Mapping[str, tuple[str, ...]], str]:
    """Returns artifact -> agents, of both sources, and what is wrong with the file. Raises StoreError and OSError."""
    written = (files.read(found.path) if found.folder else b"") or b""
    in_the_file, problem = lockouts.from_lines(written.decode("utf-8", "replace"))
    return lockouts.merged(in_the_file, found.store.load((found.key,), now)[0]), problem


def add(found: Book, artifact: str, agent: str, by: str, now: float) -> int:
    """Returns how many agents are locked out of the artifact now. Raises StoreError and OSError."""
    name = named(found, artifact)
    _write(found, "lock", name, agent, by, now)
    _change(found, lambda document: lockouts.locked(document, name, agent), now)
    return len(entries(found, now)[0][name])


def clear(found: Book, artifact: str, agent: str, by: str, now: float) -> int:
    """Returns how many lockouts were cleared: without an artifact, of all; without an agent, of everybody. Raises StoreError and
    OSError."""
    name = named(found, artifact) if artifact else ""
    before = _count(entries(found, now)[0])
    _write(found, "clear", name, agent, by, now)
    _change(found, lambda document: lockouts.cleared(document, name, agent), now)
    return before - _count(entries(found, now)[0])


def named(found: Book, artifact: str) -> str:
    """Returns the artifact's path inside the project, from any form of it."""
    relative = found.team.relative(os.path.normpath(artifact)) if artifact.startswith("/") else None
    return lockouts.normal(relative if relative is not None else artifact)


def _count(found: Mapping[str, tuple[str, ...]]) -> int:
    return sum(map(len, found.values()))


def _change(found: Book, change: Change[int], now: float) -> None:
    found.store.update(found.key, change, now)


def _write(found: Book, action: str, artifact: str, agent: str, by: str, now: float) -> None:
    if not found.folder:
        return
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
    with files.locked(found.folder):
        before = files.read(found.path) or b""
        whole = before if before.endswith(b"\n") or not before else before + b"\n"
        files.write(found.path, whole + lockouts.line(action, artifact, agent, by, at).encode())
