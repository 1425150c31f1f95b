"""The composition root: Request -> Answer. Total and closed: the host always gets a well-formed answer."""

import time
from collections.abc import Callable
from functools import partial

from . import hosts, policy
from .machine.injection import without_injected
from .machine.world import Machine
from .model.action import Action, RunShell
from .model.decision import NO_OBJECTION, Decision, Verdict
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
from .sessions.judging import Judgement, judged
from .sessions.recalling import Recall
from .sessions.steps import JudgedCall, finish_decision, prepare_answer
from .sessions.unjudged import Standing, without_judgement


class App:
    """`world`: creates the World of one call. `stores`: the user's stores, unless others are given."""

    def __init__(
        self, world: Callable[[], World] = Machine, stores: Stores | None = None, *, embedding: Embedding = NOT_EMBEDDED
    ) -> None:
        self._world = world
        self._stores = stores or Stores()
        self._recall = Recall()
        self._embedding = embedding

    def handle(self, request: Request) -> Answer:
        """Judges one hook call. A call that cannot be read or judged is refused, with a reason that says what to do."""
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
        """Returns the event with data that only the gate has: who started the caller, and its home folder if no variable gives
        it."""
        scene = event.scene
        if self._embedding.spawn != NOT_SPAWNED:
            scene = scene._replace(spawn=self._embedding.spawn)
        if not scene.home:
            from .machine.homes import home_of

            scene = scene._replace(home=home_of(request.uid))
        return event if scene is event.scene else event._replace(scene=scene)

    def judge(self, action: Action, scene: Scene, in_force: Policy, now: float = 0.0) -> Judgement:
        """Judges an action. `now` is used only to expire documents of the store, which few rules read."""

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
        """Returns a document of the store, which is not opened for a ledger that does not exist."""
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
        """Returns a function that checks whether a written rule stops an example: a loaded policy's own examples are checked
        by it."""

        def tried(rule: WrittenRule, example: str) -> bool:
            found = self.judge(RunShell(example), scene, Policy(written=(rule,))).decision.findings
            return any(finding.rule == rule.id for finding in found)

        return tried

    # ---- events

    def _answered(self, event: Event, host: Host, request: Request, standing: Standing) -> Answer:
        match event:
            case ToolCall() | PermissionRequested():
                return self._answer_call(event, host, request, standing)
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

    def _answer_call(self, event: ToolCall | PermissionRequested, host: Host, request: Request, standing: Standing) -> Answer:
        began = time.perf_counter_ns()
        in_force = self.policy(event.scene)
        event = _as_asked(event)
        standing.event, standing.policy = event, in_force

        def judge(action: Action, under: Policy) -> Judgement:
            return self.judge(action, event.scene, under, request.now)

        call = JudgedCall(event, host, request, self._stores, judge, self._world, self._embedding.watch, began)
        judgement = finish_decision(call, judge(event.action, in_force))
        standing.decision = judgement.decision
        told = prepare_answer(call, judgement)
        if judgement.policy.answers == "legacy" and isinstance(event, ToolCall):
            return host.legacy_answer(told, event)
        return host.answer(told, event)

    def _prompted(self, event: PromptSubmitted, host: Host, request: Request) -> Answer:
        """Handles a prompt: `approve CODE` answers a request; other things that the user names are trusted from then on."""
        from .sessions.answering import heard
        from .sessions.ledger import keep_prompt

        in_force = self.policy(event.scene)

        def store() -> Store:
            return self._stores.of(event.scene, in_force)

        if answer := heard(event, in_force, host, request, store):
            return answer
        if host.seat(request.environ).attended is not False:  # otherwise a program wrote it, which may quote anybody
            keep_prompt(event, request.now, store)
        return SILENCE

    def _session_started(self, event: SessionStarted, request: Request) -> Decision:
        """Pins the policy, checks the wiring and tells the user about problems. A compacted conversation is the same session:
        what applied before still applies."""
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
        """Ends a turn. Any failure keeps the turn from ending: the host accepts no other refusal."""
        in_force = self.policy(event.scene)
        if "plan.unfinished" not in in_force.rulings:
            return SILENCE
        from .sessions import ending

        if not ending.concerns(in_force, event.scene):
            return SILENCE
        decision = ending.ended(event, in_force, self._world(), now, self._stores)
        return host.answer(decision, event)


def _as_asked(event: ToolCall | PermissionRequested) -> ToolCall | PermissionRequested:
    """Returns the event with the requested command, if it runs through the filter."""
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
    """Returns a scene without a host, for manual queries."""
    return Scene(Caller("toolgate"), cwd, project or cwd, home, environ, environ.get("USER", ""))
