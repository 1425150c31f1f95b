"""Decisions, and the findings they are based on."""

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from .effect import Effect
from .stakes import Stakes
from .word import Maybe

Rate = tuple[int, float]


class Verdict(IntEnum):
    """Ordered: verdicts combine by maximum. PASS is silence: the host's own permissions apply."""

    PASS = 0
    WARN = 1
    ASK = 2
    DENY = 3


class Match(NamedTuple):
    """What a rule found, without severity. `instead`: a command or a sentence for doing the work another way. `without`: words
    of the command without which there would be no match. `stakes`: what would be lost, if it was counted. `advice`: a sentence
    that replaces a command of `instead` which is not offered."""

    effect: Effect
    reason: str
    instead: str = ""
    sure: Maybe = True
    without: tuple[str, ...] = ()
    stakes: Stakes | None = None
    advice: str = ""

    @property
    def remedy(self) -> str:
        return self.instead or self.advice


class Finding(NamedTuple):
    """A match with the policy's verdict. `floor`: the verdict nothing lowers. `rate`: the match applies only after this many
    calls in this many seconds."""

    rule: str
    verdict: Verdict
    match: Match
    floor: Verdict = Verdict.PASS
    rate: Rate | None = None


@dataclass(frozen=True, slots=True)
class RewrittenCommand:
    """A replacement for a shell command, which does the same and more."""

    command: str


@dataclass(frozen=True, slots=True)
class RewrittenResult:
    """A tool's result with parts of it replaced, in the tool's own shape."""

    response: object


@dataclass(frozen=True, slots=True)
class Decision:
    """`judged`: the maximum of the findings. `verdict`: the answer, after caps, waivers and modes.

    `tell_user` and `tell_agent` are empty if there is nothing to tell. `to_user_alone` replaces the former: it contains a
    code, and is sent only by the host's message to its user. `allowed`: why the host need not ask its own question about a call
    that passes; empty: the host decides. `copy`: the id of the copy that was kept for `toolgate undo`; empty where there is none.
    """

    judged: Verdict
    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    waived: tuple[Finding, ...] = ()
    tell_user: str = ""
    tell_agent: str = ""
    to_user_alone: str = ""
    rewrite: RewrittenCommand | RewrittenResult | None = None
    allowed: str = ""
    copy: str = ""


NO_OBJECTION = Decision(Verdict.PASS, Verdict.PASS)
