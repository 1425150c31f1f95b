"""toolgate's own command line: what changes or stops the gate, and what only asks it."""

from collections.abc import Iterator

from toolgate.model.effect import Operation, Prints, Reported
from toolgate.model.seen import Seen
from toolgate.model.word import Maybe, Word, joined, known

from .program import Program

ASKS = (
    "check",
    "explain",
    "doctor",
    "test",
    "rules",
    "approvals",
    "inventory",
    "prompt",
    "scan",
    "redact",
    "completion",
    "confirm",
    "watch",
)
"""Verbs that change nothing of the gate. Every other one does."""


def toolgate(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    words = [word for word in argv[1:] if word.starts("-") is False]
    verb = words[0] if words else None
    texts = {word.text for word in argv[1:]}
    asks = verb is None or (verb.text in ASKS and not texts & {"--repair", "--live", "deny", "revoke"})
    looks = (
        verb is not None
        and verb.text in ("policy", "daemon", "lockout", "team", "settings")
        and texts & {"show", "schema", "check", "status", "logs", "unit", "list", "diff", "render"}
    )
    dry = verb is not None and verb.text in ("install", "uninstall", "deploy", "settings") and "--dry-run" in texts
    helps = texts & {"--help", "-h"}
    if not helps and not looks and verb is not None and verb.text == "lockout":
        yield Operation("team.lockout", seen.origin, joined(argv[2:]), (("adds", _is(words[1:2], "add")),))
    elif not helps and verb is not None and (verb.text in ("approve", "hook") or (verb.text == "approvals" and not asks)):
        yield Operation("gate.answer", seen.origin, verb)
    elif not (helps or asks or looks or dry):
        yield Operation("gate.control", seen.origin, verb)
    yield Prints(seen.output("toolgate"))


def _is(words: list[Word], text: str) -> Maybe:
    return words[0].equals(text) if words else False


def hook(_argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """What a host starts by itself: from a command line it could only be told a host's words."""
    yield Operation("gate.answer", seen.origin, known("hook"))


ROWS: dict[str, Program] = {"toolgate": Program(does=toolgate), "toolgate-hook": Program(does=hook)}
