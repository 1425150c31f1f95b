"""Compares the reading of projects of several files with what their commands really delete."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from toolgate.app import local_scene
from toolgate.machine.world import MachineWorld
from toolgate.model.action import RunShell
from toolgate.model.effect import Delete, Effects, Opaque
from toolgate.understand import understand


@dataclass
class Project:
    """`files`: path -> text. `command`: starts the project in its folder."""

    command: str
    files: Mapping[str, str]


Environ = Callable[[Path], Mapping[str, str]]
"""Returns the variables for a command in a folder; with them, deletions are only written to the file `log` of the folder."""


def compare_projects(make_project: Callable[[], Project], count: int, root: Path, environ: Environ) -> None:
    """Runs projects and reads them. Fails if a deletion was missed, if too many are opaque, and if too many fail."""
    misses: list[str] = []
    opaque = failed = deletions = 0
    for number in range(count):
        project, folder = make_project(), root / str(number)
        for name, text in project.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        deleted, failure = _really_run(project.command, folder, environ)
        effects = understand(
            RunShell(project.command), local_scene(str(folder), str(root), {"PATH": "/usr/bin:/bin"}), MachineWorld()
        )
        is_opaque = any(isinstance(effect, Opaque) for effect in effects.all)
        opaque, failed, deletions = opaque + is_opaque, failed + bool(failure), deletions + len(deleted)
        if not is_opaque and (missed := deleted - list_deleted(effects)) and not deletes_unknown(effects):
            misses.append(f"{missed} of {project.command} in {folder}\n" + "\n".join(map("\n".join, project.files.items())))
    print(f"{count} projects, {deletions} deletions: {len(misses)} missed, {opaque} opaque, {failed} failed")
    assert not misses, "\n\n".join(misses[:3])
    assert opaque <= count * 0.03 + 3
    assert failed <= count * 0.03 + 3


def _really_run(command: str, folder: Path, environ: Environ) -> tuple[set[str], str]:
    """Returns the paths that the project deletes, and its error if it failed."""
    log = folder / "log"
    variables = {"PATH": os.environ["PATH"], "LOG": str(log), "HOME": str(folder.parent), **environ(folder)}
    result = subprocess.run(["bash", "-c", command], cwd=folder, env=variables, capture_output=True, text=True, check=False)
    return set(log.read_text().splitlines()) if log.exists() else set(), result.stderr[-300:] if result.returncode else ""


def list_deleted(effects: Effects) -> set[str]:
    return {effect.place.path for effect in effects.of_kind(Delete) if effect.place.path is not None}


def deletes_unknown(effects: Effects) -> bool:
    return any(effect.place.path is None for effect in effects.of_kind(Delete))
