"""Does a deny really deny? Proved in each host's real client, with a scripted model on loopback in the place of the real one.

Everything else that looks at the wiring reads files and believes them. A canary believes what is left on the disk: the client
runs in a home and a project of its own, and what a refused call would have made is looked for afterwards.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module

from toolgate.hosts import HOSTS


@dataclass(frozen=True, slots=True)
class Trial:
    """What is to be proved, and where. `command` is the hook's, as it is registered. `client`: the program of the host; empty
    means the one that a person would start. The scratch home and project are made in `folder`, and are gone afterwards;
    `progress` is told what is being tried."""

    command: tuple[str, ...]
    client: str
    environ: Mapping[str, str]
    folder: str
    progress: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Proof:
    """`told` says what was seen, for people. `remedy` is there where it does not hold."""

    holds: bool
    told: str
    remedy: str = ""


def canary(host: str) -> Callable[[Trial], Proof]:
    """The proof for a host: the module here that has its folder's name. Raises KeyError for a host that there is not."""
    proof: Callable[[Trial], Proof] = import_module(f"{__name__}.{HOSTS[host]}").prove
    return proof
