"""Which profile holds in a folder, as its user chose by deploying there."""

from collections.abc import Mapping

from toolgate.machine import files
from toolgate.machine.ancestry import agent_above
from toolgate.machine.environment import folders
from toolgate.policy.find import DEPLOYED
from toolgate.policy.formats import deployed


def choose(project: str, profile: str, home: str, environ: Mapping[str, str]) -> str:
    """The user's word that in this folder the profile stands in the place of the one that their policy names: kept beside that
    policy, where no project can write it. An agent's word it cannot be: then the stricter of both holds, and a note says so.

    Raises OSError, and PolicyError for a file that is none of ours.
    """
    above = agent_above(environ)
    if above:
        return f"the profile {profile} only joins your own here, because an agent asked for it: {above}"
    config = folders(environ, home).config
    path = f"{config}/{DEPLOYED}"
    with files.locked(config):
        before = files.read(path)
        after = deployed.with_folder(before, path, project, profile)
        if after != before:
            files.write(path, after, 0o600)
    return ""
