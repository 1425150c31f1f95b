"""Decides a call: the strictest finding wins, in any order. Pure and small.

A rule says that, the policy says how bad; caps, modes and waivers come after, and none of them goes below a floor.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from . import rules
from .designs import LAYOUTS, load_module
from .model.decision import NO_OBJECTION, Decision, Finding, Match, Verdict
from .model.effect import Delete, Effect, Effects, Opaque, Operation, Read, Run, Write, kind_of
from .model.event import Scene
from .model.plan import Plan
from .model.rule import DEFAULT_REDACTION, Policy, Redaction, RuleRow, Ruling, WrittenRule, load_no_document
from .model.stakes_measurement import describe_stakes, measure_effect
from .model.store import Document, Key
from .model.word import maybe_all
from .model.world import World
from .rules import written_rules

if TYPE_CHECKING:
    from .rules.rule_index import RuleIndex


class Evidence(NamedTuple):
    """What a rule may read besides the effect it checks (model.rule.RuleContext)."""

    effects: Effects
    scene: Scene
    world: World
    plan: Plan | None = None
    load_document: Callable[[Key], Document] = load_no_document
    redaction: Redaction = DEFAULT_REDACTION
    store: str = ""


def judge(evidence: Evidence, policy: Policy) -> Decision:
    found = tuple(dict.fromkeys(iter_findings(evidence, policy)))
    return decide(add_stakes(found, evidence.world), policy)


def add_stakes(findings: tuple[Finding, ...], world: World) -> tuple[Finding, ...]:
    """Adds what would be lost, counted, to the findings that a person will be asked about."""
    if max((each.verdict for each in findings), default=Verdict.PASS) is not Verdict.ASK:
        return findings
    return tuple(_add_stakes(each, world) if each.verdict is Verdict.ASK else each for each in findings)


def _add_stakes(finding: Finding, world: World) -> Finding:
    effect = finding.match.effect
    if finding.match.stakes is not None or not isinstance(effect, Delete | Write):
        return finding
    stakes = measure_effect(effect, world)
    return finding if stakes is None else finding._replace(match=finding.match._replace(stakes=stakes))


def decide(findings: tuple[Finding, ...], policy: Policy, waived: tuple[Finding, ...] = ()) -> Decision:
    """`waived`: findings that a person's approval removed, never one with a floor."""
    judged = max((finding.verdict for finding in findings), default=Verdict.PASS)
    if judged is Verdict.PASS:
        return NO_OBJECTION
    left = [finding for finding in findings if finding not in waived or finding.floor]
    verdict = max((max(min(finding.verdict, policy.cap), finding.floor) for finding in left), default=Verdict.PASS)
    if verdict is Verdict.ASK and not policy.human:
        verdict = Verdict.DENY
    is_enforced = verdict > policy.cap or policy.cap is Verdict.DENY
    explanation = explain_in_form(left, policy)
    return Decision(
        judged,
        verdict,
        findings,
        waived,
        tell_user=explanation,
        tell_agent=explanation if is_enforced and verdict > Verdict.WARN else "",
    )


def blocking_findings(findings: tuple[Finding, ...], policy: Policy) -> tuple[Finding, ...]:
    """Returns the findings that stop a call: those that ask or deny, under the policy's cap."""
    return tuple(each for each in findings if max(min(each.verdict, policy.cap), each.floor) >= Verdict.ASK)


def iter_findings(evidence: Evidence, policy: Policy) -> Iterator[Finding]:
    """Yields every match of every rule whose trigger occurs and whose verdict is not PASS, with the policy's verdict."""
    for effect in evidence.effects.all:
        for active_rule in list_active_rules(policy, trigger_name(effect)):
            yield from _check_rule(active_rule, effect, evidence)
    if policy.written:
        yield from _check_written_rules(evidence, policy)
    if policy.degraded:
        yield from _check_degraded_policy(evidence)


def trigger_name(effect: Effect) -> str:
    return effect.name if isinstance(effect, Operation) else kind_of(effect)


class _ActiveRule(NamedTuple):
    """A rule with a policy's ruling on it."""

    rule: str
    row: RuleRow
    ruling: Ruling
    floor: tuple[Verdict, Verdict]


@lru_cache(1024)
def list_active_rules(policy: Policy, trigger: str) -> tuple[_ActiveRule, ...]:
    """Returns the rules for a trigger that could have a verdict other than PASS."""
    found = (
        _ActiveRule(rule, row, policy.ruling_for(rule, row), policy.floor_for(rule, row))
        for rule, row in _rows_for_trigger(trigger)
    )
    return tuple(each for each in found if max(each.ruling.verdict, each.ruling.unsure, *each.floor) is not Verdict.PASS)


def _rows_for_trigger(trigger: str) -> Iterator[tuple[str, RuleRow]]:
    return ((rule, rules.TABLE[rule]) for rule in rules.RULES_BY_TRIGGER.get(trigger, ()))


def _check_rule(active_rule: _ActiveRule, effect: Effect, evidence: Evidence) -> Iterator[Finding]:
    rule, row, ruling, floor = active_rule
    try:
        options = rules.build_options(rule, ruling.options) if ruling.options else rules.build_default_options(rule)
        matches = tuple(rules.load_check(rule)(effect, options, evidence))
    except Exception as problem:  # noqa: BLE001  (law 5: a rule that fails is a finding that names it)
        yield _failure_finding(rule, row, effect, problem)
        return
    for match in matches:
        sure = maybe_all((match.sure, effect.origin.sure))
        if sure is False:
            continue
        least = floor[0] if sure else floor[1]
        verdict = max(ruling.verdict if sure else ruling.unsure, least)
        if verdict is not Verdict.PASS:
            yield Finding(rule, verdict, match._replace(sure=sure), least, ruling.rate)


def _failure_finding(rule: str, row: RuleRow, effect: Effect, problem: Exception) -> Finding:
    verdict = max(row.verdict, Verdict.ASK)
    reason = f"The rule {rule} failed ({type(problem).__name__}), so this call is not judged by it. Please report it."
    return Finding(rule, verdict, Match(effect, reason), max(*row.floor))


def _check_written_rules(evidence: Evidence, policy: Policy) -> Iterator[Finding]:
    for rule, effect in _candidate_rules(evidence, policy):
        unsure = min(rule.verdict, Verdict.ASK) if rule.unsure is None else rule.unsure
        matched = written_rules.matches_rule(rule, effect, evidence.effects, evidence.scene, folds_case=evidence.world.folds_case)
        sure = maybe_all((matched, effect.origin.sure)) if matched is not False else False
        verdict = rule.verdict if sure else unsure
        if sure is not False and verdict is not Verdict.PASS:
            yield Finding(
                rule.id,
                verdict,
                Match(effect, written_rules.build_reason(rule), written_rules.build_suggestion(rule), sure),
                rate=rule.rate,
            )


def _candidate_rules(evidence: Evidence, policy: Policy) -> Iterator[tuple[WrittenRule, Effect]]:
    """Yields the written rules that an effect may concern. The index is cached for each policy."""
    key = (policy.digest, evidence.scene.home, evidence.scene.project)
    from .rules.rule_index import build_index  # only needed for such rules

    found = _RULE_INDEXES.get(key) if policy.digest else None
    if found is None or len(found.rules) != len(policy.written):
        if len(_RULE_INDEXES) > 8:
            _RULE_INDEXES.clear()
        found = _RULE_INDEXES[key] = build_index(policy.written, evidence.scene)
    for effect in evidence.effects.all:
        yield from ((policy.written[n], effect) for n in found.find_candidates(effect, evidence.effects))


_RULE_INDEXES: "dict[tuple[str, str, str], RuleIndex]" = {}


def _check_degraded_policy(evidence: Evidence) -> Iterator[Finding]:
    """Yields a finding for each call that does more than read, if the policy of the user or the organisation is broken and has
    no last good version."""
    for effect in evidence.effects.all:
        if not isinstance(effect, Read | Run | Opaque) and not _is_harmless(effect):
            reason = (
                "The policy cannot be read, and there is no earlier version of it; `toolgate policy check` says what is wrong."
            )
            yield Finding("policy.broken", Verdict.ASK, Match(effect, reason))
            return


def _is_harmless(effect: Effect) -> bool:
    return isinstance(effect, Operation) and effect.name == "tool.other"


def explain_findings(findings: list[Finding], _policy: Policy) -> str:
    """Returns what was found, the harm and the alternative: for the findings with the final verdict, each once, with the
    rules' names. An alternative that findings share is told once, after the last of them."""
    worst = max((finding.verdict for finding in findings), default=Verdict.PASS)
    rule_by_reason: dict[tuple[str, str], str] = {}
    for finding in sort_by_weight(findings):
        if finding.verdict is worst:
            rule_by_reason.setdefault((_describe_match(finding.match), finding.match.remedy), finding.rule)
    groups: dict[tuple[str, str], dict[str, list[str]]] = {}
    for (text, remedy), rule in list(rule_by_reason.items())[:_MAX_EXPLAINED]:
        groups.setdefault((remedy, "" if remedy else rule), {}).setdefault(rule, []).append(text)
    return " ".join(_join_group(texts, remedy) for (remedy, _), texts in groups.items())


def _describe_match(match: Match) -> str:
    stakes = describe_stakes(match.stakes) if match.stakes is not None else ""
    return f"{match.reason}{' ' if stakes else ''}{stakes}"


def _join_group(texts: dict[str, list[str]], remedy: str) -> str:
    """Returns the texts of each rule with its name, and the alternative that they share before the last name."""
    parts = [(" ".join(reasons), rule) for rule, reasons in texts.items()]
    if remedy:
        parts[-1] = (f"{parts[-1][0]} Instead: {remedy}", parts[-1][1])
    return " ".join(f"{text} [{rule}]" for text, rule in parts)


_MAX_EXPLAINED = 3


def sort_by_weight(findings: Iterable[Finding]) -> list[Finding]:
    """Returns the findings sorted for messages: the strictest first, then sure ones, then those with floors, then those that
    say most about the call."""
    return sorted(
        findings, key=lambda each: (-each.verdict, each.match.sure is not True, -each.floor, _GENERALITY.get(each.rule, 0))
    )


_GENERALITY = {
    "credentials.read": 1,
    "device.write": 1,
    "filesystem.delete-outside-project": 1,
    "filesystem.write-outside-project": 1,
    "filesystem.write-system": 1,
    "filesystem.delete-recursive": 1,
    "network.reverse-shell": 1,
    "shell.start-up-variable": 1,
    "privilege.escalate": 2,
    "plan.unplanned": 2,
    "shell.opaque": 3,
}
"""Rules that tell how or where something is done, or that it is unreadable: they follow those that tell what."""


def heaviest_finding(findings: Iterable[Finding]) -> Finding | None:
    """Returns the finding for a message with room for one."""
    return next(iter(sort_by_weight(findings)), None)


def describe_operand(effect: Effect) -> str:
    target = getattr(effect, "target", None)
    if target is not None:
        return str(target.display_text)
    return " ".join(word.display_text for word in effect.argv) if isinstance(effect, Run) else kind_of(effect)


def explain_in_form(findings: list[Finding], policy: Policy) -> str:
    """Returns the message to the agent, in the form that the policy names."""
    if policy.messages == "plain":
        return explain_findings(findings, policy)
    explanation: str = load_module(LAYOUTS[policy.messages], "messages").explain(findings, policy)
    return explanation
