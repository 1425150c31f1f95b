"""The plan enforcer's own log, `plan_violations.jsonl` in the iteration's folder: what was no part of the plan."""

import json
import os
import stat
import time
from collections.abc import Mapping
from typing import Literal

Kind = Literal["unplanned", "ad-hoc", "blocked"]
_WAYS_IN = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY


def entry(kind: Kind, command: str, arm: str, now: float) -> Mapping[str, str]:
    """The design's fields, in its order. `command` holds no secret any more; `arm` is the one that it comes nearest to."""
    at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03}+00:00"
    return {"timestamp": at, "kind": kind, "command": command, "arm": arm}


def append(file: str, line: Mapping[str, str]) -> str:
    """Adds the entry. What went wrong, in a sentence; empty when nothing did. The folder is the experiment's to make."""
    try:
        descriptor = os.open(file, _WAYS_IN, 0o644)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return f"{file} is no file: violations of the plan go on, unrecorded there"
            os.write(descriptor, json.dumps(line).encode() + b"\n")
        finally:
            os.close(descriptor)
    except OSError as problem:
        return f"{file} cannot be written: {problem.strerror or problem}; violations of the plan go on, unrecorded there"
    return ""
