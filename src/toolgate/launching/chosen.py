"""What a person chose for a folder by deploying there: its profile, and the scripts that belong there."""

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
    """The user's word that in this folder the profile stands in the place of the one that their policy names: kept beside that
    policy, where no project can write it. An agent's word it cannot be: then the stricter of both holds, and a note says so.

    A copy of each script is kept, to be put back from. Raises OSError, and PolicyError for a file that is none of ours.
    """
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
    """What takes a deployment away again, beside the settings: its scripts, and the word that they belong there. Raises OSError,
    and PolicyError for a record that is none of ours."""
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
