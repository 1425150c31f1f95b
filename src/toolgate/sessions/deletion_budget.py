"""Counts the files outside git that a session has deleted: many small calls add up to a large one."""

from collections.abc import Callable
from dataclasses import replace

from toolgate.judge import decide
from toolgate.model.decision import Decision, Finding, Match, Verdict
from toolgate.model.effect import Delete
from toolgate.model.errors import StoreError
from toolgate.model.event import ToolCall
from toolgate.model.stakes import Stakes
from toolgate.model.store import Document, Key, Store
from toolgate.rules import TABLE, build_options
from toolgate.rules.filesystem.delete_uncommitted import Options, explain_loss, is_over_limits, measure_untracked_loss

from . import session_scope
from .approval_requests import KEEP_SECONDS
from .judgements import Judgement

RULE = "filesystem.delete-uncommitted"
DELETIONS = "deletions"


def measure_loss(judgement: Judgement) -> Stakes | None:
    """Returns what a call deletes that git does not hold; None where that is nothing, or the policy does not ask."""
    ruling = judgement.policy.ruling_for(RULE, TABLE[RULE])
    if ruling.verdict < Verdict.ASK or not judgement.effects.of_kind(Delete):
        return None
    found = measure_untracked_loss(judgement.effects, judgement.world)
    return found if found.unheld else None


def check_session_losses(event: ToolCall, judgement: Judgement, now: float, open_store: Callable[[], Store]) -> Decision:
    """Adds what earlier calls of the session deleted: beyond the limit, together, the call is stopped as the rule says."""
    decision, loss = judgement.decision, measure_loss(judgement)
    if loss is None or decision.verdict >= Verdict.ASK or not event.scene.caller.session:
        return decision
    policy = judgement.policy
    ruling = policy.ruling_for(RULE, TABLE[RULE])
    allowed = build_options(RULE, ruling.options)
    key = Key(session_scope(event.scene), DELETIONS)

    def add(document: Document) -> tuple[Document, Document | None]:
        together = loss._replace(
            unheld=loss.unheld + document.get("files", 0), unheld_size=loss.unheld_size + document.get("bytes", 0)
        )
        if isinstance(allowed, Options) and is_over_limits(together, allowed):
            return document, document
        return {"files": together.unheld, "bytes": together.unheld_size}, None

    try:
        before = open_store().update(key, add, now, now + KEEP_SECONDS)
    except StoreError as problem:
        return decision if policy.on_store_error == "closed" else replace(decision, tell_user=f"toolgate: {problem}")
    if before is None:
        return decision
    deletion = judgement.effects.of_kind(Delete)[0]
    match = Match(deletion, explain_loss(loss, before=before.get("files", 0)), instead="git stash -u", stakes=loss)
    return decide((*decision.findings, Finding(RULE, ruling.verdict, match)), policy, decision.waived)


def reset_deletions(event: ToolCall, decision: Decision, now: float, open_store: Callable[[], Store]) -> None:
    """Restarts the count after a person has approved a call of this rule."""
    if decision.verdict < Verdict.ASK and any(finding.rule == RULE for finding in decision.waived):
        try:
            open_store().update(Key(session_scope(event.scene), DELETIONS), lambda _before: ({}, None), now, now + KEEP_SECONDS)
        except StoreError:
            pass  # it asks once more
