"""Decides whether a turn may end where the plan asks for evidence. The host goes on only after a refusal, so every error is one;
after a number of attempts the turn may end anyway."""

from collections.abc import Callable
from dataclasses import replace

from toolgate import audit, rules
from toolgate.audit.record import build_record
from toolgate.designs import PLAN_FOLDER_VARIABLE
from toolgate.judge import Evidence, judge
from toolgate.machine.validator import find_failure
from toolgate.model.decision import Decision, Verdict
from toolgate.model.effect import DEFAULT_ORIGIN, Effects, Operation
from toolgate.model.errors import StoreError
from toolgate.model.event import Scene, TurnEnding
from toolgate.model.rule import Policy
from toolgate.model.store import Document, Key, Store
from toolgate.model.word import known_word
from toolgate.model.world import World
from toolgate.rules.plan import context
from toolgate.rules.plan.unfinished import Options

from . import Stores, session_scope
from .approval_requests import KEEP_SECONDS
from .call_redaction import redact_decision

RULE = "plan.unfinished"
MAX_VALIDATOR_SECONDS = 7.0  # seconds: the rest of the gate's own deadline


def is_configured(policy: Policy, scene: Scene) -> bool:
    return RULE in policy.rulings and (PLAN_FOLDER_VARIABLE in scene.environ or bool(policy.rulings[RULE].options))


def judge_turn_end(scene: Scene, policy: Policy, world: World, report: str = "") -> tuple[Decision, Effects]:
    """`report`: what the validator reports."""
    effects = Effects((Operation("turn.end", DEFAULT_ORIGIN, known_word(report) if report else None),))
    return judge(Evidence(effects, scene, world), policy), effects


def decide_turn_end(event: TurnEnding, policy: Policy, world: World, now: float, stores: Stores) -> Decision:
    """Returns the decision on a turn that ends; it is recorded like a call's."""
    scene, options = event.scene, rules.build_options(RULE, policy.rulings[RULE].options)
    assert isinstance(options, Options)
    decision, effects = judge_turn_end(scene, policy, world)
    folder = context.iteration_folder(scene)
    if folder and options.validator and not decision.findings:
        argv = [scene.home + part[1:] if part.startswith("~/") else part for part in options.validator]
        if failure := find_failure(argv, folder, scene.environ, min(options.seconds, MAX_VALIDATOR_SECONDS)):
            decision, effects = judge_turn_end(scene, policy, world, failure)
    if decision.verdict >= Verdict.ASK and _has_reached_attempts(event, options, now, lambda: stores.find_store(scene, policy)):
        message = (
            f"toolgate lets this turn end after {options.attempts} attempts, though the work is not done: {decision.tell_user}"
        )
        decision = replace(decision, verdict=Verdict.WARN, tell_user=message, tell_agent="")
    if audit.should_record(policy, decision):
        line = build_record(scene, "", "", effects, decision, policy, now=now, microseconds=0, operation="the turn ends")
        if problem := stores.record_call(scene, line, policy):
            decision = replace(decision, tell_user=f"{decision.tell_user}\n{problem}".strip())
    return redact_decision(decision, policy, scene)


def _has_reached_attempts(event: TurnEnding, options: Options, now: float, open_store: Callable[[], Store]) -> bool:
    """Returns whether the turn was kept from ending often enough in a row. If the store fails, the host's own limit applies."""

    def count_attempt(document: Document) -> tuple[Document, int]:
        before = document.get("n", 0) if event.again else 0
        return {"n": before + 1}, before

    try:
        return (
            open_store().update(Key(session_scope(event.scene), RULE), count_attempt, now, now + KEEP_SECONDS) >= options.attempts
        )
    except StoreError:
        return False
