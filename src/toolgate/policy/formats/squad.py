"""policies.json of a team of agents: its shell blocklist. The other sections are checked here, and read where they are used."""

from typing import Annotated

from msgspec import Meta, Struct

from toolgate.model.decision import Verdict
from toolgate.model.rule import WrittenRule
from toolgate.policy.statements import Stated, Statements

from . import converted, expression
from .guardrails import name_of

BLOCKLIST = (
    *("filesystem.delete-recursive", "git.force-push", "git.rebase", "git.hard-reset", "git.clean", "git.discard"),
    *("git.rewrite-history", "network.download-and-run", "packages.publish"),
)
"""The design's own patterns, as rules that are no floors."""

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
    escalateToUserAfterLockoutCount: int = 3


class File(Struct, forbid_unknown_fields=True, frozen=True):
    shellBlocklist: ShellBlocklist = ShellBlocklist()
    piiScrubbing: PiiScrubbing = PiiScrubbing()
    askUserLimits: AskUserLimits = AskUserLimits()
    fileWriteGuards: FileWriteGuards = FileWriteGuards()
    reviewerLockout: ReviewerLockout = ReviewerLockout()


def read(data: bytes, file: str) -> Statements:
    said = converted(data, file, File).shellBlocklist
    rules: dict[str, Stated] = {}
    if not said.enabled:
        rules.update(dict.fromkeys(BLOCKLIST, Stated(Verdict.PASS, Verdict.PASS)))
    elif not said.allowForceWithLease:
        rules["git.force-push"] = Stated(Verdict.DENY, options={"lease_is_fine": False})
    written = tuple(
        WrittenRule(
            f"project.squad.{name_of(each.pattern)}",
            Verdict.DENY,
            each.reason,
            "project",
            text=expression(each.pattern, file, f"shellBlocklist.customPatterns[{n + 1}].pattern"),
            unsure=Verdict.DENY,
        )
        for n, each in enumerate(said.customPatterns)
    )
    return Statements("project", file, rules=rules, written=written if said.enabled else ())
