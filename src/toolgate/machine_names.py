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


_LARGEST_SIZES = re.compile(
    r"(?:p[2-9]\w*|trn\d\w*|inf\d\w*|g[4-9]\w*|dl\d\w*|u-?\d\w*|x\d\w*)\.(?:(?:1[6-9]|[2-9]\d|\d{3,})xlarge|metal\S*)"
    r"|a[234]-(?:high|mega|ultra|max)gpu-(?:[48]|16)g(?:-\w+)?|(?:m\d|c\d|n\d)-(?:ultra|mega)mem-\d+|Standard_N[CDV]\d{2,}\w*|Standard_M\d{2,}\w*"
    r"|gpu_[48]x_[abh]\d+\w*|BM\.GPU\S*|(?:nvidia-)?(?:tesla-)?(?:[abh][1-3]00\w*)[:x*,]?(?:count=)?[48]\b|v[2-6]\w*-(?:\d{3,}|[3-9]\d)",
    re.IGNORECASE,
)


def names_largest_size(text: str) -> bool:
    """Returns whether a text is the size of a machine that costs tens of dollars an hour: `p5.48xlarge`, `a3-highgpu-8g`."""
    return _LARGEST_SIZES.fullmatch(text.removeprefix("ml.").rpartition("=")[2]) is not None


@lru_cache(1024)
def names_machine(name: str) -> bool:
    """Returns whether a name says that it creates machines."""
    words = _WORDS.findall(_CAMEL.sub(" ", name).lower())
    if not words or words[0] not in _CREATING_VERBS:
        return False
    nouns = words[1:3]
    return not MACHINES.isdisjoint(nouns) and not (words[0] == "start" or (words[0] == "run" and "instances" not in nouns))
