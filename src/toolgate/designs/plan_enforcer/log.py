"""The plan enforcer's own log, `plan_violations.jsonl` in the iteration's folder: calls that were no part of the plan."""

import json
import time
from collections.abc import Mapping
from typing import Literal

from toolgate.audit import log_lines

ViolationKind = Literal["unplanned", "ad-hoc", "blocked"]


def build_entry(kind: ViolationKind, command: str, arm: str, now: float) -> Mapping[str, str]:
    """Returns the design's fields, in its order. `command` has its secrets redacted; `arm` is the nearest one."""
    at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03}+00:00"
    return {"timestamp": at, "kind": kind, "command": command, "arm": arm}


def append_entry(file: str, line: Mapping[str, str]) -> str:
    """Adds the entry. Returns what went wrong, in a sentence; empty when nothing did. The experiment creates the folder."""
    return log_lines.append_line(file, json.dumps(line), "violations of the plan go on, unrecorded there")
