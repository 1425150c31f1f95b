"""Records the profile that a person chose for a folder by deploying there, and the scripts that belong there."""

import hashlib
import os
from collections.abc import Mapping

from toolgate.install import Change
from toolgate.machine import files
from toolgate.machine.ancestry import describe_agent_above
from toolgate.machine.environment import find_folders
from toolgate.policy.discovery import DEPLOYED_FILE, SCRIPTS_FOLDER
from toolgate.policy.formats import deployed
from toolgate.policy.formats.deployed import DeployedFolder


def record_profile(project: str, profile: str, scripts: Mapping[str, bytes], home: str, environ: Mapping[str, str]) -> str:
    """Records that this folder uses the profile instead of the one in the user's policy: beside that policy, where no project can
    write it. An agent cannot do that: then the stricter of both applies, and a note says so.

    Keeps a copy of each script, for repairs. Raises OSError, and PolicyError for a file in another format."""
    above = describe_agent_above(environ)
    if above:
        return f"the profile {profile} only joins your own here, because an agent asked for it: {above}"
    where = find_folders(environ, home)
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in scripts.items()}
    for name, content in scripts.items():
        copy = f"{where.state}/{SCRIPTS_FOLDER}/{digests[name]}"
        if files.read_file(copy) != content:
            files.write_file(copy, content, 0o600)
    path = f"{where.config}/{DEPLOYED_FILE}"
    with files.lock_folder(where.config):
        before = files.read_file(path)
        after = deployed.add_folder(before, path, project, DeployedFolder(profile, digests))
        if after != before:
            files.write_file(path, after, 0o600)
    return ""


def record_named_profile(folder: str, profile: str, home: str, environ: Mapping[str, str]) -> str:
    """Records that the profile replaces the user's for sessions in this folder whose environment names it. An entry that is there
    stays. Returns a note, as `record_profile` does. Raises OSError, and PolicyError for a file in another format."""
    if describe_agent_above(environ):
        return ""  # `record_profile` has said so
    config = find_folders(environ, home).config
    path = f"{config}/{DEPLOYED_FILE}"
    with files.lock_folder(config):
        before = files.read_file(path)
        entry = deployed.find_folder(before, path, folder)
        if entry is None:
            files.write_file(
                path, deployed.add_folder(before, path, folder, DeployedFolder(profile, only_where_named=True)), 0o600
            )
    if entry is None or entry.profile == profile:
        return ""
    return f"{folder} keeps the profile {entry.profile}: there, {profile} only joins it"


def plan_removal(project: str, home: str, environ: Mapping[str, str]) -> tuple[Change, ...]:
    """Plans the removal of a deployment, except its settings: its scripts, and their record. Raises OSError, and PolicyError for
    a record in another format."""
    path = f"{find_folders(environ, home).config}/{DEPLOYED_FILE}"
    before = files.read_file(path)
    if before is None:
        return ()
    left, removed = deployed.remove_folder(before, path, os.path.realpath(project))
    if removed is None:
        return ()
    scripts = (f"{os.path.realpath(project)}/{name}" for name in removed.scripts)
    changes = (Change(script, content, None) for script in scripts if (content := files.read_file(script)) is not None)
    return (Change(path, before, left), *changes)
