"""Enforces a plan beyond one call: one session at a time works in an iteration's folder, the number of ad-hoc calls is limited,
and deviations are written to the design's own log."""

import os
from collections.abc import Callable

from toolgate.audit.sinks import plan_violations
from toolgate.consent import leases
from toolgate.consent.leases import LEASE, Holder
from toolgate.judge import decide
from toolgate.machine import processes
from toolgate.model.decision import Decision, Finding, Match, Verdict
from toolgate.model.effect import Connect, Effect, Effects, Operation, Read
from toolgate.model.errors import StoreError
from toolgate.model.event import Scene, ToolCall
from toolgate.model.host import Host
from toolgate.model.state import Document, Key, Scope, Store
from toolgate.rules.plan import context

from . import session_of, wording
from .asking import KEPT
from .hushing import without_secrets
from .planned import RULE, Work

EXECUTOR = "plan.executor"
AD_HOC = "ad-hoc"
OpenStore = Callable[[], Store]


# ---- one session at a time


def alone(
    event: ToolCall, effects: Effects, decision: Decision, work: Work, host: Host, now: float, store: OpenStore
) -> Decision:
    """Adds a finding where another session works in the iteration's folder. Reading does not count as work."""
    if not work.directory or all(isinstance(each, Read | Connect) or _is_harmless(each) for each in effects.all):
        return decision
    who, key = _holder(event.scene, host), _key(work.directory)
    try:
        other = store().update(key, lambda document: leases.taken(document, who, now), now, now + KEPT)
        if other is not None and _is_gone(other, who):
            other = store().update(key, lambda document: leases.taken(document, who, now, other), now, now + KEPT)
    except StoreError as problem:
        if work.policy.on_store_error == "warn":
            return decision
        return _with(decision, work, effects.all[0], f"{problem}; until then nobody can tell who else works in {work.directory}.")
    if other is None:
        return decision
    process = f", process {other.process.partition(':')[0]} on {other.machine}" if other.process else ""
    return _with(
        decision,
        work,
        effects.all[0],
        f"Another session works in {work.directory} ({other.session}{process}): two at once overwrite each other's results. "
        f"It ends with that session, or {int(leases.LASTS // 60)} minutes after its last call.",
    )


def released(scene: Scene, host: Host, store: Store, now: float) -> None:
    """Releases the lease of a session that is over. Raises StoreError."""
    if folder := context.directory(scene):
        who = _holder(scene, host)
        store.update(_key(folder), lambda document: leases.given_up(document, who), now, now + KEPT)


def _is_harmless(effect: Effect) -> bool:
    return isinstance(effect, Operation) and effect.name in ("tool.other", "user.ask")


def _holder(scene: Scene, host: Host) -> Holder:
    process = host.seat(scene.environ).process
    named = processes.identity(process) if process else ""
    return Holder(f"{scene.caller.host}/{scene.caller.session}", named, os.uname().nodename if hasattr(os, "uname") else "")


def _is_gone(other: Holder, who: Holder) -> bool:
    """Returns whether the process of a holder on this machine has ended."""
    number = other.process.partition(":")[0]
    return leases.seen_from(other, who) and processes.identity(int(number)) != other.process


def _key(folder: str) -> Key:
    return Key(Scope("iteration", os.path.realpath(folder)), LEASE)


def _with(decision: Decision, work: Work, effect: Effect, reason: str) -> Decision:
    """Adds a finding with the verdict of the rule on unplanned calls."""
    found = Finding(EXECUTOR, work.policy.rulings[RULE].verdict, Match(effect, reason))
    return decide((*decision.findings, found), work.policy, decision.waived)


# ---- the number of ad-hoc calls


def counted(event: ToolCall, decision: Decision, work: Work, now: float, store: OpenStore) -> Decision:
    """Restores the findings that the ad-hoc comment lifted where no such call is left."""
    limit = work.options.ad_hoc
    if limit is None or not any(each.rule == RULE for each in decision.waived):
        return decision
    scope = Scope("iteration", os.path.realpath(work.directory)) if work.directory else session_of(event.scene)

    def one_more(document: Document) -> tuple[Document, bool]:
        used = document.get("n", 0)
        return ({"n": used + 1}, True) if used < limit else (document, False)

    try:
        if store().update(Key(scope, AD_HOC), one_more, now, now + KEPT):
            return decision
        why = f"All {limit} calls that may be no part of the plan are used."
    except StoreError as problem:
        if work.policy.on_store_error == "warn":
            return decision
        why = f"{problem}; until then calls that are no part of the plan cannot be counted."
    found = tuple(_unlifted(each, why) if each.rule == RULE else each for each in decision.findings)
    return decide(found, work.policy, tuple(each for each in decision.waived if each.rule != RULE))


def _unlifted(finding: Finding, why: str) -> Finding:
    return finding._replace(match=finding.match._replace(reason=f"{finding.match.reason} {why}", instead=""))


# ---- the design's own log


def noted(event: ToolCall, decision: Decision, work: Work, now: float) -> str:
    """Returns what went wrong, in a sentence; it changes no verdict."""
    kind = _kind(decision, work)
    if not kind or not work.directory:
        return ""
    said = wording.shown(event.tool, event.action)
    line = plan_violations.entry(
        kind, without_secrets(said, work.policy, event.scene, event.action), context.nearest(said, work.conditions), now
    )
    return plan_violations.append(f"{work.directory}/{context.VIOLATIONS}", line)


def _kind(decision: Decision, work: Work) -> plan_violations.Kind | None:
    about_the_plan = any(each.rule in (RULE, EXECUTOR) for each in decision.findings)
    if about_the_plan and decision.verdict >= Verdict.ASK:
        return "blocked"
    if work.ad_hoc and (any(each.rule == RULE for each in decision.waived) or not about_the_plan):
        return "ad-hoc" if decision.verdict < Verdict.ASK else None
    return "unplanned" if about_the_plan else None
