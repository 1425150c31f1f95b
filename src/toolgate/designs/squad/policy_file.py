"""Reads policies.json of a team of agents, section by section. No section lowers a floor, and the redaction of secrets cannot be
switched off."""

import json
from typing import Annotated

from msgspec import Meta, Struct, to_builtins

from toolgate.consent.lockouts import ESCALATION_COUNT
from toolgate.model.decision import Verdict
from toolgate.model.rule import Redaction, WrittenRule
from toolgate.policy.formats import build_pattern_name, check_expression, parse_file
from toolgate.policy.statements import RuleSetting, Statements

BLOCKLIST_RULES = (
    *("filesystem.delete-recursive", "git.force-push", "git.rebase", "git.hard-reset", "git.clean", "git.discard"),
    *("git.rewrite-history", "network.download-and-run", "packages.publish"),
)
"""The design's own patterns, as rules without floors."""

WRITE_GUARD_RULES = ("team.coordinator-writes", "team.edit-log", "team.own-charter", "team.write-outside-scope")
LOCKOUT_RULES = ("team.locked-out", "team.too-many-lockouts")

Text = Annotated[str, Meta(min_length=1, max_length=500)]


class BlockedPattern(Struct, forbid_unknown_fields=True, frozen=True):
    pattern: Text
    reason: Text


class ShellBlocklist(Struct, forbid_unknown_fields=True, frozen=True):
    enabled: bool = True
    customPatterns: list[BlockedPattern] = []
    allowForceWithLease: bool = True


class ReplacedPattern(Struct, forbid_unknown_fields=True, frozen=True):
    pattern: Text
    replacement: Annotated[str, Meta(max_length=100)]


class PiiScrubbing(Struct, forbid_unknown_fields=True, frozen=True):
    enabled: bool = True
    customPatterns: list[ReplacedPattern] = []
    excludePatterns: list[Text] = []


class AskUserLimits(Struct, forbid_unknown_fields=True, frozen=True):
    maxQuestionsPerSession: int = 5
    minResponseLength: int = 10


class FileWriteGuards(Struct, forbid_unknown_fields=True, frozen=True):
    enabled: bool = True
    additionalAllowedPaths: dict[str, list[Text]] = {}


class ReviewerLockout(Struct, forbid_unknown_fields=True, frozen=True):
    enabled: bool = True
    escalateToUserAfterLockoutCount: int = ESCALATION_COUNT


class SquadFile(Struct, forbid_unknown_fields=True, frozen=True):
    shellBlocklist: ShellBlocklist = ShellBlocklist()
    piiScrubbing: PiiScrubbing = PiiScrubbing()
    askUserLimits: AskUserLimits | None = None
    fileWriteGuards: FileWriteGuards = FileWriteGuards()
    reviewerLockout: ReviewerLockout = ReviewerLockout()


def render_defaults() -> str:
    """Returns the file as it is created: the default values, to be changed."""
    return json.dumps(to_builtins(SquadFile(askUserLimits=AskUserLimits())), indent=2) + "\n"


def read_statements(data: bytes, file: str) -> Statements:
    squad_policy = parse_file(data, file, SquadFile)
    limits = squad_policy.askUserLimits
    return Statements(
        "project",
        file,
        switches={"max_questions": limits.maxQuestionsPerSession, "shortest_answer": limits.minResponseLength} if limits else {},
        rules={
            **_read_blocklist(squad_policy.shellBlocklist),
            **_read_guards(squad_policy.fileWriteGuards),
            **_read_lockout(squad_policy.reviewerLockout),
        },
        written=_read_patterns(squad_policy.shellBlocklist, file),
        redaction=_read_redaction(squad_policy.piiScrubbing, file),
    )


RULE_OFF = RuleSetting(Verdict.PASS, Verdict.PASS)


def _read_blocklist(blocklist: ShellBlocklist) -> dict[str, RuleSetting]:
    if not blocklist.enabled:
        return dict.fromkeys(BLOCKLIST_RULES, RULE_OFF)
    return (
        {} if blocklist.allowForceWithLease else {"git.force-push": RuleSetting(Verdict.DENY, options={"lease_is_fine": False})}
    )


def _read_patterns(blocklist: ShellBlocklist, file: str) -> tuple[WrittenRule, ...]:
    return tuple(
        WrittenRule(
            f"project.squad.{build_pattern_name(each.pattern)}",
            Verdict.DENY,
            each.reason,
            "project",
            text=check_expression(each.pattern, file, f"shellBlocklist.customPatterns[{n + 1}].pattern"),
            unsure=Verdict.DENY,
        )
        for n, each in enumerate(blocklist.customPatterns if blocklist.enabled else ())
    )


def _read_guards(guards: FileWriteGuards) -> dict[str, RuleSetting]:
    if not guards.enabled:
        return dict.fromkeys(WRITE_GUARD_RULES, RULE_OFF)
    paths = {name: tuple(each) for name, each in guards.additionalAllowedPaths.items() if each}
    return {"team.write-outside-scope": RuleSetting(options={"additional": paths})} if paths else {}


def _read_lockout(lockout: ReviewerLockout) -> dict[str, RuleSetting]:
    if not lockout.enabled:
        return dict.fromkeys(LOCKOUT_RULES, RULE_OFF)
    limit = lockout.escalateToUserAfterLockoutCount
    return {"team.too-many-lockouts": RuleSetting(options={"limit": limit})} if limit != ESCALATION_COUNT else {}


def _read_redaction(scrubbing: PiiScrubbing, file: str) -> Redaction:
    """Reads the first pattern, replaced by `[PHONE REDACTED]`, as the kind `phone-1`. An exclusion is the end of an address
    (`@example.com`), or a text."""
    kinds = [f"{_pattern_kind(each.replacement)}-{n + 1}" for n, each in enumerate(scrubbing.customPatterns)]
    patterns = tuple(
        (kind, check_expression(each.pattern, file, f"piiScrubbing.customPatterns[{n + 1}].pattern"))
        for n, (kind, each) in enumerate(zip(kinds, scrubbing.customPatterns, strict=True))
    )
    alone = [each.removeprefix("*") for each in scrubbing.excludePatterns]
    return Redaction(
        personal=(),
        patterns=patterns,
        values=tuple(each for each in alone if not each.startswith("@")),
        domains=tuple(each[1:] for each in alone if each.startswith("@")),
        replacements=tuple((kind, each.replacement) for kind, each in zip(kinds, scrubbing.customPatterns, strict=True)),
    )


def _pattern_kind(replacement: str) -> str:
    return build_pattern_name(replacement.upper().replace("REDACTED", "")).replace("_", "-") or "pattern"
