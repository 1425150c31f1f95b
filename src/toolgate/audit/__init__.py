"""Records decisions: one record each, in an append-only file for each day. It never changes an answer."""

import os
from typing import TYPE_CHECKING

from toolgate.machine import descriptors
from toolgate.model.decision import Decision, Verdict
from toolgate.model.rule import LOG_LIMITS, LogLimits, Policy

if TYPE_CHECKING:
    from .record import OutcomeRecord, Record


def should_record(policy: Policy, decision: Decision) -> bool:
    """Returns whether the policy's `log` requires a record of this decision. An intervention is anything but silence."""
    if policy.audit == "off":
        return False
    spoke = decision.waived or decision.allowed or max(decision.judged, decision.verdict) > Verdict.PASS
    return policy.audit == "decisions" or bool(spoke)


def write_record(folder: str, record: "Record | OutcomeRecord", limits: LogLimits = LOG_LIMITS) -> str:
    """Appends to the log in `<state>/audit/`, which is kept within the limits. Returns what went wrong, in a sentence for the
    user; empty when nothing did."""
    from .sinks.jsonl import append_record  # a policy may turn records off

    return append_record(folder, record.utc_day, record.render_line(), limits=limits)


def was_kept_by_older_version(folder: str) -> bool:
    """Returns whether a log is there, and all of it was written before logs had a chain."""
    from .chain import HEAD_FILE
    from .segments import list_segments

    try:
        return not os.path.exists(f"{folder}/{HEAD_FILE}") and bool(list_segments(folder))
    except OSError:
        return False


def is_marked(cache: str, session: str, mark: str) -> bool:
    """Returns whether `mark_first_time` was called with this mark for the session before, and could store it."""
    return os.path.exists(_mark_path(cache, session, mark))


def _mark_path(cache: str, session: str, mark: str) -> str:
    from hashlib import sha256

    return f"{cache}/sessions/{sha256(session.encode(errors='surrogatepass')).hexdigest()[:32]}.{mark}"


def mark_first_time(cache: str, session: str, mark: str = "told") -> bool:
    """Marks the session and returns whether it was unmarked. Where the mark cannot be stored, every time is the first."""
    try:
        os.makedirs(f"{cache}/sessions", 0o700, exist_ok=True)  # pruned with the pinned policies
        os.close(
            os.open(
                _mark_path(cache, session, mark),
                os.O_WRONLY | os.O_CREAT | os.O_EXCL | descriptors.CLOEXEC | descriptors.NOFOLLOW,
                0o600,
            )
        )
    except FileExistsError:
        return False
    except OSError:
        return True
    return True
