"""What was decided, and from what."""

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from .effect import Effect
from .stakes import Stakes
from .word import Maybe

Rate = tuple[int, float]


class Verdict(IntEnum):
    """Ordered: several verdicts together are their maximum. PASS is silence: the host's own permissions stand."""

    PASS = 0
    WARN = 1
    ASK = 2
    DENY = 3


class Match(NamedTuple):
    """What a rule says: that, not how bad. `instead` is a command or a sentence that gets the work done another way. `without`:
    words of the command but for which there would be nothing to say. `stakes`: what would be lost, where it was counted."""

    effect: Effect
    reason: str
    instead: str = ""
    sure: Maybe = True
    without: tuple[str, ...] = ()
    stakes: Stakes | None = None


class Finding(NamedTuple):
    """A match with the verdict that the policy gives it. `floor` is the verdict nothing lowers. `rate`: it counts only from the
    call on that is one too many: how many calls, in how many seconds."""

    rule: str
    verdict: Verdict
    match: Match
    floor: Verdict = Verdict.PASS
    rate: Rate | None = None


@dataclass(frozen=True, slots=True)
class Input:
    """A shell command with another one in its place, which does the same and more."""

    command: str


@dataclass(frozen=True, slots=True)
class Output:
    """A tool's result with something else in the place of parts of it, in the tool's own shape."""

    response: object


@dataclass(frozen=True, slots=True)
class Decision:
    """`judged`: what the findings come to by themselves. `verdict`: what is answered, after caps, waivers and modes.

    `tell_user` and `tell_agent` are empty where there is nothing to say. `to_user_alone` takes the place of the former: it holds
    a code, goes by the host's message to its user, and nowhere else. `allowed`: why the host need not ask its own question about
    a call that passes; empty: it decides for itself.
    """

    judged: Verdict
    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    waived: tuple[Finding, ...] = ()
    tell_user: str = ""
    tell_agent: str = ""
    to_user_alone: str = ""
    rewrite: Input | Output | None = None
    allowed: str = ""


NO_OBJECTION = Decision(Verdict.PASS, Verdict.PASS)
