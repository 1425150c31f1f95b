"""Names of methods and commands that create machines, which cost money from their start: `run_instances`, `createDroplet`."""

import re
from functools import lru_cache

_CREATING_VERBS = frozenset("run create launch insert provision start new".split())
MACHINES = frozenset(
    (
        *("instance", "instances", "vm", "vms", "server", "servers", "droplet", "droplets", "machine", "machines", "linode"),
        *("linodes", "cluster", "clusters", "fleet", "nodepool", "node-pool", "dbinstance"),
    )
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORDS = re.compile(r"[a-z]+")


@lru_cache(1024)
def names_machine(name: str) -> bool:
    """Returns whether a name says that it creates machines."""
    words = _WORDS.findall(_CAMEL.sub(" ", name).lower())
    if not words or words[0] not in _CREATING_VERBS:
        return False
    nouns = words[1:3]
    return not MACHINES.isdisjoint(nouns) and not (words[0] == "start" or (words[0] == "run" and "instances" not in nouns))
