"""The statements of one policy file, or of one profile: parsed and checked, not yet merged."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from toolgate.model.decision import Rate, Verdict
from toolgate.model.place import Zone
from toolgate.model.rule import Author, Redaction, Ruling, WrittenRule


@dataclass(frozen=True, slots=True)
class RuleSetting:
    """The settings of one rule. None: not set."""

    verdict: Verdict | None = None
    unsure: Verdict | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    rate: Rate | None = None

    def apply_to(self, before: Ruling) -> Ruling:
        """Returns the ruling with this setting. Lowering a verdict without setting `unsure` lowers `unsure` too. A rate belongs
        to the verdict beside it."""
        verdict = before.verdict if self.verdict is None else self.verdict
        unsure = before.unsure if self.verdict is None else min(before.unsure, verdict)
        rate = before.rate if self.verdict is None and self.rate is None else self.rate
        return Ruling(verdict, unsure if self.unsure is None else self.unsure, {**before.options, **self.options}, rate)


@dataclass(frozen=True, slots=True)
class FloorSetting:
    sure: Verdict
    unsure: Verdict
    reason: str


@dataclass(frozen=True, slots=True)
class Example:
    """A command that a written rule must stop, or must leave alone."""

    rule: WrittenRule
    text: str
    stops: bool
    key: str
    line: int | None


NO_REDACTION_SETTING = Redaction(personal=())


@dataclass(frozen=True, slots=True)
class Statements:
    """`switches` are the keys beside rules (`human`, `cap`, ...). `projects`: a user's settings for projects, by folder."""

    author: Author | Literal["profile"]
    file: str
    profile: str = ""
    switches: Mapping[str, object] = field(default_factory=dict)
    rules: Mapping[str, RuleSetting] = field(default_factory=dict)
    floors: Mapping[str, FloorSetting] = field(default_factory=dict)
    written: tuple[WrittenRule, ...] = ()
    examples: tuple[Example, ...] = ()
    projects: Mapping[str, Mapping[str, RuleSetting]] = field(default_factory=dict)
    users_may_lower: tuple[str, ...] = ()
    safe: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()
    workplaces: tuple[Zone, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    redaction: Redaction = NO_REDACTION_SETTING
    tools: Mapping[tuple[str, str], Mapping[str, str | tuple[str, ...]]] = field(default_factory=dict)
    store: str = ""
    checkpoint: str = ""
    log_limits: Mapping[str, float] = field(default_factory=dict)
    undo: Mapping[str, float] = field(default_factory=dict)
    wrappers: Mapping[str, str] = field(default_factory=dict)
