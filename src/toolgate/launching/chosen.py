"""Records the profile that a person chose for a folder by deploying there, and the scripts that belong there."""

import hashlib
import os
from collections.abc import Mapping

from toolgate.install import Change
from toolgate.machine import files
from toolgate.machine.ancestry import agent_above
from toolgate.machine.environment import folders
from toolgate.policy.find import DEPLOYED, SCRIPTS
from toolgate.policy.formats import deployed
from toolgate.policy.formats.deployed import Deployed


def choose(project: str, profile: str, scripts: Mapping[str, bytes], home: str, environ: Mapping[str, str]) -> str:
    """Records that this folder uses the profile instead of the one in the user's policy: beside that policy, where no project can
    write it. An agent cannot do that: then the stricter of both applies, and a note says so.

    Keeps a copy of each script, for repairs. Raises OSError, and PolicyError for a file in another format."""
    above = agent_above(environ)
    if above:
        return f"the profile {profile} only joins your own here, because an agent asked for it: {above}"
    where = folders(environ, home)
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in scripts.items()}
    for name, content in scripts.items():
        copy = f"{where.state}/{SCRIPTS}/{digests[name]}"
        if files.read(copy) != content:
            files.write(copy, content, 0o600)
    path = f"{where.config}/{DEPLOYED}"
    with files.locked(where.config):
        before = files.read(path)
        after = deployed.with_folder(before, path, project, Deployed(profile, digests))
        if after != before:
            files.write(path, after, 0o600)
    return ""


def plan_forgetting(project: str, home: str, environ: Mapping[str, str]) -> tuple[Change, ...]:
    """Plans the removal of a deployment, except its settings: its scripts, and their record. Raises OSError, and PolicyError for
    a record in another format."""
    path = f"{folders(environ, home).config}/{DEPLOYED}"
    before = files.read(path)
    if before is None:
        return ()
    left, said = deployed.without_folder(before, path, os.path.realpath(project))
    if said is None:
        return ()
    scripts = (f"{os.path.realpath(project)}/{name}" for name in said.scripts)
    there = (Change(script, content, None) for script in scripts if (content := files.read(script)) is not None)
    return (Change(path, before, left), *there)
