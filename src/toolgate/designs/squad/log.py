"""The team design's own log, `security-audit.log` in the team's folder: one JSON object on each line.

It lists every denial by the design's P0 policies.
"""

import json
import os
import time
from collections.abc import Mapping

from toolgate.audit import log_lines
from toolgate.model.event import Scene

LOG_FILE = "security-audit.log"
MAX_TEXT_LENGTH = 500
"""Characters of an operation, and of the reason."""


def build_entry(scene: Scene, tool: str, operation: str, rules: tuple[str, ...], reason: str, now: float) -> Mapping[str, object]:
    """`operation` and `reason` have their secrets redacted."""
    return {
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now)),
        "session": scene.caller.session,
        "agent": scene.agent,
        "role": scene.role,
        "tool": tool,
        "operation": operation[:MAX_TEXT_LENGTH],
        "rules": rules,
        "reason": reason[:MAX_TEXT_LENGTH],
    }


def append_entry(folder: str, line: Mapping[str, object]) -> str:
    """Adds the entry; creates the folder if it is missing. Returns what went wrong, in a sentence; empty when nothing did."""
    file, lost = f"{folder}/{LOG_FILE}", "what is denied is not recorded there"
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as problem:
        return f"{file} cannot be written: {problem.strerror or problem}; {lost}"
    return log_lines.append_line(file, json.dumps(line), lost)
