"""The team design's own log, `security-audit.log` in the team's folder: a JSON object a line.

Every denial of its first policies stands in it.
"""

import json
import os
import stat
import time
from collections.abc import Mapping

from toolgate.model.event import Scene

NAME = "security-audit.log"
LONGEST = 500
"""Characters of what was asked for, and of the reason."""
_WAYS_IN = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY


def entry(scene: Scene, tool: str, operation: str, rules: tuple[str, ...], reason: str, now: float) -> Mapping[str, object]:
    """`operation` and `reason` hold no secret any more."""
    return {
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now)),
        "session": scene.caller.session,
        "agent": scene.agent,
        "role": scene.role,
        "tool": tool,
        "operation": operation[:LONGEST],
        "rules": rules,
        "reason": reason[:LONGEST],
    }


def append(folder: str, line: Mapping[str, object]) -> str:
    """Adds the entry; the folder is made where there is none. What went wrong, in a sentence; empty when nothing did."""
    file = f"{folder}/{NAME}"
    try:
        os.makedirs(folder, exist_ok=True)
        descriptor = os.open(file, _WAYS_IN, 0o644)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return f"{file} is no file: what is denied is not recorded there"
            os.write(descriptor, json.dumps(line).encode() + b"\n")
        finally:
            os.close(descriptor)
    except OSError as problem:
        return f"{file} cannot be written: {problem.strerror or problem}; what is denied is not recorded there"
    return ""
