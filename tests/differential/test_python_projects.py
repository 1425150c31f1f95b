"""Compares the reading of Python projects with Python: every file that a project really deletes must have been read."""

import os
import subprocess
import sys
from pathlib import Path

from differential.python_projects import Projects
from toolgate.app import local_scene
from toolgate.machine.world import MachineWorld
from toolgate.model.action import RunShell
from toolgate.model.effect import Delete, Effects, Opaque
from toolgate.understand import understand

SEED = int(os.environ.get("FUZZ_SEED", "1"))
COUNT = (int(os.environ.get("FUZZ_COUNT", "0")) or 1000) // 10
STUBS = """
import os, shutil
def stub(path): os.write(log, f'{path}\\n'.encode())
log = os.open(os.environ['LOG'], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
shutil.rmtree = os.remove = os.unlink = os.rmdir = stub
"""


def test_whatever_was_deleted_was_read(tmp_path: Path) -> None:
    source, misses, opaque, failed, deletions = Projects(SEED), [], 0, 0, 0
    stubs = tmp_path / "stubs"
    stubs.mkdir()
    (stubs / "sitecustomize.py").write_text(STUBS)
    for number in range(COUNT):
        project, folder = source.project(), tmp_path / str(number)
        for name, text in project.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        deleted, failure = really_run(project.command, folder, stubs)
        scene = local_scene(str(folder), str(tmp_path), {"PATH": "/usr/bin:/bin"})
        effects = understand(RunShell(project.command), scene, MachineWorld())
        is_opaque = any(isinstance(effect, Opaque) for effect in effects.all)
        opaque, failed, deletions = opaque + is_opaque, failed + bool(failure), deletions + len(deleted)
        if not is_opaque and (missed := deleted - list_deleted(effects)) and not deletes_unknown(effects):
            misses.append(f"{missed} of {project.command} in {folder}\n" + "\n".join(map("\n".join, project.files.items())))
    print(f"{COUNT} projects, {deletions} deletions: {len(misses)} missed, {opaque} opaque, {failed} failed")
    assert not misses, "\n\n".join(misses[:3])
    assert opaque <= COUNT * 0.03 + 3
    assert failed <= COUNT * 0.03 + 3


def really_run(command: str, folder: Path, stubs: Path) -> tuple[set[str], str]:
    """Returns the paths that the project deletes, and its error if it failed."""
    log = folder / "log"
    environ = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "LOG": str(log), "HOME": str(folder.parent)}
    text = f"export PYTHONPATH={stubs}; {command.replace('PYTHONPATH=', f'PYTHONPATH={stubs}:')}"
    result = subprocess.run(["bash", "-c", text], cwd=folder, env=environ, capture_output=True, text=True, check=False)
    return set(log.read_text().splitlines()) if log.exists() else set(), result.stderr[-300:] if result.returncode else ""


def list_deleted(effects: Effects) -> set[str]:
    return {effect.place.path for effect in effects.of_kind(Delete) if effect.place.path is not None}


def deletes_unknown(effects: Effects) -> bool:
    return any(effect.place.path is None for effect in effects.of_kind(Delete))
