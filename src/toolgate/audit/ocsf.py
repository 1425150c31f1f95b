"""Exports the calls that a rule matched as Detection Findings (class 2004) of the Open Cybersecurity Schema Framework, 1.5.

One JSON object on each line, as collectors of security events read them.
"""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TextIO

from .fields import RecordLine, describe_effect, describe_stakes, make_visible, number_of, objects_of

SCHEMA_VERSION = "1.5.0"
CATEGORY, CLASS, CREATED = 2, 2004, 1
SEVERITIES = {"warn": (2, "Low"), "ask": (3, "Medium"), "deny": (4, "High")}
UNMAPPED_TEXTS = ("host", "agent", "role", "tool", "tool_use_id", "judged", "verdict", "outcome", "gate", "undo", "failure")
INFORMATIONAL = (1, "Informational")
ALLOWED, BLOCKED = (1, "Allowed"), (2, "Blocked")
"""Dispositions; an action of the profile `security_control` denies what is blocked, by the same numbers."""


def write_ocsf(lines: Iterable[RecordLine], file: TextIO) -> int:
    """Writes a finding for each call that a rule matched, and returns their number."""
    count = 0
    for line in lines:
        if line and objects_of(line, "rules"):
            file.write(json.dumps(build_finding(line)) + "\n")
            count += 1
    return count


def build_finding(line: RecordLine) -> dict[str, object]:
    verdict, at = str(line.get("verdict", "")), _milliseconds(line)
    severity, disposition = SEVERITIES.get(verdict, INFORMATIONAL), BLOCKED if verdict == "deny" else ALLOWED
    rules = [make_visible(each.get("rule", "")) for each in objects_of(line, "rules")]
    return {
        "category_uid": CATEGORY,
        "category_name": "Findings",
        "class_uid": CLASS,
        "class_name": "Detection Finding",
        "activity_id": CREATED,
        "activity_name": "Create",
        "type_uid": CLASS * 100 + CREATED,
        "type_name": "Detection Finding: Create",
        "time": at,
        "severity_id": severity[0],
        "severity": severity[1],
        "status_id": 1,
        "status": "New",
        "action_id": disposition[0],
        "action": "Denied" if disposition is BLOCKED else "Allowed",
        "disposition_id": disposition[0],
        "disposition": disposition[1],
        "message": f"{make_visible(line.get('tool', ''))}: {make_visible(line.get('operation', ''))}",
        "metadata": {
            "version": SCHEMA_VERSION,
            "profiles": ["security_control"],
            "product": {"name": "toolgate", "vendor_name": "toolgate", "version": version("toolgate")},
            "log_name": "audit",
            "uid": make_visible(line.get("id", "")),
            "correlation_uid": make_visible(line.get("session", "")),
            "sequence": number_of(line, "number"),
        },
        "finding_info": {
            "uid": make_visible(line.get("id", "")),
            "title": ", ".join(rules),
            "desc": make_visible(line.get("reason", "")),
            "created_time": at,
            "types": rules,
        },
        "policy": {"uid": make_visible(line.get("policy", ""))},
        "unmapped": {
            **{key: make_visible(line.get(key, "")) for key in UNMAPPED_TEXTS},
            "stakes": describe_stakes(line),
            "effects": [describe_effect(each) for each in objects_of(line, "effects")],
            "microseconds": number_of(line, "microseconds"),
        },
    }


def _milliseconds(line: RecordLine) -> int:
    """Returns milliseconds since 1970, or 0 for an unreadable time."""
    try:
        at = datetime.fromisoformat(str(line.get("time", "")))
    except ValueError:
        return 0
    return max(int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000), 0)
