"""Reads policies.json of a team of agents, section by section. No section lowers a floor, and the redaction of secrets cannot be
switched off."""

import json
from typing import Annotated

from msgspec import Meta, Struct, to_builtins

from toolgate.consent.lockouts import ESCALATES
from toolgate.model.decision import Verdict
from toolgate.model.rule import Redaction, WrittenRule
from toolgate.policy.statements import Stated, Statements

from . import converted, expression
from .guardrails import name_of

BLOCKLIST = (
    *("filesystem.delete-recursive", "git.force-push", "git.rebase", "git.hard-reset", "git.clean", "git.discard"),
    *("git.rewrite-history", "network.download-and-run", "packages.publish"),
)
"""The design's own patterns, as rules without floors."""

GUARDS = ("team.coordinator-writes", "team.edit-log", "team.own-charter", "team.write-outside-scope")
LOCKOUTS = ("team.locked-out", "team.too-many-lockouts")

Text = Annotated[str, Meta(min_length=1, max_length=500)]


class Blocked(Struct, forbid_unknown_fields=True, frozen=True):
    pattern: Text
    reason: Text


class ShellBlocklist(Struct, forbid_unknown_fields=True, frozen=True):
    enabled: bool = True
    customPatterns: list[Blocked] = []
    allowForceWithLease: bool = True


class Replaced(Struct, forbid_unknown_fields=True, frozen=True):
    pattern: Text
    replacement: str


class PiiScrubbing(Struct, forbid_unknown_fields=True, frozen=True):
    enabled: bool = True
    customPatterns: list[Replaced] = []
    excludePatterns: list[Text] = []


class AskUserLimits(Struct, forbid_unknown_fields=True, frozen=True):
    maxQuestionsPerSession: int = 5
    minResponseLength: int = 10


class FileWriteGuards(Struct, forbid_unknown_fields=True, frozen=True):
    enabled: bool = True
    additionalAllowedPaths: dict[str, list[Text]] = {}


class ReviewerLockout(Struct, forbid_unknown_fields=True, frozen=True):
    enabled: bool = True
    escalateToUserAfterLockoutCount: int = ESCALATES


class File(Struct, forbid_unknown_fields=True, frozen=True):
    shellBlocklist: ShellBlocklist = ShellBlocklist()
    piiScrubbing: PiiScrubbing = PiiScrubbing()
    askUserLimits: AskUserLimits | None = None
    fileWriteGuards: FileWriteGuards = FileWriteGuards()
    reviewerLockout: ReviewerLockout = ReviewerLockout()


def defaults() -> str:
    """Returns the file as it is created: the default values, to be changed."""
    return json.dumps(to_builtins(File(askUserLimits=AskUserLimits())), indent=2) + "\n"


def read(data: bytes, file: str) -> Statements:
    said = converted(data, file, File)
    limits = said.askUserLimits
    return Statements(
        "project",
        file,
        switches={"max_questions": limits.maxQuestionsPerSession, "shortest_answer": limits.minResponseLength} if limits else {},
        rules={**_blocklist(said.shellBlocklist), **_guards(said.fileWriteGuards), **_lockout(said.reviewerLockout)},
        written=_patterns(said.shellBlocklist, file),
        redaction=_redaction(said.piiScrubbing, file),
    )


OFF = Stated(Verdict.PASS, Verdict.PASS)


def _blocklist(said: ShellBlocklist) -> dict[str, Stated]:
    if not said.enabled:
        return dict.fromkeys(BLOCKLIST, OFF)
    return {} if said.allowForceWithLease else {"git.force-push": Stated(Verdict.DENY, options={"lease_is_fine": False})}


def _patterns(said: ShellBlocklist, file: str) -> tuple[WrittenRule, ...]:
    return tuple(
        WrittenRule(
            f"project.squad.{name_of(each.pattern)}",
            Verdict.DENY,
            each.reason,
            "project",
            text=expression(each.pattern, file, f"shellBlocklist.customPatterns[{n + 1}].pattern"),
            unsure=Verdict.DENY,
        )
        for n, each in enumerate(said.customPatterns if said.enabled else ())
    )


def _guards(said: FileWriteGuards) -> dict[str, Stated]:
    if not said.enabled:
        return dict.fromkeys(GUARDS, OFF)
    paths = {name: tuple(each) for name, each in said.additionalAllowedPaths.items() if each}
    return {"team.write-outside-scope": Stated(options={"additional": paths})} if paths else {}


def _lockout(said: ReviewerLockout) -> dict[str, Stated]:
    if not said.enabled:
        return dict.fromkeys(LOCKOUTS, OFF)
    limit = said.escalateToUserAfterLockoutCount
    return {"team.too-many-lockouts": Stated(options={"limit": limit})} if limit != ESCALATES else {}


def _redaction(said: PiiScrubbing, file: str) -> Redaction:
    """Reads `[PHONE REDACTED]` as the kind `phone`. An exclusion is the end of an address (`@example.com`), or a text."""
    patterns = tuple(
        (_kind(each.replacement), expression(each.pattern, file, f"piiScrubbing.customPatterns[{n + 1}].pattern"))
        for n, each in enumerate(said.customPatterns)
    )
    alone = [each.removeprefix("*") for each in said.excludePatterns]
    return Redaction(
        personal=(),
        patterns=patterns,
        values=tuple(each for each in alone if not each.startswith("@")),
        domains=tuple(each[1:] for each in alone if each.startswith("@")),
    )


def _kind(replacement: str) -> str:
    return name_of(replacement.upper().replace("REDACTED", "")).replace("_", "-") or "pattern"
