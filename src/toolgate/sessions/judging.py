"""Understands, locates and judges one call, compared with a plan where there is one."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from toolgate.grounds import grounds
from toolgate.judge import Evidence, decide, findings, judge
from toolgate.locate import Grounds, locate
from toolgate.model.action import Action, CallTool
from toolgate.model.decision import Decision
from toolgate.model.effect import Effects
from toolgate.model.event import Scene
from toolgate.model.plan import Plan
from toolgate.model.rule import DescribedTool, Policy
from toolgate.model.state import Document, Key
from toolgate.model.world import World
from toolgate.understand import understand

from . import address, may_have_a_plan

if TYPE_CHECKING:
    from .planned import Work


class Judgement(NamedTuple):
    """One call, understood and judged. `world` holds the answers that the judgement depends on."""

    effects: Effects
    decision: Decision
    policy: Policy
    world: World
    work: "Work | None" = None


def judged(
    action: Action,
    scene: Scene,
    in_force: Policy,
    world: World,
    remembered: Callable[[Key], Document],
    *,
    embedded: bool = False,
) -> Judgement:
    """Returns the effects of a call and the decision on it, compared with a plan where there is one.

    An additional effect may remove a finding (beside a planned command, `echo` is free). So findings made without the
    descriptions that may only add effects are kept."""

    def read(here: Grounds, tools: tuple[DescribedTool, ...] = in_force.tools) -> Effects:
        return locate(understand(action, scene, world, tools, in_force.wrappers), here, world)

    def decided(effects: Effects, policy: Policy, here: Grounds, plan: Plan | None = None) -> Decision:
        evidence = Evidence(effects, scene, world, plan, remembered, policy.redaction, address(policy, scene.environ))
        decision = judge(evidence, policy)
        if not isinstance(action, CallTool) or not any(tool.adds for tool in policy.tools):
            return decision
        trusted = tuple(tool for tool in policy.tools if not tool.adds)
        without = evidence._replace(effects=read(here, trusted))
        return decide(tuple(dict.fromkeys((*findings(without, policy), *decision.findings))), policy)

    if may_have_a_plan(in_force, scene):
        from . import planned

        if (work := planned.work(action, scene, in_force, world)) is not None:
            here = grounds(scene, work.policy.places, work.own, embedded=embedded)
            effects = planned.seen(read(here), action)
            decision = planned.lifted(decided(effects, work.policy, here, work.plan), work)
            return Judgement(effects, decision, work.policy, world, work)
    here = grounds(scene, in_force.places, embedded=embedded)
    effects = read(here)
    return Judgement(effects, decided(effects, in_force, here), in_force, world)
