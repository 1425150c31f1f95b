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
from toolgate.machine.world import MachineWorld
from toolgate.model.store import Change, Key, Scope, Store
from toolgate.rules.team.context import Team, find_team_of_folder

LOCKOUT_FILE = "lockout.json"


@dataclass(frozen=True, slots=True)
class LockoutBook:
    """The lockouts of a team. `folder`: its own folder; empty where it has none, and only the store counts."""

    team: Team
    folder: str
    store: Store

    @property
    def store_key(self) -> Key:
        return Key(Scope("team", self.team.root), lockouts.LOCKOUTS_DOCUMENT)

    @property
    def file_path(self) -> str:
        return f"{self.folder}/{LOCKOUT_FILE}"


def open_book(project: str, store: Store) -> LockoutBook:
    team = find_team_of_folder(project, MachineWorld())
    return LockoutBook(team, team.own_folder if team.exists else "", store)


def read_entries(book: LockoutBook, now: float) -> tuple[Mapping[str, tuple[str, ...]], str]:
    """Returns artifact -> agents, of both sources, and what is wrong with the file. Raises StoreError and OSError."""
    written = (files.read_file(book.file_path) if book.folder else b"") or b""
    in_the_file, problem = lockouts.parse_lines(written.decode("utf-8", "replace"))
    return lockouts.merge_lockouts(in_the_file, book.store.load((book.store_key,), now)[0]), problem


def add_lockout(book: LockoutBook, artifact: str, agent: str, by: str, now: float) -> int:
    """Returns how many agents are locked out of the artifact now. Raises StoreError and OSError."""
    name = normalize_artifact(book, artifact)
    _append_line(book, "lock", name, agent, by, now)
    _update_store(book, lambda document: lockouts.add_lockout(document, name, agent), now)
    return len(read_entries(book, now)[0][name])


def clear_lockouts(book: LockoutBook, artifact: str, agent: str, by: str, now: float) -> int:
    """Returns how many lockouts were cleared: without an artifact, of all; without an agent, of everybody. Raises StoreError and
    OSError."""
    name = normalize_artifact(book, artifact) if artifact else ""
    before = _count_lockouts(read_entries(book, now)[0])
    _append_line(book, "clear", name, agent, by, now)
    _update_store(book, lambda document: lockouts.clear_lockouts(document, name, agent), now)
    return before - _count_lockouts(read_entries(book, now)[0])


def normalize_artifact(book: LockoutBook, artifact: str) -> str:
    """Returns the artifact's path inside the project, from any form of it."""
    relative = book.team.project_path(os.path.normpath(artifact)) if artifact.startswith("/") else None
    return lockouts.normalize_artifact(relative if relative is not None else artifact)


def _count_lockouts(found: Mapping[str, tuple[str, ...]]) -> int:
    return sum(map(len, found.values()))


def _update_store(book: LockoutBook, change: Change[int], now: float) -> None:
    book.store.update(book.store_key, change, now)


def _append_line(book: LockoutBook, action: str, artifact: str, agent: str, by: str, now: float) -> None:
    if not book.folder:
        return
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
    with files.lock_folder(book.folder):
        before = files.read_file(book.file_path) or b""
        content = before if before.endswith(b"\n") or not before else before + b"\n"
        files.write_file(book.file_path, content + lockouts.render_line(action, artifact, agent, by, at).encode())
