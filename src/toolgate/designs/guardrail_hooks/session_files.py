"""Writes the guardrail design's own files: its log, and `guardrail-session.json`, which its users read.

The latter is a view of what is approved; no decision depends on it. Every session has its own entries, which end with it.
"""

import json
import time

from toolgate.designs.guardrail_hooks import log as guardrail
from toolgate.machine import files
from toolgate.model.decision import Decision, Verdict
from toolgate.model.errors import StoreError
from toolgate.model.event import ToolCall
from toolgate.model.rule import Policy
from toolgate.model.store import Store
from toolgate.sessions import Stores, messages
from toolgate.sessions.approval_answers import iter_valid_approvals
from toolgate.sessions.call_redaction import redact_text

LOG_FILE, VIEW_FILE = "logs/guardrail.jsonl", "state/guardrail-session.json"


def record_decision(event: ToolCall, decision: Decision, policy: Policy, folder: str, stores: Stores, now: float) -> None:
    """Appends a line to the log where the design has one, and updates the view."""
    operation = messages.describe_operation(event.tool, event.action).removeprefix(f"{event.tool} ")
    line = guardrail.build_entry(event.tool, redact_text(operation, policy, event.scene, event.action), decision, policy, now)
    if line is None:
        return
    guardrail.append_entry(f"{folder}/{LOG_FILE}", line)
    if decision.judged is Verdict.ASK:
        update_view(stores.find_store(event.scene, policy), folder, now)


def update_view(store: Store, folder: str, now: float) -> None:
    try:
        write_view(store, folder, now)
    except (StoreError, OSError):
        return  # a view: approvals are unaffected


def write_view(store: Store, folder: str, now: float) -> None:
    """Writes the view in the host's own folder. Raises StoreError and OSError."""
    confirmed = [
        {
            "tool": answer.tool,
            "operation": answer.shown.removeprefix(f"{answer.tool} "),
            "ts": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(answer.at)),
            "session": scope.name.partition("/")[2],
        }
        for scope, _, answer in iter_valid_approvals(store, now)
        if scope.kind == "session"
    ]
    path = f"{folder}/{VIEW_FILE}"
    text = (json.dumps({"confirmed": confirmed}, indent=1) + "\n").encode()
    if confirmed or files.read_file(path) not in (None, text):
        files.write_file(path, text, 0o600)
