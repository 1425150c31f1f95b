"""Decides whether a turn may end where the plan asks for evidence. The host goes on only after a refusal, so every error is one;
after a number of attempts the turn may end anyway."""

from collections.abc import Callable
from dataclasses import replace

from toolgate import audit, rules
from toolgate.audit.record import record
from toolgate.judge import Evidence, judge
from toolgate.machine.validator import failure
from toolgate.model.decision import Decision, Verdict
from toolgate.model.effect import HERE_AND_NOW, Effects, Operation
from toolgate.model.errors import StoreError
from toolgate.model.event import Scene, TurnEnding
from toolgate.model.rule import Policy
from toolgate.model.state import Document, Key, Store
from toolgate.model.word import known
from toolgate.model.world import World
from toolgate.rules.plan import context
from toolgate.rules.plan.unfinished import Options

from . import Stores, session_of
from .asking import KEPT
from .hushing import hushed

RULE = "plan.unfinished"
LONGEST = 7.0  # seconds: the rest of the gate's own deadline


def concerns(policy: Policy, scene: Scene) -> bool:
    return RULE in policy.rulings and (context.DIRECTORY in scene.environ or bool(policy.rulings[RULE].options))


def judged(scene: Scene, policy: Policy, world: World, said: str = "") -> tuple[Decision, Effects]:
    """`said`: what the validator reports."""
    effects = Effects((Operation("turn.end", HERE_AND_NOW, known(said) if said else None),))
    return judge(Evidence(effects, scene, world), policy), effects


def ended(event: TurnEnding, policy: Policy, world: World, now: float, stores: Stores) -> Decision:
    """Returns the decision on a turn that ends; it is recorded like a call's."""
    scene, options = event.scene, rules.options(RULE, policy.rulings[RULE].options)
    assert isinstance(options, Options)
    decision, effects = judged(scene, policy, world)
    folder = context.directory(scene)
    if folder and options.validator and not decision.findings:
        argv = [scene.home + part[1:] if part.startswith("~/") else part for part in options.validator]
        if said := failure(argv, folder, scene.environ, min(options.seconds, LONGEST)):
            decision, effects = judged(scene, policy, world, said)
    if decision.verdict >= Verdict.ASK and _is_enough(event, options, now, lambda: stores.of(scene, policy)):
        told = f"toolgate lets this turn end after {options.attempts} attempts, though the work is not done: {decision.tell_user}"
        decision = replace(decision, verdict=Verdict.WARN, tell_user=told, tell_agent="")
    if audit.wanted(policy, decision):
        line = record(scene, "", "", effects, decision, policy, now=now, microseconds=0, operation="the turn ends")
        if problem := stores.record(scene, line):
            decision = replace(decision, tell_user=f"{decision.tell_user}\n{problem}".strip())
    return hushed(decision, policy, scene)


def _is_enough(event: TurnEnding, options: Options, now: float, open_store: Callable[[], Store]) -> bool:
    """Returns whether the turn was kept from ending often enough in a row. If the store fails, the host's own limit applies."""

    def once_more(document: Document) -> tuple[Document, int]:
        before = document.get("n", 0) if event.again else 0
        return {"n": before + 1}, before

    try:
        return open_store().update(Key(session_of(event.scene), RULE), once_more, now, now + KEPT) >= options.attempts
    except StoreError:
        return False
