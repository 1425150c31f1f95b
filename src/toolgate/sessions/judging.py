"""One call, understood, located and judged: beside a plan where there is one."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from toolgate.grounds import grounds
from toolgate.judge import Evidence, decide, findings, judge
from toolgate.locate import Grounds, locate
from toolgate.model.action import Action, CallTool
from toolgate.model.decision import Decision
from toolgate.model.effect import Effects
from toolgate.model.event import Event, Scene
from toolgate.model.host import Host
from toolgate.model.plan import Plan
from toolgate.model.request import Request
from toolgate.model.rule import DescribedTool, Policy
from toolgate.model.state import Document, Key
from toolgate.model.world import World
from toolgate.understand import understand

from . import Stores, address, may_have_a_plan

if TYPE_CHECKING:
    from .planned import Work


class Judgement(NamedTuple):
    """One call, understood and judged: for explaining. `world` has the answers that this rests on."""

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
    """What the call would do, and what the rules say of it; beside a plan where there is one.

    An effect more may take a finding away (beside what is planned, `echo` is free): what is found without the descriptions that
    may only add is found with them.
    """

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


def answer_prompt(judgement: Judgement, event: Event, host: Host, request: Request, stores: Stores) -> Judgement:
    """The same, with the reason why the host need not ask its own question where the policy lets that be proven."""
    if judgement.policy.answer_prompts == "off":
        return judgement
    from .prompting import answer_by_proof

    return answer_by_proof(judgement, event, host, request, stores)
