"""Decides a call: the strictest finding wins, in any order. Pure and small.

A rule says that, the policy says how bad; caps, modes and waivers come after, and none of them goes below a floor.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from . import rules
from .model.decision import NO_OBJECTION, Decision, Finding, Match, Verdict
from .model.effect import Delete, Effect, Effects, Opaque, Operation, Read, Run, Write, kind_of, places
from .model.event import Scene
from .model.measuring import describe_stakes, measure
from .model.plan import Plan
from .model.rule import NOTHING_MORE, Policy, Redaction, Row, Ruling, WrittenRule, nothing_remembered
from .model.state import Document, Key
from .model.word import every
from .model.world import World
from .rules import written

if TYPE_CHECKING:
    from .rules.wanted import Index


class Evidence(NamedTuple):
    """What a rule may read besides the effect it checks (model.rule.RuleContext)."""

    effects: Effects
    scene: Scene
    world: World
    plan: Plan | None = None
    remembered: Callable[[Key], Document] = nothing_remembered
    redaction: Redaction = NOTHING_MORE
    store: str = ""


def judge(evidence: Evidence, policy: Policy) -> Decision:
    found = tuple(dict.fromkeys(findings(evidence, policy)))
    return decide(with_stakes(found, evidence.world), policy)


def with_stakes(found: tuple[Finding, ...], world: World) -> tuple[Finding, ...]:
    """Adds what would be lost, counted, to the findings that a person will be asked about."""
    if max((each.verdict for each in found), default=Verdict.PASS) is not Verdict.ASK:
        return found
    return tuple(_with_stakes(each, world) if each.verdict is Verdict.ASK else each for each in found)


def _with_stakes(finding: Finding, world: World) -> Finding:
    effect = finding.match.effect
    if finding.match.stakes is not None or not isinstance(effect, Delete | Write):
        return finding
    stakes = measure(effect, world)
    return finding if stakes is None else finding._replace(match=finding.match._replace(stakes=stakes))


def decide(found: tuple[Finding, ...], policy: Policy, waived: tuple[Finding, ...] = ()) -> Decision:
    """`waived`: findings that a person's approval removed, never one with a floor."""
    judged = max((finding.verdict for finding in found), default=Verdict.PASS)
    if judged is Verdict.PASS:
        return NO_OBJECTION
    left = [finding for finding in found if finding not in waived or finding.floor]
    verdict = max((max(min(finding.verdict, policy.cap), finding.floor) for finding in left), default=Verdict.PASS)
    if verdict is Verdict.ASK and not policy.human:
        verdict = Verdict.DENY
    heard = verdict > policy.cap or policy.cap is Verdict.DENY
    said = MESSAGES[policy.messages](left, policy)
    return Decision(judged, verdict, found, waived, tell_user=said, tell_agent=said if heard and verdict > Verdict.WARN else "")


def in_the_way(found: tuple[Finding, ...], policy: Policy) -> tuple[Finding, ...]:
    """Returns the findings that stop a call: those that ask or deny, under the policy's cap."""
    return tuple(each for each in found if max(min(each.verdict, policy.cap), each.floor) >= Verdict.ASK)


def findings(evidence: Evidence, policy: Policy) -> Iterator[Finding]:
    """Yields every match of every rule whose trigger occurs and whose verdict is not PASS, with the policy's verdict."""
    for effect in evidence.effects.all:
        for asked in _asked(policy, trigger(effect)):
            yield from _found(asked, effect, evidence)
    if policy.written:
        yield from _written(evidence, policy)
    if policy.degraded:
        yield from _degraded(evidence)


def trigger(effect: Effect) -> str:
    return effect.name if isinstance(effect, Operation) else kind_of(effect)


class _Asked(NamedTuple):
    """A rule with a policy's ruling on it."""

    rule: str
    row: Row
    ruling: Ruling
    floor: tuple[Verdict, Verdict]


@lru_cache(1024)
def _asked(policy: Policy, trigger: str) -> tuple[_Asked, ...]:
    """Returns the rules for a trigger that could have a verdict other than PASS."""
    found = (_Asked(rule, row, policy.ruling(rule, row), policy.floor(rule, row)) for rule, row in _rows(trigger))
    return tuple(each for each in found if max(each.ruling.verdict, each.ruling.unsure, *each.floor) is not Verdict.PASS)


def _rows(trigger: str) -> Iterator[tuple[str, Row]]:
    return ((rule, rules.TABLE[rule]) for rule in rules.INDEX.get(trigger, ()))


def _found(asked: _Asked, effect: Effect, evidence: Evidence) -> Iterator[Finding]:
    rule, row, ruling, floor = asked
    try:
        matches = tuple(rules.check(rule)(effect, rules.options(rule, ruling.options), evidence))
    except Exception as problem:  # noqa: BLE001  (law 5: a rule that fails is a finding that names it)
        yield _failed(rule, row, effect, problem)
        return
    for match in matches:
        sure = every((match.sure, effect.origin.sure))
        if sure is False:
            continue
        least = floor[0] if sure else floor[1]
        verdict = max(ruling.verdict if sure else ruling.unsure, least)
        if verdict is not Verdict.PASS:
            yield Finding(rule, verdict, match._replace(sure=sure), least, ruling.rate)


def _failed(rule: str, row: Row, effect: Effect, problem: Exception) -> Finding:
    verdict = max(row.verdict, Verdict.ASK)
    reason = f"The rule {rule} failed ({type(problem).__name__}), so this call is not judged by it. Please report it."
    return Finding(rule, verdict, Match(effect, reason), max(*row.floor))


def _written(evidence: Evidence, policy: Policy) -> Iterator[Finding]:
    for rule, effect in _concerned(evidence, policy):
        unsure = min(rule.verdict, Verdict.ASK) if rule.unsure is None else rule.unsure
        matched = written.matches(rule, effect, evidence.effects, evidence.scene, folds_case=evidence.world.folds_case)
        sure = every((matched, effect.origin.sure)) if matched is not False else False
        verdict = rule.verdict if sure else unsure
        if sure is not False and verdict is not Verdict.PASS:
            yield Finding(rule.id, verdict, Match(effect, written.message(rule), written.instead(rule), sure), rate=rule.rate)


def _concerned(evidence: Evidence, policy: Policy) -> Iterator[tuple[WrittenRule, Effect]]:
    """Yields the written rules that an effect may concern. The index is cached for each policy."""
    key = (policy.digest, evidence.scene.home, evidence.scene.project)
    from .rules.wanted import index  # only needed for such rules

    found = _INDEXES.get(key) if policy.digest else None
    if found is None or len(found.rules) != len(policy.written):
        if len(_INDEXES) > 8:
            _INDEXES.clear()
        found = _INDEXES[key] = index(policy.written, evidence.scene)
    for effect in evidence.effects.all:
        yield from ((policy.written[n], effect) for n in found.asked(effect, evidence.effects))


_INDEXES: "dict[tuple[str, str, str], Index]" = {}


def _degraded(evidence: Evidence) -> Iterator[Finding]:
    """Yields a finding for each call that does more than read, if the policy of the user or the organisation is broken and has
    no last good version."""
    for effect in evidence.effects.all:
        if not isinstance(effect, Read | Run | Opaque) and not _harmless(effect):
            reason = (
                "The policy cannot be read, and there is no earlier version of it; `toolgate policy check` says what is wrong."
            )
            yield Finding("policy.broken", Verdict.ASK, Match(effect, reason))
            return


def _harmless(effect: Effect) -> bool:
    return isinstance(effect, Operation) and effect.name == "tool.other"


def explanation(found: list[Finding], _policy: Policy) -> str:
    """Returns what was found, the harm and the alternative: for the findings with the final verdict, each once, with the
    rules' names."""
    worst = max((finding.verdict for finding in found), default=Verdict.PASS)
    texts: dict[str, str] = {}
    for finding in by_weight(found):
        if finding.verdict is worst:
            match = finding.match
            stakes = describe_stakes(match.stakes) if match.stakes is not None else ""
            instead = f" Instead: {match.instead}" if match.instead else ""
            texts.setdefault(f"{match.reason}{' ' if stakes else ''}{stakes}{instead}", finding.rule)
    return " ".join(f"{text} [{rule}]" for text, rule in list(texts.items())[:_TOLD])


_TOLD = 3


def guardrail(found: list[Finding], policy: Policy) -> str:
    """Returns the message in the guardrail design's form, with its rule names; the advice is the gate's own."""
    first = weightiest(found)
    if first is None or first.verdict < Verdict.ASK:
        return explanation(found, policy)
    targets = [place.shown for place in places(first.match.effect)] or [operand(first.match.effect)]
    name = policy.names.get(first.rule, first.rule)
    how = (
        "To proceed, the user has to allow it; then make exactly the same call again."
        if first.verdict is Verdict.ASK and policy.human
        else "This cannot be confirmed."
    )
    return f"GUARDRAIL BLOCKED: {first.match.reason}\nTarget: {', '.join(dict.fromkeys(targets))}\nRule: {name}\n\n{how}"


def by_weight(found: Iterable[Finding]) -> list[Finding]:
    """Returns the findings sorted for messages: the strictest first, then sure ones, then those with floors, then those that
    say most about the call."""
    return sorted(
        found, key=lambda each: (-each.verdict, each.match.sure is not True, -each.floor, _GENERALITY.get(each.rule, 0))
    )


_GENERALITY = {
    "credentials.read": 1,
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


def weightiest(found: Iterable[Finding]) -> Finding | None:
    """Returns the finding for a message with room for one."""
    return next(iter(by_weight(found)), None)


def operand(effect: Effect) -> str:
    target = getattr(effect, "target", None)
    if target is not None:
        return str(target.shown)
    return " ".join(word.shown for word in effect.argv) if isinstance(effect, Run) else kind_of(effect)


MESSAGES = {"plain": explanation, "guardrail": guardrail}
