"""Audit logs for reports: real lines of the format, chained, with what an attacker would write into them."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from toolgate.audit.chain import EMPTY_HEAD, HEAD_FILE, Head, chain_line, digest_line

HOSTILE = "</script><script>document.title='taken'</script><img src=x onerror=document.title='taken'>\x1b[2J\u202e\u2028{{ 7*7 }}"


def call(number: int, **changes: object) -> dict[str, object]:
    """Returns a record as the gate writes it, a minute after the one before."""
    day, minute = 10 + number // 1440 % 15, number % 1440
    return {
        "format": 1,
        "id": f"019ab1c2-0000-7000-8000-{number:012x}",
        "time": f"2026-11-{day}T{minute // 60:02}:{minute % 60:02}:01.120Z",
        "host": "claude-code",
        "session": f"session-{number // 200}",
        "agent": "",
        "role": "",
        "tool": "Bash",
        "tool_use_id": f"t{number}",
        "operation": f"ls -la folder-{number}",
        "effects": [{"kind": "Read", "zones": ["project"], "count": 2}],
        "rules": [],
        "judged": "pass",
        "verdict": "pass",
        "reason": "",
        "policy": "a" * 64,
        "microseconds": 400 + number % 100,
        **changes,
    }


def denied_call(number: int, **changes: object) -> dict[str, object]:
    reasons = {"operation": "rm -rf ~", "reason": "Deleting what a machine or a home folder stands on."}
    rules = [{"rule": "filesystem.delete-protected", "verdict": "deny"}]
    effects = [{"kind": "Delete", "zones": ["home"], "count": 1}]
    return call(number, **{"verdict": "deny", "judged": "deny", "rules": rules, "effects": effects, **reasons, **changes})


def nearly_stopped(number: int, **changes: object) -> dict[str, object]:
    rules = [{"rule": "git.force-push", "verdict": "warn"}]
    return call(number, **{"verdict": "warn", "judged": "warn", "rules": rules, "operation": "git push --force", **changes})


def write_log(folder: Path, records: Iterable[Mapping[str, object]]) -> None:
    """Writes the records to one file, with their chain and head."""
    folder.mkdir(parents=True, mode=0o700)
    head, size = EMPTY_HEAD, 0
    name = "2026-11-22.jsonl"
    with (folder / name).open("wb") as file:
        for record in records:
            line = chain_line(json.dumps(record, separators=(",", ":")).encode(), head)
            size += len(line) + 1
            head = Head(name, size, head.number + 1, digest_line(line))
            file.write(line + b"\n")
    (folder / HEAD_FILE).write_bytes(head.encode())
