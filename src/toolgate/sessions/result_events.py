"""Handles events after a tool: ends its undo copy, repairs deployed scripts, redacts its output."""

import os
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from toolgate.machine.environment import find_folders
from toolgate.model.action import AskUser
from toolgate.model.decision import NO_OBJECTION, Decision, Verdict
from toolgate.model.event import ToolFailed, ToolResult
from toolgate.model.host import Host
from toolgate.model.request import Answer, Request
from toolgate.model.rule import Policy
from toolgate.model.store import MADE
from toolgate.model.world import World
from toolgate.undo.calls import mark_path, store_folder

from . import Stores
from .creations import settle_result
from .ledger import record_result
from .script_repair import UnrepairableScript, repair_scripts
from .steps import add_notice


def answer_result(
    event: ToolResult | ToolFailed,
    host: Host,
    request: Request,
    policy: Callable[[], Policy],
    stores: Stores,
    make_world: Callable[[], World],
) -> Answer:
    _finish_copy(event)
    unrecorded = _record_outcome(event, policy(), stores, request.now)
    try:
        repaired = repair_scripts(event.scene, host, request.now)
    except UnrepairableScript as problem:
        return host.refuse(request.event, f"toolgate stops here: {problem}")
    decision = _redact_result(event, policy()) if isinstance(event, ToolResult) else NO_OBJECTION
    if isinstance(event, ToolResult):
        record_result(event, request.now, lambda: stores.find_store(event.scene, policy()))
    if event.call and stores.has_document(event.scene, MADE):
        settle_result(event, make_world(), request.now, lambda: stores.find_store(event.scene, policy()))
    if repaired:
        repaired = f"toolgate: {repaired}\n{decision.tell_user}".strip()
        decision = replace(decision, judged=Verdict.WARN, verdict=Verdict.WARN, tell_user=repaired)
    return host.answer(add_notice(decision, unrecorded, event.scene), event)


def _record_outcome(event: ToolResult | ToolFailed, in_force: Policy, stores: Stores, now: float) -> str:
    """Records what became of a call that is on record with every other; a host may not give calls an id."""
    if in_force.audit != "decisions" or not event.call or not stores.can_record(event.scene):
        return ""
    from toolgate.audit.record import build_outcome

    record = build_outcome(event.scene, event.call, _read_outcome(event), now)
    return stores.record_call(event.scene, record, in_force)


def _read_outcome(event: ToolResult | ToolFailed) -> Literal["ran", "failed"]:
    return "failed" if isinstance(event, ToolFailed) else "ran"


def _finish_copy(event: ToolResult | ToolFailed) -> None:
    """Finishes the copy that was kept for this call: changes from now on are newer work."""
    scene = event.scene
    folder = store_folder(find_folders(scene.environ, scene.home).state)
    mark = mark_path(folder, scene.caller.session, event.call)
    if os.path.exists(mark):
        from toolgate.undo.vault import Vault

        Vault(folder).finish_call(mark)


def _redact_result(event: ToolResult, in_force: Policy) -> Decision:
    """Redacts the result. Any failure here withholds the output from the agent: no mode lets it through unread."""
    decision = NO_OBJECTION
    if in_force.redact != "off" and event.response is not None:
        from .output_redaction import redact_output

        decision = redact_output(event, in_force)
    if isinstance(event.action, AskUser):
        from .counters import explain_brief_answer

        explanation = explain_brief_answer(event, in_force).tell_agent
        decision = replace(decision, tell_agent=f"{decision.tell_agent} {explanation}".strip())
    return decision
