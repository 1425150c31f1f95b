"""Restores scripts that were deployed into a project, after every tool, whatever changed them.

A host does not report changes of a script that it runs, and a replaced script would answer for the gate. So the events after a
tool call the gate itself, and not the script.
"""

import hashlib
import json
import os
import stat
from collections.abc import Iterator, Mapping

from toolgate.designs.safety_hook import log as safety_hook
from toolgate.machine import files
from toolgate.machine.environment import find_folders, safety_log_path
from toolgate.model.errors import SettingsError
from toolgate.model.event import Scene
from toolgate.model.host import Host
from toolgate.policy.discovery import DEPLOYED_FILE, SCRIPT_MODE, SCRIPTS_FOLDER


class UnrepairableScript(Exception):
    """A script differs from the deployed one and cannot be restored. The message is for people."""


def repair_scripts(scene: Scene, host: Host, now: float) -> str:
    """Returns what was restored, in a sentence for the user; empty where nothing was. Raises UnrepairableScript."""
    where = find_folders(scene.environ, scene.home)
    back = []
    for folder, name, digest in _iter_deployed_scripts(f"{where.config}/{DEPLOYED_FILE}", os.path.realpath(scene.project)):
        path = f"{folder}/{name}"
        if _is_intact(path, digest):
            continue
        try:
            _restore_script(path, folder, f"{where.state}/{SCRIPTS_FOLDER}/{digest}", digest)
        except (OSError, SettingsError) as problem:
            raise UnrepairableScript(
                f"{path} was changed and cannot be put back ({problem}): on a terminal of your own, deploy again"
            ) from None
        back.append(path)
    if not back:
        return ""
    log = safety_log_path(scene.environ, host.own_folder(scene.home, {}))
    safety_hook.append_line(log, safety_hook.render_note("HEALED", ", ".join(back), now))
    return f"changed files were restored: {', '.join(back)}"


def _iter_deployed_scripts(record: str, project: str) -> Iterator[tuple[str, str, str]]:
    """Yields folders in the project, with the names and digests of their scripts. The policy reports a record that cannot be
    read."""
    try:
        with open(record, "rb") as file:
            table = json.load(file)
    except (OSError, ValueError, RecursionError):
        return
    for folder, deployed_folder in table.items() if isinstance(table, Mapping) else ():
        scripts = (
            deployed_folder.get("scripts")
            if isinstance(deployed_folder, Mapping) and f"{folder}/".startswith(f"{project}/")
            else None
        )
        for name, digest in scripts.items() if isinstance(scripts, Mapping) else ():
            if isinstance(digest, str):
                yield folder, name, digest


def _is_intact(path: str, digest: str) -> bool:
    try:
        status = os.lstat(path)
        is_file = stat.S_ISREG(status.st_mode) and stat.S_IMODE(status.st_mode) == SCRIPT_MODE
        return is_file and hashlib.sha256(files.read_file(path) or b"").hexdigest() == digest
    except OSError:
        return False


def _restore_script(path: str, project: str, kept_copy: str, digest: str) -> None:
    """Raises OSError, and SettingsError where the folder leads out of the project by now."""
    content = files.read_file(kept_copy) or b""
    if hashlib.sha256(content).hexdigest() != digest:
        raise OSError(0, "the copy that was kept is not it any more", kept_copy)
    folder = files.resolve_destination(os.path.dirname(path), within=project)
    place = f"{folder}/{os.path.basename(path)}"
    if os.path.islink(place):
        files.remove_file(place)
    files.write_file(place, content)
    os.chmod(place, SCRIPT_MODE)
