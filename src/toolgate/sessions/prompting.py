"""Answers the host's own question, where the policy says so and every effect of the call is proven (toolgate.prompts)."""

from dataclasses import replace

from toolgate import hosts
from toolgate.consent import approvals
from toolgate.consent.approvals import USED_DOCUMENT
from toolgate.consent.grants import Grant
from toolgate.hosts.capabilities import load_capabilities
from toolgate.locate import make_zone_finder
from toolgate.machine import processes
from toolgate.model.action import Action, AskUser, OtherTool, ReadFile, RunShell, Search
from toolgate.model.decision import Verdict
from toolgate.model.errors import StoreError
from toolgate.model.event import Event, Scene, ToolCall
from toolgate.model.host import Host
from toolgate.model.permission import PromptHost, Unreadable
from toolgate.model.request import Request
from toolgate.model.store import ANSWERS, Key, Scope, Store
from toolgate.prompts.proving import READS, TESTS, Answered, Asked, prove
from toolgate.session_places import find_session_places

from . import Stores, session_scope
from .approval_requests import ENDED_DOCUMENT
from .judgements import Judgement

CHANGED = "changed"
"""When a session last did anything that is not proven to read alone: from then on nobody knows what its tests would load."""
KEPT = 30 * 86400.0  # seconds


def answer_by_proof(judgement: Judgement, event: Event, host: Host, request: Request, stores: Stores) -> Judgement:
    """The same, with the reason why the host need not ask where there is one."""
    decision = judgement.decision
    if not isinstance(event, ToolCall) or decision.verdict is Verdict.DENY:
        return judgement
    answered = Answered(doubt="a rule has something to say about it")
    if decision.verdict is Verdict.PASS and not decision.findings:
        answered = answer(judgement, event, host, request, stores)
    if judgement.policy.answer_prompts == "granted" and _may_change(event) and not _changes_nothing(answered):
        _note_change(event.scene, request.now, stores.find_store(event.scene, judgement.policy))
    return judgement._replace(decision=replace(decision, allowed=answered.reason)) if answered.reason else judgement


def answer(judgement: Judgement, event: ToolCall, host: Host, request: Request, stores: Stores) -> Answered:
    """Whether the question is answered, and else why not."""
    asking = hosts.prompts(host.NAME)
    if asking is None or load_capabilities(host.NAME).sections["call"]["allow"] != "skips the question":
        return Answered(doubt=f"{host.NAME} is always left to ask")
    if judgement.policy.wrap_commands:
        return Answered(doubt="commands run through the filter (`wrap_commands`)")
    if why := asking.reason_to_ask(event, request):
        return Answered(doubt=why)
    client = host.read_seat(request.environ).process
    started_with = processes.command_line(client)
    return _answer(asking, event.tool, event.action, event.scene, judgement, started_with, request.now, stores)


def answer_on_request(action: RunShell, scene: Scene, judgement: Judgement, now: float) -> Answered:
    """What Claude Code would be answered here, started without options: for `toolgate explain`."""
    asking = hosts.prompts("claude-code")
    if asking is None or judgement.decision.findings:
        return Answered(doubt="a rule has something to say about it")
    return _answer(asking, "Bash", action, scene, judgement, ("claude",), now, Stores())


def _answer(
    asking: PromptHost,
    tool: str,
    action: Action,
    scene: Scene,
    judgement: Judgement,
    started_with: tuple[str, ...],
    now: float,
    stores: Stores,
) -> Answered:
    world, policy = judgement.world, judgement.policy
    try:
        rules = asking.permission_rules(scene, started_with, world)
        setup = asking.shell_setup(scene, scene.environ, world)
    except Unreadable as problem:
        return Answered(doubt=str(problem))
    zones_of = make_zone_finder(find_session_places(scene, policy.places), world)
    question = Asked(action, tool, judgement.effects, judgement.decision, scene, world, zones_of, rules, setup)
    answered = prove(question)
    if answered.reason or policy.answer_prompts != "granted":
        return answered
    try:
        grants = grants_here(stores.find_store(scene, policy), scene, now)
    except StoreError as problem:
        return Answered(doubt=str(problem))
    return prove(question._replace(grants=grants)) if grants else answered


def grants_here(store: Store, scene: Scene, now: float) -> tuple[Grant, ...]:
    """The grants of this project that are good for this session now."""
    project = Scope("project", scene.project)
    keys = tuple(Key(project, name) for name in (ANSWERS, USED_DOCUMENT, ENDED_DOCUMENT))
    answers, used, ended, changed = store.load((*keys, Key(session_scope(scene), CHANGED)), now)
    decoded_answers = approvals.grants(approvals.decode_answers(answers), used, ended.get("at", 0.0), now)
    last = changed.get("at", 0.0)
    return tuple(grant for grant in decoded_answers if grant.at > last or not any(clause.test for clause in grant.clauses))


def _may_change(event: ToolCall) -> bool:
    match event.action:
        case ReadFile() | Search() | AskUser():
            return False
        case OtherTool(role="conversation"):
            return False
        case _:
            return True


def _changes_nothing(answer: Answered) -> bool:
    """It was proven to read alone, or runs the tests that a person granted."""
    return answer.reason in (READS, TESTS)


def _note_change(scene: Scene, now: float, store: Store) -> None:
    try:
        store.update(Key(session_scope(scene), CHANGED), lambda _: ({"at": now}, None), now, now + KEPT)
    except StoreError:
        return  # without the store no grant counts either
