"""Handles events after a tool: ends its undo copy, repairs deployed scripts, redacts its output."""

import os
from collections.abc import Callable
from dataclasses import replace

from toolgate.machine.environment import find_folders
from toolgate.model.action import AskUser
from toolgate.model.decision import NO_OBJECTION, Decision, Verdict
from toolgate.model.event import ToolFailed, ToolResult
from toolgate.model.host import Host
from toolgate.model.request import Answer, Request
from toolgate.model.rule import Policy
from toolgate.model.store import Store
from toolgate.undo.calls import mark_path, store_folder

from .ledger import record_result
from .script_repair import UnrepairableScript, repair_scripts


def answer_result(
    event: ToolResult | ToolFailed, host: Host, request: Request, policy: Callable[[], Policy], open_store: Callable[[], Store]
) -> Answer:
    _finish_copy(event)
    try:
        told = repair_scripts(event.scene, host, request.now)
    except UnrepairableScript as problem:
        return host.refuse(request.event, f"toolgate stops here: {problem}")
    decision = _redact_result(event, policy()) if isinstance(event, ToolResult) else NO_OBJECTION
    if isinstance(event, ToolResult):
        record_result(event, request.now, open_store)
    if told:
        told = f"toolgate: {told}\n{decision.tell_user}".strip()
        decision = replace(decision, judged=Verdict.WARN, verdict=Verdict.WARN, tell_user=told)
    return host.answer(decision, event)


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

        said = explain_brief_answer(event, in_force).tell_agent
        decision = replace(decision, tell_agent=f"{decision.tell_agent} {said}".strip())
    return decision
