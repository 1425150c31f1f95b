"""Locking agents out of artifacts, and clearing that: in the team's own file and in the store.

Either counts. The file only grows, a JSON object a line; one writer at a time, and nobody ever reads half of it.
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
    """What a team has written down. `folder`: its own folder; empty where it has none, and the store is all there is."""

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
    """Artifact -> agents, of both; and what is wrong with the file. Raises StoreError and OSError."""
    written = (files.read(found.path) if found.folder else b"") or b""
    in_the_file, problem = lockouts.from_lines(written.decode("utf-8", "replace"))
    return lockouts.merged(in_the_file, found.store.load((found.key,), now)[0]), problem


def add(found: Book, artifact: str, agent: str, by: str, now: float) -> int:
    """How many agents are locked out of it by now. Raises StoreError and OSError."""
    name = named(found, artifact)
    _write(found, "lock", name, agent, by, now)
    _change(found, lambda document: lockouts.locked(document, name, agent), now)
    return len(entries(found, now)[0][name])


def clear(found: Book, artifact: str, agent: str, by: str, now: float) -> int:
    """Without an artifact, of all; without an agent, of everybody. How many went. Raises StoreError and OSError."""
    name = named(found, artifact) if artifact else ""
    before = _count(entries(found, now)[0])
    _write(found, "clear", name, agent, by, now)
    _change(found, lambda document: lockouts.cleared(document, name, agent), now)
    return before - _count(entries(found, now)[0])


def named(found: Book, artifact: str) -> str:
    """As the project's people write it: beneath the project, wherever it was named from."""
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
