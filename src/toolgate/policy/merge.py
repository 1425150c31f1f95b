"""Merges the layers' statements to one policy (laws 9 and 10 of the architecture).

From the bottom: the rows' own defaults; the organisation's profile and file; the user's profile and file, which lower only what
the organisation lets users lower, and anything but floors where there is no organisation; the user's settings for this project;
the project's own file, which only raises; the profile of the environment, which only raises; and last the floors.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from toolgate.designs import POLICY_FILES
from toolgate.model.decision import Verdict
from toolgate.model.glob import name_matches
from toolgate.model.place import WORKPLACES, Workplaces
from toolgate.model.rule import (
    DEFAULT_REDACTION,
    LOG_LIMITS,
    UNDO_LIMITS,
    DescribedTool,
    LogLimits,
    LoweredFloor,
    Policy,
    Redaction,
    RuleRow,
    Ruling,
    UndoLimits,
    WrittenRule,
)

from .statements import RuleSetting, Statements
from .strictness import FIELDS, stricter_limits, stricter_ruling, stricter_value


@dataclass(frozen=True, slots=True)
class Source:
    """The source of a value."""

    layer: str
    file: str
    key: str


@dataclass(frozen=True, slots=True)
class MergedPolicy:
    """The policy, and the source of every rule and switch that a layer sets.

    `below_floors`: where a file sets a rule below its floor, which has no effect.
    """

    policy: Policy
    sources: Mapping[str, Source]
    below_floors: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Layers:
    """None: there is no such file. `joined` is the profile that the environment names; `here` returns whether a folder contains
    the session's project."""

    organisation: Statements | None = None
    user: Statements | None = None
    project: Statements | None = None
    joined: Statements | None = None
    here: Callable[[str], bool] = lambda _folder: False
    imported: tuple[Statements, ...] = ()


def merge(
    table: Mapping[str, RuleRow], layers: Layers, profile: Callable[[str], Statements], instead_of_profile: str = ""
) -> MergedPolicy:
    """`profile` returns a profile by name; `instead_of_profile` replaces the one the files name (`check --profile`)."""
    draft = _Draft(table)
    organisation, user = layers.organisation, layers.user
    if instead_of_profile:
        draft.profile = instead_of_profile
        draft.apply_statements(profile(instead_of_profile), lambda _name: True)
    for layer in (organisation, user):
        if layer is None:
            continue
        may_lower = _find_lowering_permission(layer, organisation)
        if layer.profile and not instead_of_profile:
            draft.profile = layer.profile
            draft.apply_statements(profile(layer.profile), may_lower)
        if layer is user:
            draft.apply_imported(layers)
        if layer is organisation or organisation is None:
            draft.lower_floors(layer)
        elif layer.floors:
            draft.record_refusal(layer, *(f'floors."{rule}"' for rule in layer.floors))
            draft.below_floors += [Source(layer.author, layer.file, f'floors."{rule}"') for rule in layer.floors]
        draft.apply_statements(layer, may_lower)
        draft.apply_redaction(layer, may_lower)
        draft.set_store(layer)
        draft.set_checkpoint(layer)
        draft.set_log_limits(layer)
        draft.add_wrappers(layer, may_lower)
        draft.add_tools(layer, may_lower)
        draft.apply_project_rules(layer, layers, may_lower)
    if user is None:
        draft.apply_imported(layers)
    for layer in (layers.project, layers.joined):
        if layer is not None:
            draft.apply_statements(layer, lambda _name: False)
            draft.apply_redaction(layer, lambda _name: False)
            draft.add_tools(layer, lambda _name: False)
    return draft.build_policy(
        tuple(rule for layer in (organisation, user, layers.project) if layer for rule in layer.written)
        + tuple(rule for layer in layers.imported for rule in layer.written)
    )


def _find_lowering_permission(layer: Statements, organisation: Statements | None) -> Callable[[str], bool]:
    """Returns which rules and switches a layer may lower: all, except for a user below an organisation."""
    if layer is organisation or organisation is None:
        return lambda _name: True
    allowed = organisation.users_may_lower
    return lambda name: any(name_matches(pattern, name) for pattern in allowed)


@dataclass(slots=True)
class _Draft:
    """The policy while it is being merged."""

    table: Mapping[str, RuleRow]
    profile: str = "default"
    rulings: dict[str, Ruling] = field(default_factory=dict)
    switches: dict[str, object] = field(default_factory=dict)
    floors: dict[str, LoweredFloor] = field(default_factory=dict)
    sources: dict[str, Source] = field(default_factory=dict)
    refused: dict[str, list[str]] = field(default_factory=dict)
    below_floors: list[Source] = field(default_factory=list)
    places: Workplaces = WORKPLACES
    names: Mapping[str, str] = field(default_factory=dict)
    redaction: Redaction = DEFAULT_REDACTION
    tools: tuple[DescribedTool, ...] = ()
    wrappers: dict[str, str] = field(default_factory=dict)
    store: str = ""
    store_is_fixed: bool = False
    checkpoint: str = ""
    log_limits: LogLimits = LOG_LIMITS
    undo_limits: UndoLimits = UNDO_LIMITS
    stated: set[str] = field(default_factory=set)

    def apply_statements(self, layer: Statements, may_lower: Callable[[str], bool], section: str = "rules") -> None:
        for rule, stated in layer.rules.items():
            if rule in self.table:
                self.apply_rule(layer, rule, stated, section, lowers=may_lower(rule))
        for name, value in layer.switches.items():
            before = self.switches.get(name, _DEFAULTS[name])
            after = value if may_lower(name) else stricter_value(name, before, value)
            if after != before:
                self.switches[name] = after
                self.sources[name] = Source(layer.author, layer.file, name)
            elif value != before:
                self.record_refusal(layer, name)
        self.apply_zones(layer, lowers=may_lower("zones.safe"))
        self.apply_undo_limits(layer, lowers=may_lower("undo"))

    def apply_undo_limits(self, layer: Statements, *, lowers: bool) -> None:
        """More copies let more calls run unasked: only a layer that may loosen raises a limit."""
        before = self.undo_limits
        limits = before._replace(**layer.undo)
        self.undo_limits = limits if lowers else stricter_limits(before, limits)
        if self.undo_limits != before:
            self.sources["[undo]"] = Source(layer.author, layer.file, "undo")
        elif limits != before:
            self.record_refusal(layer, "undo")

    def apply_project_rules(self, layer: Statements, layers: Layers, may_lower: Callable[[str], bool]) -> None:
        """Applies a user's settings for single projects, the nearest folder's last."""
        for folder, rules in sorted(layer.projects.items(), key=lambda each: len(each[0])):
            if layers.here(folder):
                statements = Statements(layer.author, layer.file, rules=rules)
                self.apply_statements(statements, may_lower, f'project."{folder}".rules')

    def apply_imported(self, layers: Layers) -> None:
        """Applies other designs' files: each lowers only under its own profile, a project's only where the user names that
        project."""
        named = layers.user is not None and any(map(layers.here, layers.user.projects))
        for layer in layers.imported:
            own = self.profile == POLICY_FILES.get(layer.file.rpartition("/")[2])
            trusted = own and (layer.author == "user" or named)
            may_lower = _find_lowering_permission(layer, layers.organisation)
            loosens = may_lower if trusted else lambda _name: False
            self.apply_statements(layer, loosens)
            self.apply_redaction(layer, loosens)

    def apply_zones(self, layer: Statements, *, lowers: bool) -> None:
        """Blocked folders add up; safe folders and workplaces come only from layers that may lower."""
        before = self.places
        if lowers:
            named, safe = layer.workplaces or before.zones, (*before.safe, *layer.safe)
        else:
            named, safe = tuple(zone for zone in before.zones if not layer.workplaces or zone in layer.workplaces), before.safe
            if layer.safe and layer.author != "profile":
                self.record_refusal(layer, "zones.safe")
        self.places = Workplaces(named, tuple(dict.fromkeys(safe)), tuple(dict.fromkeys((*before.blocked, *layer.blocked))))
        if self.places != before:
            self.sources["zones"] = Source(layer.author, layer.file, "zones")
        self.names = layer.names or self.names

    def apply_rule(self, layer: Statements, rule: str, setting: RuleSetting, section: str, *, lowers: bool) -> None:
        self.stated.add(rule)
        before = self.current_ruling(rule)
        after = setting.apply_to(before)
        if not lowers:
            raised = stricter_ruling(self.table[rule], before, after)
            if layer.author == "profile" and max(before.verdict, before.unsure) is Verdict.PASS:
                raised = raised._replace(options=after.options)  # the rule was off, without any setting
            if raised != after:
                self.record_refusal(layer, f'{section}."{rule}"')
                sure, unsure = self.table[rule].floor
                if layer.author != "profile" and (after.verdict < sure or after.unsure < unsure):
                    self.below_floors.append(Source(layer.author, layer.file, f'{section}."{rule}"'))
            after = raised
        if after != before:
            self.rulings[rule] = after
            self.sources[rule] = Source(layer.author, layer.file, f'{section}."{rule}"')

    def current_ruling(self, rule: str) -> Ruling:
        row = self.table[rule]
        return self.rulings.get(rule) or Ruling(row.verdict, row.unsure)

    def apply_redaction(self, layer: Statements, may_lower: Callable[[str], bool]) -> None:
        """Patterns and personal data are added; an exclusion is a loosening."""
        redaction, before = layer.redaction, self.redaction
        loosens = redaction.values or redaction.domains or redaction.paths
        if loosens and not may_lower("redaction.exclude"):
            self.record_refusal(layer, "redaction.exclude")
            redaction = redaction._replace(values=(), domains=(), paths=())
        chosen = redaction.personal and may_lower("redaction.personal")
        self.redaction = Redaction(
            personal=redaction.personal if chosen else _unite(before.personal, redaction.personal),
            patterns=_unite(before.patterns, redaction.patterns),
            values=_unite(before.values, redaction.values),
            domains=_unite(before.domains, redaction.domains),
            paths=_unite(before.paths, redaction.paths),
            replacements=tuple({**dict(redaction.replacements), **dict(before.replacements)}.items()),
        )
        if self.redaction != before:
            self.sources["redaction"] = Source(layer.author, layer.file, "redaction")

    def add_tools(self, layer: Statements, may_lower: Callable[[str], bool]) -> None:
        """Descriptions of tools add up. A description that replaces a guess about the tool is a loosening."""
        adds = not may_lower("mcp")
        self.tools += tuple(DescribedTool(*name, does, layer.file, adds) for name, does in layer.tools.items())

    def add_wrappers(self, layer: Statements, may_lower: Callable[[str], bool]) -> None:
        """Options of a wrapper are no longer read as a command that it may run: that is a loosening, too."""
        if layer.wrappers and not may_lower("wrappers"):
            self.record_refusal(layer, "wrappers")
        elif layer.wrappers:
            self.wrappers |= layer.wrappers
            self.sources["wrappers"] = Source(layer.author, layer.file, "wrappers")

    def set_store(self, layer: Statements) -> None:
        """Moving the store moves the approvals: the organisation's setting is final."""
        if not layer.store:
            return
        if self.store_is_fixed:
            self.record_refusal(layer, "store")
            return
        self.store, self.store_is_fixed = layer.store, layer.author == "organisation"
        self.sources["store"] = Source(layer.author, layer.file, "store")

    def set_checkpoint(self, layer: Statements) -> None:
        """The organisation's setting is final: checkpoints are evidence about the user's account."""
        if layer.checkpoint and self._may_set_evidence(layer, "audit.checkpoint"):
            self.checkpoint = layer.checkpoint

    def set_log_limits(self, layer: Statements) -> None:
        """The organisation's limits are final, as the checkpoint is."""
        for name, limit in layer.log_limits.items():
            if self._may_set_evidence(layer, f"audit.{name}"):
                self.log_limits = self.log_limits._replace(**{name: limit})

    def _may_set_evidence(self, layer: Statements, setting: str) -> bool:
        """Returns whether a layer may set this, and keeps the layer as its source."""
        before = self.sources.get(setting)
        if before is not None and before.layer == "organisation":
            return False
        self.sources[setting] = Source(layer.author, layer.file, setting)
        return True

    def lower_floors(self, layer: Statements) -> None:
        """A floor that its owner lowers is the rule's new verdict too, unless `[rules]` of the same file sets another."""
        for rule, floor in layer.floors.items():
            if rule in self.table:
                sure, unsure = self.table[rule].floor
                lowered = LoweredFloor(min(floor.sure, sure), min(floor.unsure, unsure), floor.reason, layer.file)
                self.floors[rule] = lowered
                self.rulings[rule] = Ruling(floor.sure, floor.unsure, self.current_ruling(rule).options)
                self.sources[rule] = Source(layer.author, layer.file, f'floors."{rule}"')

    def record_refusal(self, layer: Statements, *keys: str) -> None:
        self.refused.setdefault(layer.file, []).extend(keys)

    def build_policy(self, written_rules: tuple[WrittenRule, ...]) -> MergedPolicy:
        bare = Policy(floors=self.floors)
        for rule, row in self.table.items():
            sure, unsure = bare.floor_for(rule, row)
            now = self.current_ruling(rule)
            held = Ruling(max(now.verdict, sure), max(now.unsure, unsure), now.options, now.rate)
            if held != now:
                self.rulings[rule] = held
                if rule in self.sources and self.sources[rule].layer != "profile":
                    self.refused.setdefault(self.sources[rule].file, []).append(self.sources[rule].key)
                    self.below_floors.append(self.sources[rule])
                self.sources[rule] = Source("floor", "", rule)
        rulings = {
            rule: now for rule, now in self.rulings.items() if now != Ruling(self.table[rule].verdict, self.table[rule].unsure)
        }
        switches: dict[str, Any] = {FIELDS[name]: value for name, value in self.switches.items()}
        notices = tuple(
            f"{file}: {_format_keys(keys)}: would loosen what this file may not loosen, and has no effect"
            for file, keys in self.refused.items()
        )
        policy = Policy(
            self.profile,
            dict(sorted(rulings.items())),
            self.floors,
            written_rules,
            self.places,
            self.names,
            notices=notices,
            redaction=self.redaction,
            tools=self.tools,
            wrappers=tuple(sorted(self.wrappers.items())),
            store=self.store,
            checkpoint=self.checkpoint,
            log_limits=self.log_limits,
            store_is_fixed=self.store_is_fixed,
            undo_limits=self.undo_limits,
            confirmed=tuple(sorted(self.stated - rulings.keys())),
            **switches,
        )
        return MergedPolicy(policy, self.sources, tuple(self.below_floors))


T = TypeVar("T")


def _unite(first: tuple[T, ...], second: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(first + second))


def _format_keys(keys: list[str]) -> str:
    unique = list(dict.fromkeys(keys))
    return ", ".join(unique[:5]) + (f" and {len(unique) - 5} more" if len(unique) > 5 else "")


_DEFAULTS: dict[str, object] = {name: getattr(Policy(), field) for name, field in FIELDS.items()}
