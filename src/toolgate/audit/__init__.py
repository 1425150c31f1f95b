"""What is kept of a decision: one record each, in an append-only file a day. It never changes an answer."""

from toolgate.model.decision import Decision, Verdict
from toolgate.model.rule import Policy

from .record import Record
from .sinks import jsonl

__all__ = ["Record", "wanted", "write"]


def wanted(policy: Policy, decision: Decision) -> bool:
    """Does the policy's `log` ask for a record of this decision? An intervention is anything but silence."""
    if policy.audit == "off":
        return False
    return policy.audit == "decisions" or max(decision.judged, decision.verdict) > Verdict.PASS or bool(decision.waived)


def write(folder: str, record: Record) -> str:
    """Appends to the log in `<state>/audit/`. What went wrong, in a sentence for the user; empty when nothing did."""
    return jsonl.append(folder, record)
