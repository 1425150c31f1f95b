"""Requests to the gate, and its answers."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Request:
    """One hook call as received. `now`: seconds since the epoch; `environ`: the caller's, never the gate's own.

    `pid`: the process that the host started for this call, not the gate's own if a daemon answers; 0: unknown.
    """

    host: str
    event: str
    payload: bytes
    environ: Mapping[str, str]
    cwd: str
    uid: int
    now: float
    pid: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """The response to the host. An empty one (with exit 0) means: no opinion."""

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0


SILENCE = Answer()
