"""What reaches the gate, and what leaves it."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Request:
    """One hook call as it came. `now` is seconds since the epoch; `environ` is the caller's, never the gate's own.

    `pid`: the process that the host started for this call, which is not the gate's own where a daemon answers; 0: not known.
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
    """What the host is given. Nothing at all (and exit 0) means: no opinion."""

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0


SILENCE = Answer()
