"""The fleet design's own log, a line for each decision: `2026-11-20T12:00:00Z BLOCK Bash [git.force-push] "git push -f"`.

An agent's text is one JSON string in plain ASCII: its line breaks do not break lines of the log.
"""

import json
import os
import stat
import time

from toolgate.machine.environment import SAFETY_LOG_VARIABLE
from toolgate.model.decision import Decision, Verdict

WORDS = {Verdict.PASS: "ALLOW", Verdict.WARN: "WARN", Verdict.ASK: "BLOCK", Verdict.DENY: "BLOCK"}
CLOSED = "FAIL-CLOSED"
LONGEST = 2000
"""Characters of an operation."""
_WAYS_IN = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY


def entry(tool: str, operation: str, decision: Decision, now: float) -> str:
    """`operation` has its secrets redacted."""
    rules = ",".join(dict.fromkeys(finding.rule for finding in decision.findings if finding.verdict is decision.judged))
    named = f" [{rules}]" if rules and decision.verdict else ""
    return f"{_at(now)} {WORDS[decision.verdict]} {_one_word(tool)}{named} {_quoted(operation)}\n"


def note(word: str, about: str, now: float) -> str:
    """Returns a line other than a decision: FAIL-CLOSED, DEPLOYED, DEPLOY-FAILED."""
    return f"{_at(now)} {word} {_quoted(about)}\n"


def append(path: str, line: str) -> str:
    """Adds the line. Returns what went wrong, in a sentence; empty when nothing did."""
    try:
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        descriptor = os.open(path, _WAYS_IN, 0o600)
        try:
            if not _is_a_log(descriptor):
                return f"{path} is no log: nothing is written to it; set {SAFETY_LOG_VARIABLE} to a file of its own"
            os.write(descriptor, line.encode())
        finally:
            os.close(descriptor)
    except OSError as problem:
        return f"the log {path} cannot be written: {problem.strerror or problem}"
    return ""


def _is_a_log(descriptor: int) -> bool:
    """Returns whether the file is empty or a log: the variable could name any file of the user's, such as a shell's start-up
    file."""
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        return False
    first = os.pread(descriptor, 6, 0).lstrip(b"[")
    return not first or (len(first) > 4 and first[:4].isdigit() and first[4:5] == b"-")


def _at(now: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))


def _one_word(text: str) -> str:
    return "".join(char if char.isascii() and char.isprintable() and char != " " else "?" for char in text[:120]) or "?"


def _quoted(text: str) -> str:
    return json.dumps(text if len(text) <= LONGEST else f"{text[:LONGEST]} ...")
