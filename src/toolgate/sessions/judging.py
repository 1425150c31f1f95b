"""One call, understood, located and judged: beside a plan where there is one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolgate.grounds import grounds
from toolgate.judge import Evidence, judge
from toolgate.locate import locate
from toolgate.model.action import Action
from toolgate.model.decision import Decision
from toolgate.model.effect import Effects
from toolgate.model.event import Scene
from toolgate.model.plan import Plan
from toolgate.model.rule import Policy
from toolgate.model.state import Document, Key
from toolgate.model.world import World
from toolgate.understand import understand

from . import address, may_have_a_plan

if TYPE_CHECKING:
    from .planned import Work


@dataclass(frozen=True, slots=True)
class Judgement:
    """One call, understood and judged: for explaining. `world` has the answers that this rests on."""

    effects: Effects
    decision: Decision
    policy: Policy
    world: World
    work: "Work | None" = None


def judged(action: Action, scene: Scene, in_force: Policy, world: World, remembered: Callable[[Key], Document]) -> Judgement:
    """What the call would do, and what the rules say of it; beside a plan where there is one."""

    def decided(effects: Effects, policy: Policy, plan: Plan | None = None) -> Decision:
        store = address(policy, scene.environ)
        return judge(Evidence(effects, scene, world, plan, remembered, policy.redaction, store), policy)

    if may_have_a_plan(in_force, scene):
        from . import planned

        if (work := planned.work(action, scene, in_force, world)) is not None:
            here = grounds(scene, work.policy.places, work.own)
            effects = planned.seen(locate(understand(action, scene, world), here, world), action)
            decision = planned.lifted(decided(effects, work.policy, work.plan), work)
            return Judgement(effects, decision, work.policy, world, work)
    effects = locate(understand(action, scene, world), grounds(scene, in_force.places), world)
    return Judgement(effects, decided(effects, in_force), in_force, world)
