"""The composition root: Request -> Answer. Total and closed: whatever happens, the host gets a well-formed answer."""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from . import audit, hosts, policy
from .hosts.capabilities import capabilities
from .judge import decide
from .machine.environment import folders
from .machine.injection import without_injected
from .machine.world import Machine
from .model.action import Action, AskUser, RunShell
from .model.decision import NO_OBJECTION, Decision, Verdict
from .model.effect import Connect, Delete, Effects
from .model.embedding import NOT_EMBEDDED, Embedding
from .model.errors import BadPayload, OutOfTime, StoreError, place_of
from .model.event import (
    NOT_SPAWNED,
    Caller,
    ConfigChanged,
    Event,
    PermissionRequested,
    PromptSubmitted,
    Scene,
    SessionEnded,
    SessionStarted,
    ToolCall,
    ToolFailed,
    ToolResult,
    TurnEnding,
)
from .model.host import Host
from .model.request import SILENCE, Answer, Request
from .model.rule import Policy, WrittenRule
from .model.state import EMPTY_DOCUMENT, LEDGER, Document, Key, Store
from .model.world import World
from .sessions import Stores
from .sessions.judging import Judgement, answer_prompt, judged
from .sessions.losing import needs_copy
from .sessions.recalling import Recall
from .sessions.unjudged import Standing, without_judgement


class App:
    """`world`: makes the World of one call. `stores`: what is kept, and where: for the user, unless others are given."""

    def __init__(
        self, world: Callable[[], World] = Machine, stores: Stores | None = None, *, embedding: Embedding = NOT_EMBEDDED
    ) -> None:
        self._world = world
        self._stores = stores or Stores()
        self._recall = Recall()
        self._embedding = embedding

    def handle(self, request: Request) -> Answer:
        """Judges one hook call. What cannot be read or judged is refused, with a reason that says what to do."""
        try:
            host = hosts.host(request.host)
        except KeyError:
            reason = f"toolgate knows no host named {request.host!r}; `toolgate install HOST` registers the hook again."
            return Answer(stderr=reason, exit_code=2)
        standing = Standing()
        try:
            return self._read_and_answered(host, request, standing)
        except OutOfTime:
            return without_judgement(host, request, standing, "toolgate ran out of time judging this call", "on_timeout")
        except Exception as problem:  # noqa: BLE001  (law 5: the one place that catches everything, and it refuses)
            failure = f"toolgate could not judge this call ({type(problem).__name__}{place_of(problem)})"
            return without_judgement(host, request, standing, failure, "on_error")

    def _read_and_answered(self, host: Host, request: Request, standing: Standing) -> Answer:
        try:
            event = host.read(request)
            if event is None:
                return SILENCE
            refusal, event = without_injected(event, host, request)
            if refusal:
                return host.refuse(request.event, refusal)
            return self._answered(self._of_whom(event, request), host, request, standing)
        except BadPayload as problem:
            from .sessions import journal

            journal.unread(host, request, str(problem))
            return host.refuse(request.event, f"toolgate cannot read this call: {problem}. {problem.remedy}")

    def _of_whom(self, event: Event, request: Request) -> Event:
        """The event with what only this side knows of whoever calls: who started it, and its home where no variable says that."""
        scene = event.scene
        if self._embedding.spawn != NOT_SPAWNED:
            scene = scene._replace(spawn=self._embedding.spawn)
        if not scene.home:
            from .machine.homes import home_of

            scene = scene._replace(home=home_of(request.uid))
        return event if scene is event.scene else event._replace(scene=scene)

    def judge(self, action: Action, scene: Scene, in_force: Policy, now: float = 0.0) -> Judgement:
        """`now` only tells what the store has forgotten by then; a rule that asks it is rare."""

        asked: dict[Key, Document] = {}

        def remembered(key: Key) -> Document:
            if key not in asked:
                asked[key] = self._remembered(key, scene, in_force, now)
            return asked[key]

        world = self._world()
        judging = partial(judged, embedded=self._embedding is not NOT_EMBEDDED)
        anew = partial(judging, action, scene, in_force)
        judgement = self._recall.of(action, scene, in_force, world, remembered, anew)
        if judgement.decision.verdict >= Verdict.ASK:
            from .sessions.suggesting import permitted

            def alone(instead: RunShell) -> Decision:
                return judging(instead, scene, in_force, self._world(), remembered).decision

            decision = permitted(judgement.decision, judgement.effects, judgement.policy, alone)
            judgement = judgement._replace(decision=decision)
        return judgement._replace(world=world)

    def _remembered(self, key: Key, scene: Scene, in_force: Policy, now: float) -> Document:
        """A document of the store, which is opened for no ledger that there is not."""
        if key.name == LEDGER and not self._stores.has_ledger(scene):
            return EMPTY_DOCUMENT
        return self._stores.of(scene, in_force).load((key,), now)[0]

    def policy(self, scene: Scene, *, profile: str = "") -> Policy:
        return policy.load(
            scene.environ,
            scene.home,
            scene.project,
            scene.caller.session,
            profile=profile,
            embedded=self._embedding.profile,
            shelf=self._stores.shelf(scene),
            try_example=self.stops(scene),
        )

    def stops(self, scene: Scene) -> Callable[[WrittenRule, str], bool]:
        """Whether a written rule stops an example: how a policy's own examples are checked when it is loaded."""

        def tried(rule: WrittenRule, example: str) -> bool:
            found = self.judge(RunShell(example), scene, Policy(written=(rule,))).decision.findings
            return any(finding.rule == rule.id for finding in found)

        return tried

    # ---- events

    def _answered(self, event: Event, host: Host, request: Request, standing: Standing) -> Answer:
        match event:
            case ToolCall() | PermissionRequested():
                return self._judged(event, host, request, standing)
            case ToolResult() | ToolFailed():
                from .sessions.afterwards import looked_over

                in_force = partial(self.policy, event.scene)
                return looked_over(event, host, request, in_force, lambda: self._stores.of(event.scene, in_force()))
            case SessionStarted():
                return host.answer(self._session_started(event, request), event)
            case SessionEnded(scene):
                return host.answer(self._session_ended(scene, host, request.now), event)
            case PromptSubmitted():
                return self._prompted(event, host, request)
            case ConfigChanged():
                from .sessions.life import reconfigured

                return reconfigured(event, host, request) or SILENCE
            case TurnEnding():
                return self._turn_ended(event, host, request.now)
            case _:
                return SILENCE

    def _judged(self, event: ToolCall | PermissionRequested, host: Host, request: Request, standing: Standing) -> Answer:
        began = time.perf_counter_ns()
        in_force = self.policy(event.scene)
        event = _as_asked(event)
        standing.event, standing.policy = event, in_force
        judgement = self._planned(self.judge(event.action, event.scene, in_force, request.now), event, host, request)
        if in_force.rewrite and capabilities(request.host).rewrites and isinstance(event, ToolCall):
            judgement = self._rewritten(judgement, event, request.now)
        judgement = answer_prompt(self._consented(judgement, event, host, request), event, host, request, self._stores)
        in_force = judgement.policy
        standing.decision = decision = judgement.decision
        if decision.tell_user or decision.tell_agent:
            from .sessions.hushing import hushed

            decision = hushed(decision, in_force, event.scene, event.action)
        if decision.to_user_alone:
            decision = replace(decision, tell_user=decision.to_user_alone)
        if decision.verdict < Verdict.DENY and any(type(effect) is Connect for effect in judgement.effects.all):
            from .sessions.ledger import keep_fetched

            keep_fetched(event.scene, judgement.effects, request.now, lambda: self._stores.of(event.scene, in_force))
        if audit.wanted(in_force, decision) and self._stores.can_record(event.scene):
            took = (time.perf_counter_ns() - began) // 1000
            decision = _with_notice(decision, self._recorded(event, judgement, request.now, took), event.scene)
        if in_force.messages == "guardrail" and isinstance(event, ToolCall):
            self._logged(event, decision, in_force, host, request.now)
        if in_force.journal != "none" and isinstance(event, ToolCall):
            from .sessions import journal

            decision = _with_notice(decision, journal.record(event, decision, in_force, host, request.now), event.scene)
        if judgement.work is not None and isinstance(event, ToolCall):
            from .sessions.executing import noted

            problem = noted(event, judgement.decision, judgement.work, request.now)
            decision = _with_notice(decision, problem, event.scene, "plan")
        if self._embedding.watch is not None:
            self._embedding.watch(event, decision)
        if in_force.wrap_commands and capabilities(request.host).rewrites and decision.verdict is not Verdict.DENY:
            from .sessions.wrapping import filtered

            decision = filtered(decision, event)
        if in_force.answers == "legacy" and isinstance(event, ToolCall):
            return host.legacy_answer(decision, event)
        return host.answer(decision, event)

    def _planned(self, judgement: Judgement, event: ToolCall | PermissionRequested, host: Host, request: Request) -> Judgement:
        """Where a plan is in force: who else works on it, and how many calls were no part of it."""
        work, now = judgement.work, request.now
        if work is None or not isinstance(event, ToolCall):
            return judgement
        from .sessions import executing

        def store() -> Store:
            return self._stores.of(event.scene, judgement.policy)

        decision = executing.counted(event, judgement.decision, work, now, store)
        return judgement._replace(decision=executing.alone(event, judgement.effects, decision, work, host, now, store))

    def _rewritten(self, judgement: Judgement, event: ToolCall, now: float) -> Judgement:
        from .sessions.rewriting import rewritten

        def again(action: RunShell) -> tuple[Effects, Decision]:
            judged = self.judge(action, event.scene, judgement.policy, now)
            return judged.effects, judged.decision

        return judgement._replace(decision=rewritten(event, judgement.effects, judgement.decision, judgement.policy, again))

    def _consented(self, judgement: Judgement, event: ToolCall | PermissionRequested, host: Host, request: Request) -> Judgement:
        """What holds beyond one call: budgets and rates, what a person said before, how often it was denied. A question that the
        host would let drop becomes a request. A call that needs none of it touches no state."""
        if not isinstance(event, ToolCall) or not _needs_state(judgement, event):
            return judgement
        from .consent.pushes import commits_pushed
        from .sessions import asking, counting, deleting

        in_force, now = judgement.policy, request.now

        def store() -> Store:
            return self._stores.of(event.scene, in_force)

        decision = counting.within_rates(event, judgement.decision, in_force, now, store)
        decision = deleting.within_session(event, judgement._replace(decision=decision), now, store)
        if (over := counting.questioned(event, in_force, now, store)) is not None:
            decision = decide((*decision.findings, over), in_force, decision.waived)
        judgement = judgement._replace(decision=decision)
        if decision.verdict is not Verdict.ASK:
            decision = self._kept(judgement, event, now)
            return judgement._replace(
                decision=counting.escalated(event, decision, now, store) if decision.verdict is Verdict.DENY else decision
            )
        unheard = asking.unheard(event, in_force, judgement.effects, host, request)
        followed, ways = judgement.world.followed, self._stores.ways
        commits = partial(commits_pushed, judgement.effects, event.scene.cwd, self._world())
        asked = asking.Asked(event, decision, judgement.effects, followed, in_force, host, request, unheard, commits, ways)
        if needs_copy(judgement) and not asking.is_refused(asked, store):
            decision = self._kept(judgement, event, now)
        if decision.verdict is Verdict.ASK:
            decision = asking.settled(asked if decision is asked.decision else replace(asked, decision=decision), store)
            deleting.forget(event, decision, now, store)
            if decision.verdict < Verdict.ASK:
                decision = self._kept(judgement._replace(decision=decision), event, now)
        return judgement._replace(decision=decision)

    def _kept(self, judgement: Judgement, event: ToolCall, now: float) -> Decision:
        if not needs_copy(judgement):
            return judgement.decision
        from .sessions.keeping import keep_losses

        return keep_losses(event, judgement, now)

    def _logged(self, event: ToolCall, decision: Decision, in_force: Policy, host: Host, now: float) -> None:
        """The guardrail design's own log and view, in the host's folder. Losing them changes nothing."""
        from .sessions.allowlist import record

        record(event, decision, in_force, host.own_folder(event.scene.home, event.scene.environ), self._stores, now)

    def _prompted(self, event: PromptSubmitted, host: Host, request: Request) -> Answer:
        """`approve CODE` is the person's answer to a request; what else the user names is trusted from then on."""
        from .sessions.answering import heard
        from .sessions.ledger import keep_prompt

        in_force = self.policy(event.scene)

        def store() -> Store:
            return self._stores.of(event.scene, in_force)

        if answer := heard(event, in_force, host, request, store):
            return answer
        if host.seat(request.environ).attended is not False:  # else a program wrote it, and may quote anybody
            keep_prompt(event, request.now, store)
        return SILENCE

    def _recorded(self, event: ToolCall | PermissionRequested, judgement: Judgement, now: float, took: int) -> str:
        """What went wrong with the record, for the user; it changes no verdict."""
        from .audit.record import record
        from .sessions.hushing import operation

        line = record(
            event.scene,
            event.tool,
            event.call,
            judgement.effects,
            judgement.decision,
            judgement.policy,
            now=now,
            microseconds=took,
            role=event.scene.role,
            operation=operation(event.action, judgement.policy, event.scene),
        )
        return self._stores.record(event.scene, line)

    def _session_started(self, event: SessionStarted, request: Request) -> Decision:
        """The policy is pinned, the wiring looked at; what is off is told to the user. A conversation that was made shorter is
        the same session: what held before it holds on."""
        from .sessions.life import opening

        scene = event.scene
        if event.source != "compact":
            where = (scene.environ, scene.home, scene.project, scene.caller.session)
            embedded, shelf = self._embedding.profile, self._stores.shelf(scene)
            policy.pin(*where, request.now, embedded=embedded, shelf=shelf, try_example=self.stops(scene))
        return _notice(opening(scene, self.policy(scene), request.host, self._world, request.now))

    def _session_ended(self, scene: Scene, host: Host, now: float) -> Decision:
        from .sessions.life import closing

        try:
            in_force = self.policy(scene)
            closing(scene, in_force, host, self._stores.of(scene, in_force), now)
        except StoreError as problem:
            return _notice([f"{problem}; what was approved for this session may outlast it until it expires"])
        return NO_OBJECTION

    def _turn_ended(self, event: TurnEnding, host: Host, now: float) -> Answer:
        """Whatever fails here keeps the turn from ending: the host takes nothing else for a no."""
        in_force = self.policy(event.scene)
        if "plan.unfinished" not in in_force.rulings:
            return SILENCE
        from .sessions import ending

        if not ending.concerns(in_force, event.scene):
            return SILENCE
        decision = ending.ended(event, in_force, self._world(), now, self._stores)
        return host.answer(decision, event)


def _needs_state(judgement: Judgement, event: ToolCall) -> bool:
    decision = judgement.decision
    counted = isinstance(event.action, AskUser) and judgement.policy.max_questions is not None
    limited = any(each.rate for each in decision.findings) or bool(judgement.effects.of_kind(Delete))
    return counted or limited or decision.verdict >= Verdict.ASK or needs_copy(judgement)


def _with_notice(decision: Decision, problem: str, scene: Scene, log: str = "told") -> Decision:
    """The user is told once a session that records are lost."""
    if not problem or not audit.first_time(folders(scene.environ, scene.home).cache, scene.caller.session, log):
        return decision
    return replace(decision, tell_user=f"{decision.tell_user}\n{problem}" if decision.tell_user else problem)


def _as_asked(event: ToolCall | PermissionRequested) -> ToolCall | PermissionRequested:
    """A command that runs through the filter is judged as the one that was asked for."""
    if not isinstance(event.action, RunShell) or not event.action.text.startswith("__toolgate_"):
        return event
    from .sessions.wrapping import unwrapped

    command = unwrapped(event.action.text)
    return event if command is None else event._replace(action=event.action._replace(text=command))


def _notice(notices: list[str]) -> Decision:
    if not notices:
        return NO_OBJECTION
    return Decision(Verdict.WARN, Verdict.WARN, tell_user="toolgate: " + "\n".join(notices))


def scene_here(cwd: str, home: str, environ: dict[str, str], project: str = "") -> Scene:
    """A scene without a host, for asking by hand."""
    return Scene(Caller("toolgate"), cwd, project or cwd, home, environ, environ.get("USER", ""))
