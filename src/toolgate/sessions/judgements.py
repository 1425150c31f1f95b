"""Understands, locates and judges one call, compared with a plan where there is one."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from toolgate.judge import Evidence, decide, iter_findings, judge
from toolgate.locate import SessionPlaces, locate
from toolgate.model.action import Action, CallTool
from toolgate.model.decision import Decision
from toolgate.model.effect import Effects, Operation
from toolgate.model.event import Scene
from toolgate.model.plan import Plan
from toolgate.model.rule import DescribedTool, Policy
from toolgate.model.store import WRITTEN, Document, Key, ledger_key
from toolgate.model.world import World
from toolgate.session_places import find_session_places
from toolgate.understand import understand

from . import choose_store_url, may_have_plan

if TYPE_CHECKING:
    from .plan_work import PlanWork


class Judgement(NamedTuple):
    """One call, understood and judged. `world` holds the answers that the judgement depends on."""

    effects: Effects
    decision: Decision
    policy: Policy
    world: World
    work: "PlanWork | None" = None


def judge_call(
    action: Action,
    scene: Scene,
    in_force: Policy,
    world: World,
    load_document: Callable[[Key], Document],
    *,
    is_embedded: bool = False,
) -> Judgement:
    """Returns the effects of a call and the decision on it, compared with a plan where there is one.

    An additional effect may remove a finding (beside a planned command, `echo` is free). So findings made without the
    descriptions that may only add effects are kept."""

    def list_written() -> tuple[str, ...]:
        return tuple(load_document(ledger_key(scene.caller.host, scene.caller.session, WRITTEN)))

    def read_effects(session_places: SessionPlaces, tools: tuple[DescribedTool, ...] = in_force.tools) -> Effects:
        effects = locate(understand(action, scene, world, tools, in_force.wrappers, list_written), session_places, world)
        if not any(effect.name == "agent.start" for effect in effects.of_kind(Operation)):
            return effects
        from .nested_agents import mark_unregistered_agents

        return mark_unregistered_agents(effects, scene, world)

    def decide_effects(effects: Effects, policy: Policy, session_places: SessionPlaces, plan: Plan | None = None) -> Decision:
        evidence = Evidence(effects, scene, world, plan, load_document, policy.redaction, choose_store_url(policy, scene.environ))
        decision = judge(evidence, policy)
        if not isinstance(action, CallTool) or not any(tool.adds for tool in policy.tools):
            return decision
        trusted = tuple(tool for tool in policy.tools if not tool.adds)
        without = evidence._replace(effects=read_effects(session_places, trusted))
        return decide(tuple(dict.fromkeys((*iter_findings(without, policy), *decision.findings))), policy)

    if may_have_plan(in_force, scene):
        from . import plan_work

        if (work := plan_work.prepare_work(action, scene, in_force, world)) is not None:
            session_places = find_session_places(scene, work.policy.places, work.own, is_embedded=is_embedded)
            effects = plan_work.add_nothing_effect(read_effects(session_places), action)
            decision = plan_work.lift_findings(decide_effects(effects, work.policy, session_places, work.plan), work)
            return Judgement(effects, decision, work.policy, world, work)
    session_places = find_session_places(scene, in_force.places, is_embedded=is_embedded)
    effects = read_effects(session_places)
    return Judgement(effects, decide_effects(effects, in_force, session_places), in_force, world)
