"""Records a judged call in the audit, and keeps the policy that decided it for `toolgate why`."""

import time

from toolgate.audit.record import NO_OPERATION, build_record
from toolgate.machine.environment import find_folders
from toolgate.policy.cache import Cache

from .call_redaction import redact_operation
from .judgements import Judgement
from .steps import JudgedCall

_KEPT_POLICIES: set[tuple[str, str]] = set()
"""The policies that this process has kept: cache folder and digest."""


def record_call(call: JudgedCall, judgement: Judgement) -> str:
    """Returns what went wrong, in a sentence for the user; empty when nothing did."""
    event, policy = call.event, judgement.policy
    scene = event.scene
    operation, exact, folders = redact_operation(event.action, policy, scene)
    if policy.operations != "full":
        operation, exact, folders = "" if policy.operations == "shape" else NO_OPERATION, False, ("", "")
    record = build_record(
        scene,
        event.tool,
        event.call,
        judgement.effects,
        judgement.decision,
        policy,
        now=call.request.now,
        microseconds=(time.perf_counter_ns() - call.began) // 1000,
        role=scene.role,
        operation=operation,
        exact=exact,
        folders=folders,
    )
    kept = find_folders(scene.environ, scene.home).cache, policy.digest
    if kept not in _KEPT_POLICIES:
        Cache(call.stores.open_shelf(scene)).keep_decided(policy)
        _KEPT_POLICIES.add(kept)
    return call.stores.record_call(scene, record, policy)
