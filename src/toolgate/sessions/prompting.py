"""Answers the host's own question, where the policy says so and every effect of the call is proven (toolgate.prompts)."""

from dataclasses import replace

from toolgate import hosts
from toolgate.grounds import grounds
from toolgate.hosts.capabilities import capabilities
from toolgate.locate import zone_finder
from toolgate.machine import processes
from toolgate.model.decision import Verdict
from toolgate.model.event import Event, ToolCall
from toolgate.model.host import Host
from toolgate.model.permission import Unreadable
from toolgate.model.request import Request
from toolgate.prompts.proving import Answered, Asked, prove

from .judging import Judgement


def answer_by_proof(judgement: Judgement, event: Event, host: Host, request: Request) -> Judgement:
    """The same with the reason why the host need not ask, where there is one."""
    decision = judgement.decision
    if not isinstance(event, ToolCall) or decision.verdict is not Verdict.PASS or decision.findings:
        return judgement
    return judgement._replace(decision=replace(decision, allowed=answered(judgement, event, host, request).reason))


def answered(judgement: Judgement, event: ToolCall, host: Host, request: Request) -> Answered:
    """Whether the question is answered, and else why not."""
    asking = hosts.prompts(host.NAME)
    if asking is None or capabilities(host.NAME).sections["call"]["allow"] != "skips the question":
        return Answered(doubt=f"{host.NAME} is always left to ask")
    if judgement.policy.wrap_commands:
        return Answered(doubt="commands run through the filter (`wrap_commands`)")
    if why := asking.reason_to_ask(event, request):
        return Answered(doubt=why)
    scene, world = event.scene, judgement.world
    try:
        client = host.seat(request.environ).process
        rules = asking.permission_rules(scene, processes.command_line(client), world)
        setup = asking.shell_setup(scene, request.environ, world)
    except Unreadable as problem:
        return Answered(doubt=str(problem))
    zones_of = zone_finder(grounds(scene, judgement.policy.places), world)
    return prove(Asked(event.action, event.tool, judgement.effects, judgement.decision, scene, world, zones_of, rules, setup))
