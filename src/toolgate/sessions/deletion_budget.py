"""Counts the files outside git that a session has deleted: many small calls add up to a large one."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from toolgate.creations import is_made
from toolgate.judge import decide
from toolgate.model.decision import Decision, Finding, Match, Verdict
from toolgate.model.effect import Delete
from toolgate.model.errors import StoreError
from toolgate.model.event import ToolCall
from toolgate.model.place import Place
from toolgate.model.stakes import Stakes
from toolgate.model.store import MADE, Document, Key, Store, ledger_key
from toolgate.rules import TABLE, build_options
from toolgate.rules.filesystem.delete_uncommitted import Options, explain_loss, is_over_limits, measure_untracked_loss

from . import session_scope
from .approval_requests import KEEP_SECONDS
from .judgements import Judgement

RULE = "filesystem.delete-uncommitted"
DELETIONS = "deletions"


def measure_loss(judgement: Judgement, load_made: Callable[[], Mapping[str, Any]]) -> Stakes | None:
    """Returns what a call deletes that git does not hold and the session did not create; None where that is nothing, or the
    policy does not ask. `load_made`: returns what the session created."""
    ruling = judgement.policy.ruling_for(RULE, TABLE[RULE])
    if ruling.verdict < Verdict.ASK or not judgement.effects.of_kind(Delete):
        return None

    def is_owned(place: Place) -> bool:
        return is_made(place, load_made(), judgement.effects, judgement.world)

    found = measure_untracked_loss(judgement.effects, judgement.world, is_owned)
    return found if found.unheld else None


def check_session_losses(event: ToolCall, judgement: Judgement, now: float, open_store: Callable[[], Store]) -> Decision:
    """Adds what earlier calls of the session deleted: beyond the limit, together, the call is stopped as the rule says."""
    caller = event.scene.caller

    def load_made() -> Mapping[str, Any]:
        try:
            return open_store().load((ledger_key(caller.host, caller.session, MADE),), now)[0].get("made", {})  # type: ignore[no-any-return]
        except StoreError:
            return {}

    decision, loss = judgement.decision, measure_loss(judgement, load_made)
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
