"""Enforces a plan beyond one call: one session at a time works in an iteration's folder, the number of ad-hoc calls is limited,
and deviations are written to the design's own log."""

import os
from collections.abc import Callable

from toolgate.consent import leases
from toolgate.consent.leases import LEASE_DOCUMENT, Holder
from toolgate.designs.plan_enforcer import log as plan_violations
from toolgate.judge import decide
from toolgate.machine import processes
from toolgate.machine.current_account import name_machine
from toolgate.model.decision import Decision, Finding, Match, Verdict
from toolgate.model.effect import Connect, Effect, Effects, Operation, Read
from toolgate.model.errors import StoreError
from toolgate.model.event import Scene, ToolCall
from toolgate.model.host import Host
from toolgate.model.store import Document, Key, Scope, Store
from toolgate.rules.plan import context

from . import messages, session_scope
from .approval_requests import KEEP_SECONDS
from .call_redaction import redact_text
from .plan_work import RULE, PlanWork

EXECUTOR_RULE = "plan.executor"
AD_HOC_DOCUMENT = "ad-hoc"
OpenStore = Callable[[], Store]


# ---- one session at a time


def check_single_session(
    event: ToolCall, effects: Effects, decision: Decision, work: PlanWork, host: Host, now: float, store: OpenStore
) -> Decision:
    """Adds a finding where another session works in the iteration's folder. Reading does not count as work."""
    if not work.directory or all(isinstance(each, Read | Connect) or _is_neutral(each) for each in effects.all):
        return decision
    who, key = _lease_holder(event.scene, host), _lease_key(work.directory)
    try:
        other = store().update(key, lambda document: leases.take_lease(document, who, now), now, now + KEEP_SECONDS)
        if other is not None and _has_ended(other, who):
            other = store().update(key, lambda document: leases.take_lease(document, who, now, other), now, now + KEEP_SECONDS)
    except StoreError as problem:
        if work.policy.on_store_error == "warn":
            return decision
        return _add_finding(
            decision, work, effects.all[0], f"{problem}; until then nobody can tell who else works in {work.directory}."
        )
    if other is None:
        return decision
    process = f", process {other.process.partition(':')[0]} on {other.machine}" if other.process else ""
    return _add_finding(
        decision,
        work,
        effects.all[0],
        f"Another session works in {work.directory} ({other.session}{process}): two at once overwrite each other's results. "
        f"It ends with that session, or {int(leases.LEASE_SECONDS // 60)} minutes after its last call.",
    )


def release_lease(scene: Scene, host: Host, store: Store, now: float) -> None:
    """Releases the lease of a session that is over. Raises StoreError."""
    if folder := context.iteration_folder(scene):
        who = _lease_holder(scene, host)
        store.update(_lease_key(folder), lambda document: leases.release_lease(document, who), now, now + KEEP_SECONDS)


def _is_neutral(effect: Effect) -> bool:
    return isinstance(effect, Operation) and effect.name in ("tool.other", "user.ask")


def _lease_holder(scene: Scene, host: Host) -> Holder:
    process = host.read_seat(scene.environ).process
    named = processes.identity_of(process) if process else ""
    return Holder(f"{scene.caller.host}/{scene.caller.session}", named, name_machine())


def _has_ended(other: Holder, holder: Holder) -> bool:
    """Returns whether the process of a holder on this machine has ended."""
    number = other.process.partition(":")[0]
    return leases.can_check(other, holder) and processes.identity_of(int(number)) != other.process


def _lease_key(folder: str) -> Key:
    return Key(Scope("iteration", os.path.realpath(folder)), LEASE_DOCUMENT)


def _add_finding(decision: Decision, work: PlanWork, effect: Effect, reason: str) -> Decision:
    """Adds a finding with the verdict of the rule on unplanned calls."""
    found = Finding(EXECUTOR_RULE, work.policy.rulings[RULE].verdict, Match(effect, reason))
    return decide((*decision.findings, found), work.policy, decision.waived)


# ---- the number of ad-hoc calls


def count_ad_hoc_call(event: ToolCall, decision: Decision, work: PlanWork, now: float, store: OpenStore) -> Decision:
    """Restores the findings that the ad-hoc comment lifted where no such call is left."""
    limit = work.options.ad_hoc
    if limit is None or not any(each.rule == RULE for each in decision.waived):
        return decision
    scope = Scope("iteration", os.path.realpath(work.directory)) if work.directory else session_scope(event.scene)

    def use_ad_hoc_call(document: Document) -> tuple[Document, bool]:
        used = document.get("n", 0)
        return ({"n": used + 1}, True) if used < limit else (document, False)

    try:
        if store().update(Key(scope, AD_HOC_DOCUMENT), use_ad_hoc_call, now, now + KEEP_SECONDS):
            return decision
        why = f"All {limit} calls that may be no part of the plan are used."
    except StoreError as problem:
        if work.policy.on_store_error == "warn":
            return decision
        why = f"{problem}; until then calls that are no part of the plan cannot be counted."
    found = tuple(_restore_finding(each, why) if each.rule == RULE else each for each in decision.findings)
    return decide(found, work.policy, tuple(each for each in decision.waived if each.rule != RULE))


def _restore_finding(finding: Finding, why: str) -> Finding:
    return finding._replace(match=finding.match._replace(reason=f"{finding.match.reason} {why}", instead=""))


# ---- the design's own log


def log_deviation(event: ToolCall, decision: Decision, work: PlanWork, now: float) -> str:
    """Returns what went wrong, in a sentence; it changes no verdict."""
    kind = _classify_deviation(decision, work)
    if not kind or not work.directory:
        return ""
    description = messages.describe_operation(event.tool, event.action)
    line = plan_violations.build_entry(
        kind,
        redact_text(description, work.policy, event.scene, event.action),
        context.find_nearest_arm(description, work.conditions),
        now,
    )
    return plan_violations.append_entry(f"{work.directory}/{context.VIOLATIONS_FILE}", line)


def _classify_deviation(decision: Decision, work: PlanWork) -> plan_violations.ViolationKind | None:
    about_the_plan = any(each.rule in (RULE, EXECUTOR_RULE) for each in decision.findings)
    if about_the_plan and decision.verdict >= Verdict.ASK:
        return "blocked"
    if work.ad_hoc and (any(each.rule == RULE for each in decision.waived) or not about_the_plan):
        return "ad-hoc" if decision.verdict < Verdict.ASK else None
    return "unplanned" if about_the_plan else None
