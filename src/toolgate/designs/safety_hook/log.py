"""The fleet design's own log, a line for each decision: `2026-11-20T12:00:00Z BLOCK Bash [git.force-push] "git push -f"`.

An agent's text is one JSON string in plain ASCII: its line breaks do not break lines of the log.
"""

import json
import os
import stat
import time

from toolgate.machine import descriptors
from toolgate.machine.environment import SAFETY_LOG_VARIABLE
from toolgate.model.decision import Decision, Verdict

VERDICT_WORDS = {Verdict.PASS: "ALLOW", Verdict.WARN: "WARN", Verdict.ASK: "BLOCK", Verdict.DENY: "BLOCK"}
FAIL_CLOSED = "FAIL-CLOSED"
MAX_OPERATION_LENGTH = 2000
"""Characters of an operation."""
_OPEN_FLAGS = (
    os.O_RDWR | os.O_APPEND | os.O_CREAT | descriptors.CLOEXEC | descriptors.NOFOLLOW | descriptors.NONBLOCK | descriptors.NOCTTY
)


def render_entry(tool: str, operation: str, decision: Decision, now: float) -> str:
    """`operation` has its secrets redacted."""
    rules = ",".join(dict.fromkeys(finding.rule for finding in decision.findings if finding.verdict is decision.judged))
    named = f" [{rules}]" if rules and decision.verdict else ""
    return f"{_format_time(now)} {VERDICT_WORDS[decision.verdict]} {_as_one_word(tool)}{named} {_quote_text(operation)}\n"


def render_note(word: str, about: str, now: float) -> str:
    """Returns a line other than a decision: FAIL-CLOSED, DEPLOYED, DEPLOY-FAILED."""
    return f"{_format_time(now)} {word} {_quote_text(about)}\n"


def append_line(path: str, line: str) -> str:
    """Adds the line. Returns what went wrong, in a sentence; empty when nothing did."""
    try:
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        descriptor = os.open(path, _OPEN_FLAGS, 0o600)
        try:
            if not _is_log_file(descriptor):
                return f"{path} is no log: nothing is written to it; set {SAFETY_LOG_VARIABLE} to a file of its own"
            os.write(descriptor, line.encode())
        finally:
            os.close(descriptor)
    except OSError as problem:
        return f"the log {path} cannot be written: {problem.strerror or problem}"
    return ""


def _is_log_file(descriptor: int) -> bool:
    """Returns whether the file is empty or a log: the variable could name any file of the user's, such as a shell's start-up
    file."""
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        return False
    first = descriptors.read_at(descriptor, 6, 0).lstrip(b"[")
    return not first or (len(first) > 4 and first[:4].isdigit() and first[4:5] == b"-")


def _format_time(now: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))


def _as_one_word(text: str) -> str:
    return "".join(char if char.isascii() and char.isprintable() and char != " " else "?" for char in text[:120]) or "?"


def _quote_text(text: str) -> str:
    return json.dumps(text if len(text) <= MAX_OPERATION_LENGTH else f"{text[:MAX_OPERATION_LENGTH]} ...")
