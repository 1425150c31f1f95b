"""Proof that a deny really denies, in each host's real client with a scripted model on loopback instead of the real one.

Other checks of the installation only read files. A canary looks at the disk: the client
runs in a scratch home and project, which are searched afterwards for what a refused call would have created.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module

from toolgate.hosts import HOSTS
from toolgate.hosts.capabilities import load_capabilities

ROWS: Mapping[str, str] = {
    "commands": "a denied command",
    "questions": "a command that needs a question",
    "settings": "a write to the settings that register the gate",
    "background shells": "a denied command in the background",
    "subagents": "a denied command of a subagent",
    "MCP": "a denied call of an MCP tool",
    "redaction": "a token in an output",
    "crash": "a call while the gate crashes",
    "hang": "a call while the gate hangs",
    "missing program": "a call while the gate is missing",
}
"""What a proof tries, for people, by its name in the host's capabilities."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What is to be proved, and where. `command`: the registered command of the hook. `client`: the program of the host; empty
    means the one on PATH. The scratch home and project are created in `folder`, and deleted afterwards;
    `progress` is called with the current step."""

    command: tuple[str, ...]
    client: str
    environ: Mapping[str, str]
    folder: str
    progress: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ProofResult:
    """`told`: what was observed, for people. `remedy`: what to do if it does not hold. `rows`: each of ROWS
    that the client offers, and whether it was held, open or could not be tried."""

    holds: bool
    told: str
    remedy: str = ""
    rows: Mapping[str, str] = field(default_factory=dict)


def load_proof(host: str) -> Callable[[Trial], ProofResult]:
    """Returns the proof for a host, with the client that the module with the name of its folder describes. Raises KeyError for an
    unknown host, and for one that is known from documents alone."""
    from .host_proof import prove

    if load_capabilities(host).proof == "documents":
        raise KeyError(host)
    return partial(prove, import_module(f"{__name__}.{HOSTS[host]}").CLIENT)
